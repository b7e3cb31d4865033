// Package browsertest looks at pages with Chromium, as someone with a phone would see them. Tests use it; without
// Chromium they skip, by name.
package browsertest

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Width and Height are those of the screen that pages are shown on, in CSS pixels.
const (
	Width  = 390
	Height = 844
)

// Browser is one Chromium that reaches loopback alone.
type Browser struct {
	ctx context.Context
}

// Start starts Chromium and ends it with the test, which is skipped where there is none.
func Start(t testing.TB) *Browser {
	t.Helper()
	return start(t)
}

// StartBehind is Start for a browser that goes through the HTTP proxy at an address, to loopback too.
func StartBehind(t testing.TB, proxy string) *Browser {
	t.Helper()
	return start(t, chromedp.Flag("proxy-server", "http://"+proxy), chromedp.Flag("proxy-bypass-list", "<-loopback>"))
}

func start(t testing.TB, more ...chromedp.ExecAllocatorOption) *Browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skipf("%s: no Chromium in PATH", t.Name())
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.*"), chromedp.WSURLReadTimeout(time.Minute))
	opts = append(opts, more...)
	alloc, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(alloc)
	t.Cleanup(end)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("starting %s: %v", path, err)
	}
	return &Browser{ctx}
}

// View is what someone sees of a page.
type View struct {
	// Text is the visible text, white space folded; Characters are those of it that are no white space.
	Text       string `json:"text"`
	Characters int    `json:"characters"`
	// Width is how wide the page is, in CSS pixels; ScreenWidth how many of them the screen shows.
	Width       float64 `json:"width"`
	ScreenWidth float64 `json:"screen_width"`
	// Column is the share of the screen that the main text takes in its width.
	Column float64 `json:"column"`
	// Paragraphs are the blocks of text that have more than a word or two, titles among them, from the top of the page.
	Paragraphs []Paragraph `json:"paragraphs"`
	// Scrolls says that all of the page can be reached.
	Scrolls bool `json:"scrolls"`
	// Actions counts the visible fields, buttons and links that turn pages.
	Actions int `json:"actions"`
	// Marked counts the visible elements of class act: those of which a test says that they must stay.
	Marked int `json:"marked"`
	// Bytes are those that the page and what it loaded took on the wire.
	Bytes int `json:"bytes"`
	// Errors are those of scripts, and what scripts report as such.
	Errors []string `json:"errors"`
}

// Paragraph is a block of text: how it begins, and how far below the top of the page, in CSS pixels.
type Paragraph struct {
	Start string  `json:"start"`
	Top   float64 `json:"top"`
}

// Before returns how far one scrolls to what v shows first of its text, in v and in the page that it was before; ok is
// false where these have no paragraph in common.
func (v View) Before(was View) (now, then float64, ok bool) {
	for _, p := range v.Paragraphs {
		for _, q := range was.Paragraphs {
			if p.Start == q.Start {
				return p.Top, q.Top, true
			}
		}
	}
	return 0, 0, false
}

// Look shows the page at a URL on a phone, with nothing in the cache, and says what is there once its scripts have run.
func (b *Browser) Look(ctx context.Context, url string) (v View, err error) {
	err = b.visit(ctx, url, func(tab context.Context) error {
		v, err = chromedp.Run(tab, chromedp.Evaluate[View](lookScript))
		return err
	})
	return v, err
}

// Picture returns the whole page at a URL as a phone shows it, as a PNG file.
func (b *Browser) Picture(ctx context.Context, url string) (png []byte, err error) {
	err = b.visit(ctx, url, func(tab context.Context) error {
		png, err = chromedp.Run(tab, chromedp.FullScreenshot(100))
		return err
	})
	return png, err
}

// visit shows the page at a URL on a phone and calls do when its scripts have run.
func (b *Browser) visit(ctx context.Context, url string, do func(tab context.Context) error) error {
	return b.open(ctx, url, do,
		chromedp.EmulateViewport(Width, Height, chromedp.EmulateScale(2), chromedp.EmulateMobile, chromedp.EmulateTouch),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			if _, err := cdp.Call(ctx, t, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true}); err != nil {
				return err
			}
			_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: errorScript})
			return err
		}),
		chromedp.Navigate(url),
		chromedp.Sleep(300*time.Millisecond),
	)
}

// open takes the steps to the page at a URL in a tab of its own, then calls do.
func (b *Browser) open(ctx context.Context, url string, do func(context.Context) error, steps ...chromedp.Action[chromedp.Void]) error {
	tab, end := chromedp.NewContext(b.ctx)
	defer end()
	stop := context.AfterFunc(ctx, end)
	defer stop()
	tab, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	if err := chromedp.Do(tab, steps...); err != nil {
		return fmt.Errorf("going to %s: %w", url, err)
	}
	if err := do(tab); err != nil {
		return fmt.Errorf("looking at %s: %w", url, err)
	}
	return nil
}
