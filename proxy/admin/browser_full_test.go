//go:build full

package admin

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// Each page has no fault that axe-core finds, and fits the screen, on a small phone and on a large screen, light and
// dark. WINNOW_PICTURES names a folder for pictures of them.
func TestPagesAreForEverybody(t *testing.T) {
	axe := browsertest.AxeSource(t)
	b := browsertest.Start(t)
	set, _ := withSites(t)
	reader := page.ModeReader
	if err := set.Sites.Import(map[string]sites.Settings{"news.example": {Mode: &reader, KeepKinds: page.Kinds(page.KindRelated), Remove: []string{".a-rather-long-class-name > div.with-another-one:nth-of-type(3)", "#b"}},
		"a-rather-long-name-of-a-site.with.many.labels.example": {Bypass: true}}); err != nil {
		t.Fatal(err)
	}
	var urls []string
	for name, o := range map[string]Options{"busy": set, "empty": {Models: &fakeModels{}, Proxy: "127.0.0.1:8080", Version: "1.4.0"}} {
		s := httptest.NewUnstartedServer(nil)
		o.Addr = s.Listener.Addr().String()
		s.Config.Handler = New(o)
		s.Start()
		t.Cleanup(s.Close)
		paths := []string{"/"}
		if name == "busy" {
			paths = append(paths, "/hosts/news.example", "/hosts/wiki.example?done=save", "/hosts/new.example")
		}
		for i, path := range paths {
			urls = append(urls, s.URL+path)
			for _, width := range []int64{320, 390, 1280} {
				a := browsertest.Audit{Width: width, Dark: width == 390, Axe: axe}
				if dir := os.Getenv("WINNOW_PICTURES"); dir != "" {
					a.Picture = filepath.Join(dir, fmt.Sprintf("admin-%s-%d-%d.png", name, i, width))
				}
				f, err := b.Audit(t.Context(), s.URL+path, a)
				if err != nil {
					t.Fatal(err)
				}
				if len(f.Violations) > 0 || f.Overflow > 0 {
					t.Errorf("%s%s at %d pixels: %.0f pixels too wide; %s", name, path, width, f.Overflow, strings.Join(f.Violations, "\n"))
				}
			}
		}
	}
	browsertest.CheckAccessibility(t, urls...)
}

// Everything on the pages is within reach of the Tab key, in order, on the screen and with a mark of focus. The screen
// is 320 pixels wide.
func TestPagesByKeyboard(t *testing.T) {
	b := browsertest.Start(t)
	o, _ := withSites(t)
	s := httptest.NewUnstartedServer(nil)
	o.Addr = s.Listener.Addr().String()
	s.Config.Handler = New(o)
	s.Start()
	t.Cleanup(s.Close)
	for path, want := range map[string]string{"/": "news.example", "/hosts/news.example": "Save"} {
		reached, faults, err := b.WalkByKeyboard(t.Context(), s.URL+path, 320)
		if err != nil {
			t.Fatal(err)
		}
		if len(faults) > 0 || len(reached) == 0 || reached[0] != "Skip to the content" || !slices.Contains(reached, want) {
			t.Errorf("%s: reached %q, faults %q", path, reached, faults)
		}
	}
}

// Forms forget a host and try a certificate again, and only those that this address has shown.
func TestForms(t *testing.T) {
	o := busy()
	send := serve(t, o)
	base := ""
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, body := send("GET", "/hosts/news.example")
	base = "http://" + resp.Request.URL.Host
	token := regexp.MustCompile(`name="token" value="([0-9a-f]+)"`).FindStringSubmatch(body)
	if token == nil {
		t.Fatal(body)
	}
	post := func(path string, form url.Values) int {
		t.Helper()
		resp, err := client.PostForm(base+path, form)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	for path, want := range map[string]int{"/hosts/wiki.example": 403, "/hosts/nonesuch.test": 404, "/passthrough": 400} {
		if got := post(path, url.Values{"token": {token[1]}}); got != want {
			t.Errorf("%s with a foreign token: %d, want %d", path, got, want)
		}
	}
	if got := post("/hosts/news.example", url.Values{}); got != 403 {
		t.Errorf("without a token: %d", got)
	}
	if o.Savings.Host("news.example").Pages == 0 {
		t.Fatal("something was forgotten")
	}
	if got := post("/hosts/news.example", url.Values{"token": {token[1]}}); got != 303 {
		t.Errorf("the form: %d", got)
	}
	if resp, _ := send("GET", "/hosts/news.example"); resp.StatusCode != 404 || o.Savings.Host("news.example").Pages != 0 {
		t.Errorf("a forgotten host: %s", resp.Status)
	}
	_, body = send("GET", "/")
	_, section, _ := strings.Cut(body, `id="passing"`)
	token = regexp.MustCompile(`name="token" value="([0-9a-f]+)"`).FindStringSubmatch(section)
	if got := post("/passthrough", url.Values{"client": {"192.168.1.20"}, "host": {"other.example"}, "token": {token[1]}}); got != 403 {
		t.Errorf("another host's token: %d", got)
	}
	if got := post("/passthrough", url.Values{"client": {"192.168.1.20"}, "host": {"app.example"}, "token": {token[1]}}); got != 303 || len(o.Passthrough.Passthrough()) != 0 {
		t.Errorf("trying again: %d", got)
	}
	if _, body := send("GET", "/api/v1/counters"); !strings.Contains(body, `"cleaned":"`) || !strings.Contains(body, `"learned":"42"`) {
		t.Errorf("counters: %s", body)
	}
}
