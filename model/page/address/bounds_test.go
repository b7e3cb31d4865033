package address

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
)

// To resolve addresses takes as much as the page allows, and no more: the rest stays as it is.
func TestResolvingIsCharged(t *testing.T) {
	for name, ref := range map[string]string{"short": "/y", "up": strings.Repeat("x/", 500) + strings.Repeat("../", 500)} {
		p, err := page.Parse([]byte(`<base href="http://a.example/`+strings.Repeat("x/", 2_000)+`"><p>x`), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		at := Of(p, "http://a.example/")
		resolved := 0
		for at.Resolve(ref) != ref {
			resolved++
		}
		each := 4_000 * (1 + strings.Count(ref, ".."))
		if most := (workPerByte*len(p.Source) + spareWork) / each; resolved == 0 || resolved > most {
			t.Errorf("%s: %d are resolved, at most %d should be", name, resolved, most)
		}
	}
}
