package write_test

import (
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
)

// The reader fits a screen of 320 pixels and more, with any contents.
func TestReaderInChromium(t *testing.T) {
	b := browsertest.Start(t)
	pages := pagetest.ReadPages(t, filepath.Join("testdata", "forms", "*.html"))
	srv := pagetest.ServePages(t, pages, "", "")
	for name := range pages {
		for _, mode := range []page.Mode{page.ModeReader, page.ModeLite} {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				v := pagetest.Look(t, b, srv.URL+"/"+mode.String()+"/"+name)
				if v.Width > browsertest.Width || v.Characters == 0 || len(v.Errors) > 0 || v.Column < .85 {
					t.Errorf("view %+v", v)
				}
			})
		}
	}
}
