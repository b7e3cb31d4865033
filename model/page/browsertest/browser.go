// Package browsertest measures pages in Chromium, as somebody with a phone would see them. Tests use it. Without
// Chromium they are skipped, by name.
package browsertest

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Width and Height are the size of the screen in CSS pixels.
const (
	Width  = 390
	Height = 844
)

// Browser is one Chromium that can only reach loopback.
type Browser struct {
	ctx context.Context
}

// Start starts Chromium and ends it with the test. It skips the test if there is no Chromium.
func Start(t testing.TB) *Browser {
	t.Helper()
	return start(t)
}

// StartBehind is Start for a browser that uses the HTTP proxy at an address, also for loopback.
func StartBehind(t testing.TB, proxy string) *Browser {
	t.Helper()
	return start(t, chromedp.Flag("proxy-server", "http://"+proxy), chromedp.Flag("proxy-bypass-list", "<-loopback>"))
}

func start(t testing.TB, more ...chromedp.ExecAllocatorOption) *Browser {
	t.Helper()
	path := chromium(t)
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("host-resolver-rules", onlyLoopback), chromedp.WSURLReadTimeout(time.Minute))
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

// onlyLoopback are rules by which Chromium finds no other hosts.
const onlyLoopback = "MAP * ~NOTFOUND , EXCLUDE 127.*"

// chromium returns the path of Chromium. It skips the test if there is none.
func chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("%s: no Chromium in PATH", t.Name())
	return ""
}

// View is what a person sees of a page.
type View struct {
	// Text is the visible text with white space folded, Characters the number of its characters without white space.
	Text       string `json:"text"`
	Characters int    `json:"characters"`
	// Width is the width of the page in CSS pixels, ScreenWidth the width of the screen.
	Width       float64 `json:"width"`
	ScreenWidth float64 `json:"screen_width"`
	// Height is the height of the page.
	Height float64 `json:"height"`
	// Column is the width of the main text as a share of the screen.
	Column float64 `json:"column"`
	// Paragraphs are the blocks of text with more than a word or two, including titles, from the top of the page.
	Paragraphs []Paragraph `json:"paragraphs"`
	// Scrolls says that a reader can reach all of the page.
	Scrolls bool `json:"scrolls"`
	// Actions counts the visible fields, buttons and links that turn pages.
	Actions int `json:"actions"`
	// Marked counts the visible elements of class act, which must stay according to a test.
	Marked int `json:"marked"`
	// Bytes is the number of bytes that the page and everything that it loaded took on the wire.
	Bytes int `json:"bytes"`
	// Errors are the errors of scripts, and errors that scripts report.
	Errors []string `json:"errors"`
}

// Paragraph is a block of text: its beginning, and its distance from the top of the page in CSS pixels.
type Paragraph struct {
	Start string  `json:"start"`
	Top   float64 `json:"top"`
}

// Before returns how far a reader scrolls to the first text that v shows, in v and in the page as it was before. ok is
// false if they have no paragraph in common.
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

// Look shows the page at a URL on a phone, with an empty cache, and returns what is there after its scripts have run.
func (b *Browser) Look(ctx context.Context, url string) (v View, err error) {
	err = b.visit(ctx, url, func(tab context.Context) error {
		v, err = chromedp.Run(tab, chromedp.Evaluate[View](lookScript))
		return err
	})
	return v, err
}

// LookUntil is Look, again and again on one page until done is satisfied or some seconds have passed: scripts may be
// late on a busy machine.
func (b *Browser) LookUntil(ctx context.Context, url string, done func(View) bool) (v View, err error) {
	err = b.visit(ctx, url, func(tab context.Context) error {
		v, err = lookUntil(tab, done)
		return err
	})
	return v, err
}

// LookAfterClick is LookUntil, then a click on the element of a selector, and another look at what the page's own
// scripts show then. next says whether a view is that after the click, given the view before.
func (b *Browser) LookAfterClick(ctx context.Context, url, selector string, done func(View) bool, next func(was, is View) bool) (v View, err error) {
	err = b.visit(ctx, url, func(tab context.Context) error {
		was, err := lookUntil(tab, done)
		if err != nil {
			return err
		}
		if _, err := chromedp.Run(tab, chromedp.Evaluate[any]("document.querySelector("+strconv.Quote(selector)+").click()")); err != nil {
			return fmt.Errorf("clicking %s: %w", selector, err)
		}
		v, err = lookUntil(tab, func(is View) bool { return next(was, is) })
		return err
	})
	return v, err
}

// lookUntil looks at a page for ten seconds, or until it is done.
func lookUntil(tab context.Context, done func(View) bool) (View, error) {
	const looks, pause = 50, 200 * time.Millisecond
	for n := 1; ; n++ {
		v, err := chromedp.Run(tab, chromedp.Evaluate[View](lookScript))
		if err != nil || done(v) || n == looks {
			return v, err
		}
		if err := chromedp.Do(tab, chromedp.Sleep(pause)); err != nil {
			return v, err
		}
	}
}

// Ask shows the page at a URL on a phone, runs a script in it when its own scripts have run, and returns what that
// evaluates to. A promise is waited for.
func (b *Browser) Ask(ctx context.Context, url, script string) (answer string, err error) {
	err = b.visit(ctx, url, func(tab context.Context) error {
		answer, err = chromedp.Run(tab, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
		return err
	})
	return answer, err
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
