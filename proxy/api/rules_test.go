package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/winnow-proxy/winnow/model/cssrules"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/api"
)

// magazine is an origin with a first page that links to stories, in an encoding of its own. asked counts the requests.
func magazine(t *testing.T, asked *atomic.Int64) (host string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/html; charset=windows-1252")
		var links, text strings.Builder
		for i := range 12 {
			fmt.Fprintf(&links, `<li><a href="/story/%d">Story number %d of the caf%c</a></li>`, i, i, 0xe9)
			fmt.Fprintf(&text, "<p>On day %d of %s we saw as much water as on the day before, and nobody on board of the caf\xe9 could say what it was.</p>", i, r.URL.Path)
		}
		list := strings.ReplaceAll(links.String(), "é", "\xe9")
		if r.URL.Path == "/" {
			fmt.Fprintf(w, `<!DOCTYPE html><title>Mole</title><nav class="menu"><a href="/about.pdf">About</a> <a href="/missing">Missing</a></nav><main><h1>Mole</h1><p>What the people of the mole have told us, day by day, of the water, of the boats, and of what they had hoped to see from there.</p>
<p>Whoever was there may write to us, and we print it, as long as it is true, is about the mole, and has not been told here before.</p><ul>%s</ul></main><footer class="foot">Printed on the mole. All rights reserved.</footer>`, list)
			return
		}
		if !strings.HasPrefix(r.URL.Path, "/story/") {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `<!DOCTYPE html><title>%[1]s - Mole</title><nav class="menu"><ul>%[2]s</ul></nav><main><h1>%[1]s</h1>%[3]s</main><footer class="foot">Printed on the mole. All rights reserved.</footer>`, r.URL.Path, list, text.String())
	}))
	t.Cleanup(srv.Close)
	return strings.TrimPrefix(srv.URL, "http://")
}

// Rules of a host that was never seen come from pages that its first page links to: as a file, or as JSON.
func TestTemplateRules(t *testing.T) {
	w := newWorld(t)
	var asked atomic.Int64
	host := magazine(t, &asked)
	resp, text := w.get("/api/v1/template", url.Values{"host": {host}, "as": {"ublock"}, "pages": {"10"}})
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Fatalf("%s, %s: %s", resp.Status, resp.Header, text)
	}
	for _, want := range []string{"127.0.0.1##.menu\n", "127.0.0.1##.foot\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if n := asked.Load(); n > 13 {
		t.Errorf("%d requests for 10 pages", n)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.api+"/api/v1/template?as=ftr&url="+url.QueryEscape("http://"+host+"/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	_, text = w.do(req)
	var d cssrules.Document
	if err := json.Unmarshal([]byte(text), &d); err != nil || d.Report == nil {
		t.Fatalf("%v: %s", err, text)
	}
	if d.Host != host || d.As != cssrules.FTR || d.Learned != 8 || d.Tested != 2 || d.Hold.F1 < .9 || len(d.Hold.Rules) == 0 || !strings.Contains(d.Text, "\nbody: //") {
		t.Errorf("the rules are %s", text)
	}
}

// A link that leads to another host, or to a page that is there already, gives no page, and is no failure.
func TestTemplateRulesOfRedirects(t *testing.T) {
	w := newWorldWith(t, []string{"127.0.0.0/8"})
	story := func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(rw, `<!DOCTYPE html><title>%[1]s</title><main><h1>%[1]s</h1><p>On %[1]s we saw as much water as on the day before.</p>`, r.URL.Path)
	}
	other := httptest.NewServer(http.HandlerFunc(story))
	t.Cleanup(other.Close)
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch {
		case strings.HasPrefix(r.URL.Path, "/away/"):
			http.Redirect(rw, r, other.URL+"/story"+r.URL.Path, http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/again/"):
			http.Redirect(rw, r, "/story/0", http.StatusFound)
		default:
			story(rw, r)
			for i := range 3 {
				fmt.Fprintf(rw, `<a href="/story/%[1]d">One</a> <a href="/away%[2]s/%[1]d">Two</a> <a href="/again%[2]s/%[1]d">Three</a>`, i, r.URL.Path)
			}
		}
	}))
	t.Cleanup(srv.Close)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.api+"/api/v1/template?as=ftr&url="+url.QueryEscape(srv.URL+"/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	_, text := w.do(req)
	var d cssrules.Document
	if err := json.Unmarshal([]byte(text), &d); err != nil || d.Report == nil {
		t.Fatalf("%v: %s", err, text)
	}
	if d.Learned+d.Tested != 4 || d.Left != 0 {
		t.Errorf("rules from %d pages, %d left, of 4: %s", d.Learned+d.Tested, d.Left, text)
	}
	if n := asked.Load(); n > 40 {
		t.Errorf("%d requests for 10 pages", n)
	}
}

// watched is a Cleaner that tells before it cleans.
type watched struct {
	api.Cleaner
	before func(r *http.Request)
}

func (c watched) Clean(req *http.Request, resp *http.Response, who access.Identity) error {
	c.before(req)
	return c.Cleaner.Clean(req, resp, who)
}

// Where the pages teach, each is judged when all have been learned; where they don't, each is judged once.
func TestTemplateRulesLearnFirst(t *testing.T) {
	for _, learns := range []bool{true, false} {
		var w *world
		var asked, taught, judged atomic.Int64
		w = newWorld(t, func(o *api.Options) {
			o.Cleaner = watched{o.Cleaner, func(r *http.Request) {
				if r.Header.Get("Winnow-Learn") != "off" {
					taught.Add(1)
					return
				}
				judged.Add(1)
				if n := w.models.Counters().Learned; learns && n != 10 {
					t.Errorf("a page is judged when %d of 10 pages are learned", n)
				}
			}}
		})
		resp, text := w.get("/api/v1/template", url.Values{"host": {magazine(t, &asked)}, "as": {"ublock"}, "learn": {fmt.Sprint(learns)}})
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", resp.Status, text)
		}
		want := int64(0)
		if learns {
			want = 10
		}
		if taught.Load() != want || judged.Load() != 10 {
			t.Errorf("learn=%v: %d pages taught, %d were judged, of 10", learns, taught.Load(), judged.Load())
		}
	}
}

// While pages are judged, the others are kept as text, not as trees, which are many times as large.
func TestTemplateRulesKeepNoTrees(t *testing.T) {
	const pages, size = 8, 30 << 10
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(rw, "<!DOCTYPE html><title>%[1]s</title><main><h1>%[1]s</h1>", r.URL.Path)
		for i := range pages - 1 {
			fmt.Fprintf(rw, `<a href="/%d">Next</a>`, i)
		}
		fmt.Fprint(rw, strings.Repeat("<p>a", size/len("<p>a")))
	}))
	t.Cleanup(srv.Close)
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what pools keep goes with the second
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var before, during atomic.Int64
	w := newWorld(t, func(o *api.Options) {
		o.Cleaner = watched{o.Cleaner, func(*http.Request) {
			if during.Load() == 0 {
				during.Store(heap())
			}
		}}
	})
	before.Store(heap())
	_, text := w.get("/api/v1/template", url.Values{"url": {srv.URL + "/"}, "as": {"ftr"}, "pages": {fmt.Sprint(pages)}, "learn": {"false"}})
	grown := during.Load() - before.Load()
	if during.Load() == 0 || grown > 8*pages*size {
		t.Errorf("%d bytes are kept for %d pages of %d bytes: %.200s", grown, pages, size, text)
	}
}

// The trees that rules are made from are charged to who asks: where there is no memory for all, fewer pages have to do,
// and where there is none for one, there are no rules.
func TestTemplateRulesChargeTrees(t *testing.T) {
	for _, c := range []struct{ bytes, least, most int }{{300 << 10, 1, 5}, {8 << 20, 10, 10}} {
		w := newWorld(t, withMemory(t, c.bytes))
		var asked atomic.Int64
		q := url.Values{"url": {"http://" + magazine(t, &asked) + "/"}, "as": {"ublock"}, "pages": {"10"}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.api+"/api/v1/template?"+q.Encode(), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "application/json")
		for range 3 { // what was taken is given back
			_, text := w.do(req)
			var d cssrules.Document
			if err := json.Unmarshal([]byte(text), &d); err != nil || d.Report == nil || d.Learned+d.Tested < c.least || d.Learned+d.Tested > c.most {
				t.Errorf("with %d bytes: %v, %.300s", c.bytes, err, text)
			}
		}
	}
	w := newWorld(t, withMemory(t, 20<<10))
	var asked atomic.Int64
	resp, text := w.get("/api/v1/template", url.Values{"url": {"http://" + magazine(t, &asked) + "/"}, "as": {"ublock"}})
	if resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("without memory for a page: %s, %s", resp.Status, text)
	}
}

// What is wrong with a request is said by name, before a page is fetched.
func TestBadTemplateRules(t *testing.T) {
	w := newWorld(t)
	var asked atomic.Int64
	host := magazine(t, &asked)
	for name, tc := range map[string]struct {
		params url.Values
		want   string
	}{
		"unknown form":  {url.Values{"host": {host}, "as": {"opml"}}, `"opml" is not one of ublock`},
		"empty form":    {url.Values{"host": {host}, "as": {""}}, `"" is not one of ublock`},
		"no pages":      {url.Values{"host": {host}, "as": {"ftr"}, "pages": {"0"}}, "want a number from 1 to 30"},
		"many pages":    {url.Values{"host": {host}, "as": {"ftr"}, "pages": {"31"}}, "want a number from 1 to 30"},
		"odd pages":     {url.Values{"host": {host}, "as": {"ftr"}, "pages": {"all"}}, "want a number from 1 to 30"},
		"no host":       {url.Values{"as": {"ftr"}}, "url is missing"},
		"host and url":  {url.Values{"as": {"ftr"}, "host": {host}, "url": {"http://" + host + "/"}}, "exclude each other"},
		"other setting": {url.Values{"as": {"ftr"}, "host": {host}, "colour": {"red"}}, "no parameter of that name"},
	} {
		resp, text := w.get("/api/v1/template", tc.params)
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(text, tc.want) && !strings.Contains(text, strings.ReplaceAll(tc.want, `"`, `\"`)) {
			t.Errorf("%s: %s: %s", name, resp.Status, text)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d pages were fetched", n)
	}
	resp, text := w.get("/api/v1/template", url.Values{"url": {w.origin + "/picture"}, "as": {"ftr"}})
	if resp.StatusCode < 400 || !strings.Contains(text, "detail") {
		t.Errorf("a picture: %s: %s", resp.Status, text)
	}
	resp, text = w.get("/api/v1/template", url.Values{"url": {w.origin + "/application"}, "as": {"ftr"}})
	if resp.StatusCode < 400 || !strings.Contains(text, "detail") {
		t.Errorf("an application: %s: %s", resp.Status, text)
	}
}

// What an origin withholds from others teaches nothing, fetched for rules or by itself.
func TestTemplateRulesTeachNothingPrivate(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.Header().Set("Cache-Control", "private, no-store")
		var links strings.Builder
		for i := range 8 {
			fmt.Fprintf(&links, `<li><a href="/log/%d">Log number %d</a></li>`, i, i)
		}
		_, _ = io.WriteString(rw, strings.Replace(logPage(r.URL.Path), "<body>", "<body><ul class=menu>"+links.String()+"</ul>", 1))
	}))
	t.Cleanup(srv.Close)
	w.get("/api/v1/template", url.Values{"host": {strings.TrimPrefix(srv.URL, "http://")}, "as": {"ublock"}, "pages": {"8"}})
	if err := w.models.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	hosts, err := w.models.Hosts(t.Context())
	if err != nil || len(hosts) > 0 {
		t.Errorf("%v: learned %+v", err, hosts)
	}
}
