//go:build full

package portal

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/ownpages"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// fakeCA is a certificate that is none.
type fakeCA struct{}

func (fakeCA) PEM() []byte          { return nil }
func (fakeCA) DER() []byte          { return nil }
func (fakeCA) MobileConfig() []byte { return nil }
func (fakeCA) Fingerprint() string {
	return strings.TrimSuffix(strings.Repeat("AB:", 32), ":")
}

// The page has no fault that axe-core finds, and fits the screen. WINNOW_PICTURES names a folder for pictures.
func TestPageIsForEverybody(t *testing.T) {
	axe := browsertest.AxeSource(t)
	b := browsertest.Start(t)
	devices, err := sites.OpenDevices("", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(Options{Listen: "192.168.1.5:8080", CA: fakeCA{}, Forget: func(string) {}, Devices: devices, Site: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Scheme, r.URL.Host = "http", "winnow.internal" // as through the proxy
		h.ServeHTTP(w, r.WithContext((&exchange.Exchange{Name: "192.168.1.7"}).On(r.Context())))
	}))
	defer s.Close()
	for _, width := range []int64{320, 390, 1280} {
		a := browsertest.Audit{Width: width, Dark: width == 390, Axe: axe}
		if dir := os.Getenv("WINNOW_PICTURES"); dir != "" {
			a.Picture = filepath.Join(dir, fmt.Sprintf("portal-%d.png", width))
		}
		f, err := b.Audit(t.Context(), s.URL+"/", a)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Violations) > 0 || f.Overflow > 0 {
			t.Errorf("at %d pixels: %.0f pixels too wide; %s", width, f.Overflow, strings.Join(f.Violations, "\n"))
		}
	}
	browsertest.CheckAccessibility(t, s.URL+"/")
	if resp, err := http.Get(s.URL + ownpages.StylePath); err != nil || resp.StatusCode != 200 {
		t.Errorf("the style sheet: %v %v", resp, err)
	}
}
