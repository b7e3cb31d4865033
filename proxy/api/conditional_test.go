package api_test

import (
	"net/http"
	"net/url"
	"testing"
)

// A program that watches a page asks with the tag that it got, and is told that nothing has changed where no more than
// the template has.
func TestConditionalRequests(t *testing.T) {
	w := newWorld(t)
	ask := func(path, mode, has string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.api+"/api/v1/clean?"+url.Values{"url": {w.origin + path}, "mode": {mode}}.Encode(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if has != "" {
			req.Header.Set("If-None-Match", has)
		}
		return w.do(req)
	}
	for _, mode := range []string{"markdown", "remove"} {
		first, text := ask("/visited", mode, "")
		tag := first.Header.Get("Etag")
		if tag == "" {
			t.Fatalf("%s: no ETag: %s", mode, text)
		}
		asked := w.asked.Load()
		if again, text := ask("/visited", mode, tag); again.StatusCode != http.StatusNotModified || again.Header.Get("Etag") != tag || text != "" {
			t.Errorf("%s: %s, ETag %q, want %q: %s", mode, again.Status, again.Header.Get("Etag"), tag, text)
		}
		if w.asked.Load() != asked+1 {
			t.Errorf("%s: the origin was not asked", mode)
		}
		if other, _ := ask("/log/1", mode, tag); other.StatusCode != http.StatusOK {
			t.Errorf("%s: another page: %s", mode, other.Status)
		}
	}
}
