package proxy

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page/browsertest"
)

// Somebody chooses the original on winnow's own page, and gets it on every site, in this browser and no program; what
// is chosen for a single site goes before it, and the choice can be taken back.
func TestADeviceChoosesForAllSites(t *testing.T) {
	r := newWorld(t, withTeaching(t, everybody))
	sites := []string{r.origin("127.0.1.1", servePromises), r.origin("127.0.1.2", servePromises)}
	b := browsertest.StartBehind(t, r.addr)
	hasBar := func(site string) bool {
		t.Helper()
		_, body := browse(t, r.client(false), site+"/1", "document") // the same device, as winnow knows it
		if !strings.Contains(body, "A story that is long enough") {
			t.Fatalf("%s: %s", site, body)
		}
		return strings.Contains(body, ">winnow</a></winnow-bar>")
	}
	choose := func(mode string) {
		t.Helper()
		if title, err := b.Fill(t.Context(), "http://winnow.internal/", map[string]string{mode: "on"}, "Choose"); err != nil || !strings.Contains(title, "winnow") {
			t.Fatalf("%q, %v", title, err)
		}
	}
	for _, c := range []struct {
		mode string
		bar  bool
	}{{"Cleaned", true}, {"Original", false}, {"Cleaned", true}} {
		choose(c.mode)
		for _, site := range sites {
			if hasBar(site) != c.bar {
				t.Errorf("%s, %s: a bar is there: %v", c.mode, site, !c.bar)
			}
		}
	}
	choose("Original")
	if resp, _ := get(t, r.client(false), sites[0]+"/1"); !strings.HasPrefix(resp.Header.Get("Winnow"), "cleaned") {
		t.Errorf("a program gets %s", resp.Header.Get("Winnow"))
	}
	form := url.Values{"mode": {"reader"}}
	for name, header := range map[string][]string{"another site's form": {"Origin", "http://evil.test"}, "a form without its token": nil} {
		if resp := post(t, r.client(false), "http://winnow.internal/mode", form, header...); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
	_, body := get(t, r.client(false), "http://winnow.internal/")
	form = fields(t, body, "Choose")
	form.Set("mode", "json")
	if resp := post(t, r.client(false), "http://winnow.internal/mode", form); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a mode that devices can't choose: %s", resp.Status)
	}
}
