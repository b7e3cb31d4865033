package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Audit says how to show a page, and what every page of winnow's own must fulfil.
type Audit struct {
	// Width is the width of the screen in CSS pixels.
	Width int64
	Dark  bool
	// Axe is the source of axe-core, see AxeSource.
	Axe string
	// Picture is the file for a picture of the page, empty for none.
	Picture string
}

// AxeSource returns the source of axe-core, a checker for accessibility, from the node modules in the folder that
// WINNOW_NODE_MODULES names. The test skips where there is none.
func AxeSource(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(os.Getenv("WINNOW_NODE_MODULES"), "axe-core", "axe.min.js"))
	if err != nil {
		t.Skipf("%s: no axe-core: %v", t.Name(), err)
	}
	return string(b)
}

// Findings are the faults of a page.
type Findings struct {
	// Violations are axe-core's violations, each with its elements.
	Violations []string `json:"violations"`
	// Overflow is the number of pixels by which the page is wider than the screen.
	Overflow float64 `json:"overflow"`
	// Title is the page's.
	Title string `json:"title"`
}

// auditScript runs axe-core's rules, and measures.
const auditScript = `(async () => {
  const found = await axe.run(document, { resultTypes: ["violations"] });
  return {
    violations: found.violations.map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ") + " (" + n.failureSummary.replace(/\s+/g, " ") + ")").join("; ")),
    overflow: document.documentElement.scrollWidth - window.innerWidth, title: document.title,
  };
})()`

// Audit shows the page at a URL and returns its faults.
func (b *Browser) Audit(ctx context.Context, url string, a Audit) (f Findings, err error) {
	scheme := "light"
	if a.Dark {
		scheme = "dark"
	}
	err = b.open(ctx, url, func(tab context.Context) error {
		if a.Picture != "" {
			if err := picture(tab, a.Picture); err != nil {
				return err
			}
		}
		if _, err := chromedp.Run(tab, chromedp.Evaluate[any](a.Axe+"; 0")); err != nil {
			return fmt.Errorf("loading axe-core: %w", err)
		}
		f, err = chromedp.Run(tab, chromedp.Evaluate[Findings](auditScript, chromedp.EvalAwaitPromise))
		return err
	}, chromedp.EmulateViewport(a.Width, Height),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
			return err
		}), chromedp.Navigate(url))
	return f, err
}

// picture takes a picture of the whole page.
func picture(tab context.Context, file string) error {
	b, err := chromedp.Run(tab, chromedp.FullScreenshot(100))
	if err != nil {
		return fmt.Errorf("taking a picture: %w", err)
	}
	return os.WriteFile(file, b, 0o644)
}
