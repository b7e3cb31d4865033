package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"image"
	"image/draw"
	"image/png"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// Together is how many pages [Browser.Shots] shows at once, each in a frame.
const Together = 24

// Frames returns a page that shows others, one below the other in frames of the given size.
func Frames(urls []string, width, height int) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><style>body{margin:0}iframe{display:block;border:0}</style>")
	for _, url := range urls {
		fmt.Fprintf(&b, `<iframe width="%d" height="%d" src="%s"></iframe>`, width, height, html.EscapeString(url))
	}
	return b.String()
}

// Shots returns what some pages show on a screen of the given size in pixels. The bytes of two shots are the same if
// the pictures are. frames returns the address of the [Frames] of up to Together pages from a number on.
func (b *Browser) Shots(ctx context.Context, pages, width, height int, frames func(from int) string) (shots [][]byte, err error) {
	tab, end := chromedp.NewContext(b.ctx)
	defer end()
	stop := context.AfterFunc(ctx, end)
	defer stop()
	if err := chromedp.Do(tab, chromedp.EmulateViewport(int64(width), int64(Together*height))); err != nil {
		return nil, fmt.Errorf("setting the screen: %w", err)
	}
	for n := 0; n < pages; n += Together {
		whole, err := screen(tab, frames(n))
		if err != nil {
			return nil, fmt.Errorf("looking at page %d and those after it: %w", n, err)
		}
		for i := range min(Together, pages-n) {
			tile := image.NewRGBA(image.Rect(0, 0, width, height))
			draw.Draw(tile, tile.Bounds(), whole, image.Pt(0, i*height), draw.Src)
			shots = append(shots, tile.Pix)
		}
	}
	return shots, nil
}

// screen returns what the screen of a tab shows of a page.
func screen(tab context.Context, url string) (image.Image, error) {
	within, cancel := context.WithTimeout(tab, 2*time.Minute)
	defer cancel()
	if err := chromedp.Do(within, chromedp.Navigate(url), chromedp.Sleep(300*time.Millisecond)); err != nil {
		return nil, err
	}
	shot, err := chromedp.Run(within, chromedp.CaptureScreenshot())
	if err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(shot))
}
