package proxy

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// How sites can follow people by what a proxy for one person knows and says.

// withModels gives a world's proxy real models for one person.
func withModels(t *testing.T) (func(*Options), func()) {
	t.Helper()
	models := testmodels.Of(t, "sst")
	rw, err := pipeline.New(pipeline.Options{Models: models, Limits: testmodels.Patient(), Mode: page.ModeRemove, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	drain := func() {
		t.Helper()
		if err := models.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return func(o *Options) { o.Pipeline = rw }, drain
}

// tracked is a page with a part that a model finds to recur only once it has read such pages.
func tracked(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Etag", `"1"`)
	fmt.Fprintf(w, `<!DOCTYPE html><html><head><title>%[1]s</title></head><body><div class="a"><p>What stands on %[1]s stands nowhere else, and `+
		`is long enough for everybody who reads it.</p></div><div class="b"><p>One bit of a number stands on all of these pages, in so many words.</p></div></body></html>`, req.URL.Path)
}

// Frames in pages of other sites write bits into a host's model with the pages that they load, and read them by what is
// cut. A frame that leads itself on is one of its own site, says the browser.
func TestFramesNeitherTeachNorTell(t *testing.T) {
	t.Parallel()
	cleans, drain := withModels(t)
	r := newWorld(t, cleans)
	u := r.secureOrigin("127.0.1.9", "tracker.test", tracked)
	c := r.client(true)
	frame := func(path, dest, site string) (*http.Response, string) {
		t.Helper()
		resp, body := get(t, c, u+path, "Accept", "text/html", "Sec-Fetch-Dest", dest, "Sec-Fetch-Site", site)
		drain()
		return resp, body
	}
	program := func(path string) string {
		t.Helper()
		resp, _ := get(t, c, u+path, "Winnow-Learn", "off")
		return resp.Header.Get("Winnow")
	}
	before, first := frame("/read", "iframe", "cross-site")
	for i := range 8 {
		for _, dest := range []string{"iframe", "frame", "embed", "object", "fencedframe"} {
			frame(fmt.Sprint("/", dest, i), dest, []string{"cross-site", "same-origin"}[i%2])
		}
	}
	if told := program("/read"); !strings.Contains(told, "pages=0;") {
		t.Errorf("frames taught: %s", told)
	}
	for i := range 8 {
		get(t, c, u+fmt.Sprint("/page", i), "Accept", "text/html", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "none")
		drain()
	}
	if told := program("/read"); !strings.Contains(told, "pages=8;") {
		t.Fatalf("pages taught nothing: %s", told)
	}
	for _, site := range []string{"cross-site", "same-site", "same-origin"} {
		after, second := frame("/read", "iframe", site)
		if second != first || after.Header.Get("Winnow") != before.Header.Get("Winnow") || after.Header.Get("Etag") != before.Header.Get("Etag") {
			t.Errorf("a frame (%s) tells of the model: %v %s\nbefore: %v %s", site, after.Header, second, before.Header, first)
		}
	}
	_, body := get(t, c, u+"/read", "Accept", "text/html", "Sec-Fetch-Dest", "document")
	if body == first {
		t.Errorf("nothing to tell: %s", body)
	}
}

// What the field Winnow and JSON say of a model is for programs. A page's scripts read the header of their requests,
// and that of the page itself from the cache.
func TestScriptsAreToldNothingOfModels(t *testing.T) {
	t.Parallel()
	cleans, drain := withModels(t)
	r := newWorld(t, cleans)
	u := r.origin("127.0.1.10", tracked)
	c := r.client(false)
	for i := range 8 {
		get(t, c, u+fmt.Sprint("/page", i))
		drain()
	}
	for name, tc := range map[string]struct {
		header []string
		told   bool
	}{
		"a program":                      {nil, true},
		"a program that asks for a mode": {[]string{"Winnow-Mode", "remove"}, true},
		"a program that takes pages":     {[]string{"Accept", "text/html", "User-Agent", "Mozilla/5.0 crawler"}, true},
		"a page over HTTPS":              {[]string{"Accept", "text/html", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "none"}, false},
		"a page over HTTP":               {browserOverHTTP(), false},
		"a script over HTTP":             {[]string{"Accept", "*/*", "Accept-Language", "en", "Winnow-Mode", "remove"}, false},
	} {
		header := slices.Concat(tc.header, []string{"Winnow-Learn", "off"})
		if resp, _ := get(t, c, u+"/1", header...); strings.Contains(resp.Header.Get("Winnow"), "pages=") != tc.told ||
			!strings.Contains(resp.Header.Get("Winnow"), "removed=") {
			t.Errorf("%s: %s", name, resp.Header.Get("Winnow"))
		}
		resp, body := get(t, c, u+"/2", append(header, "Winnow-Mode", "json")...)
		var d jsondoc.Document
		if err := json.Unmarshal([]byte(body), &d); err != nil {
			t.Fatalf("%s: %s: %v", name, resp.Header.Get("Winnow"), err)
		}
		if told := d.Pages > 0; told != tc.told {
			t.Errorf("%s: JSON tells of %d pages", name, d.Pages)
		}
	}
}
