package failure

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"
)

// A person gets a page, a program plain text or a problem document, and each the reason in fields; nothing of the
// request is markup there.
func TestPages(t *testing.T) {
	counted := map[Reason]int{}
	pages, err := NewPages(func(r Reason) { counted[r]++ })
	if err != nil {
		t.Fatal(err)
	}
	f := New(http.StatusBadGateway, Refused, "It is <b>closed</b>", "Nothing at <script>a.test</script> answers.")
	for _, tc := range []struct {
		method, accept, contentType string
		has, hasNot                 string
	}{
		{http.MethodGet, "text/html,application/xhtml+xml", "text/html; charset=utf-8", "&lt;script&gt;a.test", "<script>"},
		{http.MethodGet, "TEXT/HTML", "text/html; charset=utf-8", "It is &lt;b&gt;closed", "<b>"},
		{http.MethodGet, "application/json", "application/problem+json", `"reason":"refused"`, "<html"},
		{http.MethodGet, "", "text/plain; charset=utf-8", "It is <b>closed</b>.\nNothing at", "<html"},
		{http.MethodHead, "text/html", "text/html; charset=utf-8", "", "closed"},
	} {
		req := httptest.NewRequest(tc.method, "http://a.test/", nil)
		req.Header.Set("Accept", tc.accept)
		w := httptest.NewRecorder()
		pages.Write(w, req, f)
		resp := w.Result()
		body, _ := io.ReadAll(resp.Body)
		if h := resp.Header; resp.StatusCode != http.StatusBadGateway || h.Get("Content-Type") != tc.contentType ||
			h.Get("Winnow") != "failed; reason="+string(Refused) || h.Get("Cache-Control") != "no-store" ||
			!strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s for %q: %d %v", tc.method, tc.accept, resp.StatusCode, h)
		}
		if !strings.Contains(string(body), tc.has) || strings.Contains(string(body), tc.hasNot) {
			t.Errorf("%s for %q:\n%s", tc.method, tc.accept, body)
		}
	}
	pages.Count(f)
	if counted[Refused] != 6 || len(counted) != 1 {
		t.Errorf("counted %v", counted)
	}
}

// An error that quotes what an origin sent is cut for the log, between characters.
func TestBrief(t *testing.T) {
	if got := Brief(errors.New("short")); got != "short" {
		t.Errorf("%q", got)
	}
	got := Brief(errors.New("x" + strings.Repeat("é", 500)))
	if len(got) > 210 || !utf8.ValidString(got) || !strings.HasSuffix(got, "é…") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}
