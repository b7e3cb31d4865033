//go:build full

package write_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
)

// Templates in all kinds of layout, with styles that could show hidden noise again.
func TestAutoInChromium(t *testing.T) {
	b := browsertest.Start(t)
	pages := pagetest.ReadPages(t, filepath.Join("source", "testdata", "layouts", "*.html"))
	for _, policy := range []struct {
		name, csp string
		column    float64
	}{{"free", "", .85}, {"strict", "style-src 'self'; script-src 'self' 'unsafe-inline'", 0}} {
		srv := pagetest.ServePages(t, pages, policy.csp, filepath.Join("source", "testdata", "layouts"))
		for name, src := range pages {
			if policy.csp != "" && strings.Contains(src, "<style") {
				continue // its own styles would not run
			}
			direct := pagetest.Look(t, b, srv.URL+"/direct/"+name)
			for _, mode := range []page.Mode{page.ModeAuto, page.ModeHide} {
				t.Run(policy.name+"/"+name+"/"+mode.String(), func(t *testing.T) {
					pagetest.CheckView(t, direct, pagetest.Look(t, b, srv.URL+"/"+mode.String()+"/"+name), policy.column)
				})
			}
		}
	}
}

// axe-core finds no faults in the reader's pages, light and dark, on a screen of 320 pixels, and they fit it.
func TestReaderIsAccessible(t *testing.T) {
	axe := browsertest.AxeSource(t)
	b := browsertest.Start(t)
	pages := pagetest.ReadPages(t, filepath.Join("testdata", "forms", "*.html"))
	srv := pagetest.ServePages(t, pages, "", "")
	var urls []string
	for name := range pages {
		for _, mode := range []page.Mode{page.ModeReader, page.ModeLite} {
			urls = append(urls, srv.URL+"/"+mode.String()+"/"+name)
			for _, dark := range []bool{false, true} {
				f, err := b.Audit(t.Context(), srv.URL+"/"+mode.String()+"/"+name, browsertest.Audit{Width: 320, Dark: dark, Axe: axe})
				if err != nil {
					t.Fatal(err)
				}
				if len(f.Violations) > 0 || f.Overflow > 0 || f.Title == "" {
					t.Errorf("%s, %s (dark: %t): %+v", name, mode, dark, f)
				}
			}
		}
	}
	browsertest.CheckAccessibility(t, urls...)
}
