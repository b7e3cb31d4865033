package problem

import (
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
