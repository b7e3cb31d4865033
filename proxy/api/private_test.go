package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// What an origin or an agent names leads to no address of this machine, although the client that asks may go there.
func TestOriginsNameNoPrivateAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asked atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.site(rw, r)
	}))
	t.Cleanup(inside.Close)
	outside := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(rw, r, inside.URL+"/log/1", http.StatusFound)
		case "/own":
			http.Redirect(rw, r, "/log/1", http.StatusFound)
		case "/feed":
			rw.Header().Set("Content-Type", "text/xml")
			fmt.Fprintf(rw, `<rss><channel><item><link>%s/log/2</link><description>Short.</description></item>`+
				`<item><link>/moved</link><description>Short.</description></item>`+
				`<item><link>/log/3</link><description>Short.</description></item></channel></rss>`, inside.URL)
		case "/robots.txt":
			http.NotFound(rw, r)
		case "/book":
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, `<!DOCTYPE html><title>Drawn</title><main><h1>Drawn</h1><p>The coast from the sea, as the mate drew it on a calm day.</p>
<p><img src="%s/picture" alt="Elsewhere" width="600" height="400"> <img src="/picture" alt="Here" width="600" height="400"></p></main>`, inside.URL)
		default:
			w.site(rw, r)
		}
	}))
	t.Cleanup(outside.Close)
	get := func(path string, q url.Values) (status int, body string) {
		t.Helper()
		resp, body := w.get(path, q)
		return resp.StatusCode, body
	}

	// A connection that the client opened itself does not serve those who follow.
	if status, body := get("/api/v1/clean", url.Values{"url": {inside.URL + "/log/1"}}); status != 200 || asked.Swap(0) != 1 {
		t.Fatalf("what the client names: %d %s", status, body)
	}
	if status, body := get("/api/v1/clean", url.Values{"url": {outside.URL + "/own"}}); status != 200 {
		t.Errorf("a redirect in its own place: %d %s", status, body)
	}
	for _, mode := range []string{"json", "markdown", "epub"} {
		if status, body := get("/api/v1/clean", url.Values{"url": {outside.URL + "/moved"}, "mode": {mode}}); status != 403 || !strings.Contains(body, `"denied"`) {
			t.Errorf("a redirect, %s: %d %.200s", mode, status, body)
		}
		if status, body := get("/api/v1/clean", url.Values{"url": {inside.URL + "/log/1"}, "mode": {mode}, "private": {"false"}}); status != 403 {
			t.Errorf("private=false, %s: %d %.200s", mode, status, body)
		}
	}
	if resp, _ := w.get("/feed", url.Values{"url": {outside.URL + "/feed"}}); resp.Header.Get("Winnow") != "feed; restored=1; complete=0; failed=2; waiting=0" {
		t.Errorf("a feed: %s", resp.Header.Get("Winnow"))
	}
	_, book := get("/api/v1/clean", url.Values{"url": {outside.URL + "/book"}, "mode": {"epub"}})
	if chapter := unzipped(t, book)["OEBPS/c001.xhtml"]; !strings.Contains(chapter, "[Elsewhere]") || !strings.Contains(chapter, `alt="Here"`) {
		t.Errorf("a book: %s", chapter)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests reached an address that an origin named", n)
	}
}

func TestAgentsReachNoPrivateAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, err := w.agent("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.server.Fetch(mustRequest(t, w.origin+"/log/1"), access.Identity{}); err == nil {
		t.Error("a request that says nothing reaches this machine")
	}
	for tool, args := range map[string]map[string]any{"read_page": {"url": w.origin + "/log/1"}, "list_removed": {"url": w.origin + "/log/1"},
		"read_site_template": {"url": w.origin + "/log/1"}} {
		if got, text := call(t, s, tool, args); !got.IsError || !strings.Contains(text, "denied") {
			t.Errorf("%s: %s", tool, text)
		}
	}
	if n := w.asked.Load(); n != 0 {
		t.Errorf("%d requests reached this machine", n)
	}
}

func mustRequest(t *testing.T, u string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}
