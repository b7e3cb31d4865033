package page

import (
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/model/page/browsertest"
)

// The reader fits a screen of 320 pixels and more, with any contents.
func TestReaderInChromium(t *testing.T) {
	b := browsertest.Start(t)
	pages := readPages(t, filepath.Join("testdata", "forms", "*.html"))
	srv := servePages(t, pages, "", "")
	for name := range pages {
		for _, mode := range []Mode{ModeReader, ModeLite} {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				v := look(t, b, srv.URL+"/"+mode.String()+"/"+name)
				if v.Width > browsertest.Width || v.Characters == 0 || len(v.Errors) > 0 || v.Column < .85 {
					t.Errorf("view %+v", v)
				}
			})
		}
	}
}
