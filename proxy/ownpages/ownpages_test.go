package ownpages

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/winnow-proxy/winnow/proxy/words"
)

func TestForPeople(t *testing.T) {
	for got, want := range map[string]string{
		Bytes(0): "0 bytes", Bytes(int64(999)): "999 bytes", Bytes(1500): "1.5 kB", Bytes(uint64(345_678)): "346 kB", Bytes(2.5e9): "2.5 GB", Bytes("x"): "0 bytes",
		Count(0): "0", Count(999): "999", Count(uint64(1234567)): "1\u202f234\u202f567",
		Percent(.634): "63 %", Percent(0): "0 %",
		Span(0): "0 s", Span(90 * time.Second): "1 min", Span(26 * time.Hour): "1 d 2 h", Span(3*time.Hour + 5*time.Minute): "3 h 5 min", Span(-1): "0 s",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A token is good for one client and one ask, for an hour or two.
func TestTokens(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC)
	tokens := NewTokens(func() time.Time { return now })
	token := tokens.For("ada", "forget", "a.test")
	if !tokens.Check(token, "ada", "forget", "a.test") {
		t.Error("a token is no good")
	}
	for _, other := range [][]string{{"bob", "forget", "a.test"}, {"ada", "teach", "a.test"}, {"ada", "forget", "a", ".test"}, {"", "forget", "a.test"}} {
		if tokens.Check(token, other[0], other[1:]...) {
			t.Errorf("it is good for %q", other)
		}
	}
	now = now.Add(time.Hour)
	if !tokens.Check(token, "ada", "forget", "a.test") {
		t.Error("it is too old after an hour")
	}
	now = now.Add(time.Hour)
	if tokens.Check(token, "ada", "forget", "a.test") || NewTokens(nil).Check(token, "ada", "forget", "a.test") {
		t.Error("it is good for ever, or everywhere")
	}
}

// A page fills in the layout, and one that does not parse is an error that names it.
func TestParse(t *testing.T) {
	files := fstest.MapFS{
		"good.html": {Data: []byte(`{{define "title"}}A & B{{end}}{{define "main"}}<p>{{.}}</p>{{end}}`)},
		"bad.html":  {Data: []byte(`{{define "main"}}{{.`)},
	}
	good, err := Parse(files, "good.html", words.All())
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("Accept-Language", "ar")
	if err := Write(w, request, http.StatusOK, good, "<b>", ""); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(w.Body.String(), `<link rel="icon" href="data:image/svg+xml,`) {
		t.Error("browsers would ask for an icon, and get 404")
	}
	for _, part := range []string{`<html lang="ar" dir="rtl">`, "<title>A & B</title>", `<div class="wrap narrow">`, "<p>&lt;b&gt;</p>"} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("no %s in %s", part, w.Body)
		}
	}
	for _, name := range []string{"bad.html", "missing.html"} {
		if _, err := Parse(files, name, words.All()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
