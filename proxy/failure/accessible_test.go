//go:build full

package failure

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/winnow-proxy/winnow/model/page/browsertest"
)

// axe-core finds nothing wrong with the page that explains a failure, light and dark, on a screen of 320 pixels.
func TestPageIsAccessible(t *testing.T) {
	axe := browsertest.AxeSource(t)
	b := browsertest.Start(t)
	pages, err := NewPages(func(Reason) {})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.Write(w, r, New(http.StatusBadGateway, Refused, "The site refuses the connection", "Nothing answers at a.very-long-name-of-a-host-that-has-no-end.example.org."))
	}))
	defer srv.Close()
	for _, dark := range []bool{false, true} {
		f, err := b.Audit(t.Context(), srv.URL, browsertest.Audit{Width: 320, Dark: dark, Axe: axe})
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Violations) > 0 || f.Overflow > 0 || f.Title == "" {
			t.Errorf("dark: %t: %+v", dark, f)
		}
	}
	browsertest.CheckAccessibility(t, srv.URL)
}
