package pipeline

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
)

func TestResponseReason(t *testing.T) {
	html := func(more ...string) http.Header {
		return header(append([]string{"Content-Type", "text/html"}, more...)...)
	}
	tests := []struct {
		name   string
		status int
		header http.Header
		want   Reason
	}{
		{"page", 200, html(), ""},
		{"XHTML with parameters", 200, header("Content-Type", " Application/XHTML+XML ; charset=\""), ""},
		{"error page", 404, html(), ReasonStatus},
		{"redirect", 301, html(), ReasonStatus},
		{"part", 206, html("Content-Range", "bytes 0-4/9"), ReasonRange},
		{"part in disguise", 200, html("Content-Range", "bytes 0-4/9"), ReasonRange},
		{"not modified", 304, header(), ReasonNotModified},
		{"upgraded", 101, header(), ReasonUpgrade},
		{"picture", 200, header("Content-Type", "image/png"), ReasonType},
		{"no type", 200, header(), ReasonType},
		{"two types", 200, html("Content-Type", "text/plain"), ReasonType},
		{"one type twice", 200, html("Content-Type", "text/html; charset=utf-8"), ""},
		{"two types in one line", 200, header("Content-Type", "text/html, text/plain"), ReasonType},
		{"events", 200, header("Content-Type", "text/event-stream"), ReasonEventStream},
		{"no-transform", 200, html("Cache-Control", "max-age=5, No-Transform"), ReasonNoTransform},
		{"no-transform on a second line", 200, html("Cache-Control", "public", "Cache-Control", "no-transform"), ReasonNoTransform},
		{"no-transform inside a string", 200, html("Cache-Control", `ext="a, no-transform, b"`), ""},
		{"attachment", 200, html("Content-Disposition", "Attachment; filename=a.html"), ReasonAttachment},
		{"inline", 200, html("Content-Disposition", "inline"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := responseReason(&http.Response{StatusCode: tt.status, Header: tt.header}); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRequestReason(t *testing.T) {
	tests := []struct {
		name   string
		header http.Header
		want   Reason
	}{
		{"plain", header(), ""},
		{"navigation", header("Sec-Fetch-Dest", "document"), ""},
		{"frame", header("Sec-Fetch-Dest", "iframe"), ""},
		{"fetch", header("Sec-Fetch-Dest", "empty"), ReasonFragment},
		{"script", header("Sec-Fetch-Dest", "script"), ReasonFragment},
		{"XHR of an old library", header("X-Requested-With", "XMLHttpRequest"), ReasonFragment},
		{"pip", header("Accept", "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01"), ReasonFragment},
		{"a browser of old", header("Accept", "text/html, application/vnd.ms-excel, */*"), ""},
		{"data or anything", header("Accept", "application/vnd.api+json, */*;q=0.1"), ""},
		{"an Android app's name", header("X-Requested-With", "org.example.browser"), ""},
		{"WebSocket", header("Connection", "Upgrade", "Upgrade", "websocket"), ReasonUpgrade},
		{"h2c on offer", header("Connection", "Upgrade, HTTP2-Settings", "Upgrade", "h2c"), ""},
		{"no-transform", header("Cache-Control", "no-transform"), ReasonNoTransform},
		{"reload", header("Cache-Control", "no-cache"), ""},
	}
	for _, tt := range tests {
		if got := requestReason(readRequest(tt.header)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestChooseMode(t *testing.T) {
	tests := []struct {
		name   string
		header http.Header
		want   page.Mode
		bad    bool
	}{
		{"default", header(), page.ModeRemove, false},
		{"by header", header("Winnow-Mode", "tag"), page.ModeTag, false},
		{"in capitals", header("Winnow-Mode", " Reader "), page.ModeReader, false},
		{"off", header("Winnow-Mode", "off"), page.ModeOff, false},
		{"header before Accept", header("Winnow-Mode", "json", "Accept", "text/markdown"), page.ModeJSON, false},
		{"unknown", header("Winnow-Mode", "shiny"), page.ModeOff, true},
		{"two", header("Winnow-Mode", "tag", "Winnow-Mode", "text"), page.ModeOff, true},
		{"the same twice", header("Winnow-Mode", "tag", "Winnow-Mode", "tag"), page.ModeTag, false},
		{"empty", header("Winnow-Mode", ""), page.ModeRemove, false},
		{"browser", header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8"), page.ModeRemove, false},
		{"markdown", header("Accept", "text/markdown"), page.ModeMarkdown, false},
		{"markdown or anything", header("Accept", "text/markdown, */*"), page.ModeMarkdown, false},
		{"markdown or HTML", header("Accept", "text/markdown, text/html;q=0.5"), page.ModeRemove, false},
		{"markdown, HTML refused", header("Accept", "text/markdown, text/html;q=0"), page.ModeMarkdown, false},
		{"text", header("Accept", "text/plain"), page.ModeText, false},
		{"text rather than anything", header("Accept", "text/plain, */*;q=0.1"), page.ModeText, false},
		{"a script library's default", header("Accept", "application/json, text/plain, */*"), page.ModeRemove, false},
		{"text rather than markdown", header("Accept", "text/markdown;q=0.4, text/plain;q=0.6"), page.ModeText, false},
		{"curl", header("Accept", "*/*"), page.ModeRemove, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := chooseMode(readRequest(tt.header), page.ModeRemove)
			if got != tt.want || (err != nil) != tt.bad {
				t.Errorf("got %v (%v), want %v", got, err, tt.want)
			}
			if _, left := tt.header["Winnow-Mode"]; left {
				t.Error("Winnow-Mode is still there")
			}
		})
	}
}

func TestMayLearn(t *testing.T) {
	plain, private := header(), header("Cache-Control", "private, max-age=0")
	noStore, cookie := header("Cache-Control", "no-store"), header("Set-Cookie", "a=b")
	tests := []struct {
		name       string
		policy     LearnPolicy
		authorized bool
		header     http.Header
		want       bool
	}{
		{"all, plain", LearnAll, false, plain, true},
		{"all, private", LearnAll, false, private, true},
		{"all, authorized", LearnAll, true, plain, false},
		{"public, plain", LearnPublic, false, plain, true},
		{"public, private", LearnPublic, false, private, false},
		{"public, no-store", LearnPublic, false, noStore, false},
		{"public, cookie", LearnPublic, false, cookie, false},
		{"public, authorized", LearnPublic, true, plain, false},
		{"off, plain", LearnOff, false, plain, false},
	}
	for _, tt := range tests {
		if got := mayLearn(tt.policy, tt.authorized, tt.header); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestReasonsAreDistinct(t *testing.T) {
	seen := map[Reason]bool{}
	for _, r := range Reasons() {
		if seen[r] || r == "" {
			t.Errorf("reason %q stands in the list twice, or is empty", r)
		}
		seen[r] = true
	}
	if !ReasonPanic.Failure() || ReasonModeOff.Failure() {
		t.Error("a panic is a failure, a choice is not")
	}
}

// header makes a header of names and values in turn; a name may come twice.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// Browsers get what auto stands for, programs what they got before, and both what they ask for by name.
func TestAutoIsForBrowsers(t *testing.T) {
	const html = "text/html,application/xhtml+xml,*/*;q=0.8"
	for _, c := range []struct {
		header []string
		want   page.Mode
	}{
		{[]string{"Accept", html, "Sec-Fetch-Dest", "document"}, page.ModeAuto},
		{[]string{"Accept", html, "Upgrade-Insecure-Requests", "1"}, page.ModeAuto},
		{[]string{"Accept", html}, page.ModeRemove},
		{[]string{"Accept", "*/*"}, page.ModeRemove},
		{[]string{"Accept", "text/markdown", "Sec-Fetch-Dest", "document"}, page.ModeMarkdown},
		{[]string{"Accept", html, "Sec-Fetch-Dest", "document", "Winnow-Mode", "remove"}, page.ModeRemove},
		{[]string{"Accept", "*/*", "Winnow-Mode", "auto"}, page.ModeAuto},
	} {
		h := http.Header{}
		for i := 0; i < len(c.header); i += 2 {
			h.Set(c.header[i], c.header[i+1])
		}
		if got, err := chooseMode(readRequest(h), page.ModeAuto); got != c.want || err != nil {
			t.Errorf("%q: mode %s, want %s", c.header, got, c.want)
		}
	}
}

// A browser's pages must work in mode remove, whether it is the mode of all or the browser asks for it.
func TestRemoveKnowsBrowsers(t *testing.T) {
	pl, err := New(Options{Models: &fakeModels{}, Mode: page.ModeRemove, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	prints := map[uint32]bool{}
	for _, c := range []struct {
		header http.Header
		want   bool
	}{
		{header("Accept", "text/html", "Sec-Fetch-Dest", "document"), true},
		{header("Accept", "text/html"), false},
		{header("Accept", "text/html", "Sec-Fetch-Dest", "document", "Winnow-Mode", "remove"), true},
	} {
		req := httptest.NewRequest(http.MethodGet, "http://a.test/", nil)
		req.Header = c.header
		x := pl.Request(req)
		if x.mode != page.ModeRemove || x.form.InBrowser != c.want {
			t.Errorf("%v: mode %s, in a browser: %t", c.header, x.mode, x.form.InBrowser)
		}
		prints[formPrint(x.form)] = true
	}
	if len(prints) != 2 {
		t.Errorf("%d fingerprints of two forms", len(prints))
	}
}

func TestPolicyOfARequest(t *testing.T) {
	h := http.Header{"Winnow-Keep": {"comments, nav", "toc"}, "Winnow-Drop": {"byline"}}
	got, err := choosePolicy(h, policy.Default())
	want := policy.Default().With(page.Kinds(page.KindComments, page.KindNav, page.KindTOC), page.Kinds(page.KindByline))
	if got != want || err != nil || len(h) > 0 {
		t.Errorf("policy %+v (%v), want %+v; left of the header: %v", got, err, want, h)
	}
	var wrong *FieldError
	if _, err := choosePolicy(http.Header{"Winnow-Drop": {"adverts"}}, policy.Policy{}); !errors.As(err, &wrong) || wrong.Field != "Winnow-Drop" || wrong.Value != "adverts" {
		t.Errorf("a kind that is none: %v", err)
	}
}
