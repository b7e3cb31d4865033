package problem

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	for want, d := range map[string]Document{
		`{"type":"about:blank","title":"Not Found","status":404,"detail":"no such host"}`: {Status: 404, Detail: "no such host"},
		`{"type":"about:blank","title":"Wrong field","status":400,"detail":"d","reason":"request","header":"Winnow-Mode","value":"shiny"}`: {
			Title: "Wrong field", Status: 400, Detail: "d", Reason: "request", Header: "Winnow-Mode", Value: "shiny"},
		`{"type":"about:blank","title":"Bad Gateway","status":502,"detail":"d","parameter":"url","origin_status":503,"error":"d"}`: {
			Status: 502, Detail: "d", Parameter: "url", OriginStatus: 503, Message: "d"},
	} {
		w := httptest.NewRecorder()
		d.Write(w)
		if got := w.Body.String(); got != want+"\n" || w.Code != d.Status || w.Header().Get("Content-Type") != ContentType ||
			w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("got %d %v %s, want %s", w.Code, w.Header(), got, want)
		}
	}
}

func TestContain(t *testing.T) {
	var log strings.Builder
	serve := func(value any) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h := Contain(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(value) }), slog.New(slog.NewTextHandler(&log, nil)))
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/page", nil))
		return w
	}
	if w := serve("boom"); w.Code != 500 || strings.Contains(w.Body.String(), "boom") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if l := log.String(); !strings.Contains(l, "panic=boom") || !strings.Contains(l, "path=/page") || !strings.Contains(l, "problem_test.go") {
		t.Errorf("logged %s", l)
	}
	defer func() {
		if p := recover(); p != any(http.ErrAbortHandler) {
			t.Errorf("a handler that aborts: %v", p)
		}
	}()
	serve(http.ErrAbortHandler)
}

// A handler of this process is asked like an API: what it has, why it has nothing, and nothing that was cut.
func TestAsk(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Winnow-Part", "1")
			_, _ = io.WriteString(w, "twelve bytes")
		case "/gone":
			Document{Status: http.StatusGone, Detail: "it has left", Reason: "left"}.Write(w)
		default:
			w.WriteHeader(http.StatusTeapot)
		}
	})
	ask := func(path string, most int) (*Answer, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return Ask(handler, req, most)
	}
	if a, err := ask("/", 12); err != nil || string(a.Body) != "twelve bytes" || a.Header.Get("Winnow-Part") != "1" {
		t.Errorf("%v, %v", a, err)
	}
	if a, err := ask("/", 11); err == nil {
		t.Errorf("a longer answer than wanted: %q", a.Body)
	}
	var d Document
	if _, err := ask("/gone", 1000); !errors.As(err, &d) || d.Status != http.StatusGone || d.Reason != "left" {
		t.Errorf("a problem: %v", err)
	}
	if _, err := ask("/tea", 1000); err == nil || !strings.Contains(err.Error(), "418") {
		t.Errorf("no document: %v", err)
	}
}
