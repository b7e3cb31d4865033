//go:build full

package admin

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
)

// Someone with a keyboard and without script sets a site right: labels say what fields are for, and the button sends
// them.
func TestSettingsWithoutScript(t *testing.T) {
	o, _ := withSites(t)
	s := httptest.NewUnstartedServer(nil)
	o.Addr = s.Listener.Addr().String()
	s.Config.Handler = New(o)
	s.Start()
	defer s.Close()
	b := browsertest.Start(t)
	// The script stands for the person; the page has none, and its policy allows none.
	title, err := b.Fill(t.Context(), s.URL+"/hosts/news.example", map[string]string{
		"What browsers and programs get that ask for nothing else": "lite", "Leave this site alone": "on", "Parts that always go": ".promo"}, "Save")
	if err != nil {
		t.Fatal(err)
	}
	got := o.Sites.Get("news.example")
	if got.Mode == nil || *got.Mode != page.ModeLite || !got.Bypass || strings.Join(got.Remove, "") != ".promo" || !strings.Contains(title, "news.example") {
		t.Errorf("%q: %+v", title, got)
	}
}
