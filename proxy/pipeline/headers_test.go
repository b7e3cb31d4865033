package pipeline

import (
	"bufio"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model/page"
)

func TestElements(t *testing.T) {
	got := elements([]string{` a , "b,c" ;q=1,, d`, `"e\",f", "open, g`, ""})
	want := []string{"a", `"b,c" ;q=1`, "d", `"e\",f"`, `"open, g`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestParseWeighted(t *testing.T) {
	got := parseWeighted([]string{"gzip;q=0.5, BR ; Q=1, a;b=c;q=0, x;q=2, y;q=nan, z;q=, ;q=1"})
	want := []weighted{{"gzip", 0.5}, {"br", 1}, {"a", 0}, {"x", 0}, {"y", 0}, {"z", 0}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(weighted{})); d != "" {
		t.Error(d)
	}
}

func TestAddVary(t *testing.T) {
	tests := []struct{ have, want []string }{
		{nil, []string{"Winnow-Mode, Accept"}},
		{[]string{"accept"}, []string{"accept, Winnow-Mode"}},
		{[]string{"Cookie", "Accept"}, []string{"Cookie, Accept, Winnow-Mode"}},
		{[]string{"Winnow-Mode,Accept"}, []string{"Winnow-Mode,Accept"}},
		{[]string{"*"}, []string{"*"}},
	}
	for _, tt := range tests {
		h := http.Header{}
		if tt.have != nil {
			h["Vary"] = tt.have
		}
		addVary(h, "Winnow-Mode", "Accept")
		if d := cmp.Diff(tt.want, h["Vary"]); d != "" {
			t.Errorf("%q: %s", tt.have, d)
		}
	}
}

func TestCleanedHeaderDropsWhatNoLongerHolds(t *testing.T) {
	origin := header("Content-Type", "text/html", "Content-Encoding", "br", "Content-Length", "999", "Etag", `"abc"`,
		"Content-Md5", "x", "Digest", "x", "Repr-Digest", "x", "Content-Digest", "x", "Accept-Ranges", "bytes",
		"Vary", "Cookie", "Age", "7", "Last-Modified", "Thu, 01 Jan 1970 00:00:16 GMT", "Content-Security-Policy", "default-src 'self'")
	before := origin.Clone()
	got := cleanedHeader(origin, cleanedPage{
		variant: variant{mode: page.ModeRemove, gen: 4}, pages: 12, removed: 0.634, contentType: "text/html; charset=gbk",
		coding: codingGzip, size: 77,
	})
	want := header("Content-Type", "text/html; charset=gbk", "Content-Encoding", "gzip", "Content-Length", "77",
		"Etag", `W/"abc-wnwsr4"`, "Vary", "Cookie, Winnow-Mode, Winnow-Keep, Winnow-Drop, Winnow-Links, Winnow-Chunks, Accept, Accept-Encoding, Sec-Fetch-Dest, Upgrade-Insecure-Requests, X-Requested-With", "Age", "7",
		"Last-Modified", "Thu, 01 Jan 1970 00:00:16 GMT", "Content-Security-Policy", "default-src 'self'",
		"Winnow", "cleaned; mode=remove; pages=12; removed=0.63")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(before, origin); d != "" {
		t.Errorf("the origin's header was changed: %s", d)
	}
}

func TestNotModifiedHeaderSaysNothingOfTheOriginsBytes(t *testing.T) {
	h := header("Content-Type", "text/html", "Content-Length", "999", "Content-Encoding", "br", "Repr-Digest", "x",
		"Etag", `"abc"`, "Cache-Control", "max-age=5", "Expires", "0")
	tag, _ := makeTag(h, variant{mode: page.ModeRemove, gen: 4}, 0)
	notModifiedHeader(h, tag)
	want := header("Etag", `W/"abc-wnwsr4"`, "Cache-Control", "max-age=5", "Expires", "0",
		"Vary", "Winnow-Mode, Winnow-Keep, Winnow-Drop, Winnow-Links, Winnow-Chunks, Accept, Accept-Encoding, Sec-Fetch-Dest, Upgrade-Insecure-Requests, X-Requested-With")
	if d := cmp.Diff(want, h); d != "" {
		t.Error(d)
	}
}

func TestCleanedHeaderKeepsTheOriginsType(t *testing.T) {
	for _, contentType := range []string{"text/html", "application/xhtml+xml", "TEXT/html;charset=X-Unknown"} {
		got := cleanedHeader(header("Content-Type", contentType), cleanedPage{variant: variant{mode: page.ModeRemove}})
		if got.Get("Content-Type") != contentType {
			t.Errorf("%s became %q", contentType, got.Get("Content-Type"))
		}
	}
}

func TestPassHeaderVariesWhereAnotherRequestWouldBeCleaned(t *testing.T) {
	for varies, want := range map[bool]string{true: "Winnow-Mode, Winnow-Keep, Winnow-Drop, Winnow-Links, Winnow-Chunks, Accept, Accept-Encoding, Sec-Fetch-Dest, Upgrade-Insecure-Requests, X-Requested-With", false: ""} {
		h := http.Header{}
		if passHeader(h, ReasonBusy, varies); h.Get("Vary") != want {
			t.Errorf("Vary %q, want %q", h.Get("Vary"), want)
		}
	}
}

// FuzzHeaders feeds whole header blocks, of a request and of a response, through every rule. Nothing may panic, and
// what must hold of any input is checked.
func FuzzHeaders(f *testing.F) {
	f.Add("Accept: text/markdown\r\nAccept-Encoding: gzip;q=0.5, *\r\nWinnow-Mode: tag\r\nIf-None-Match: W/\"a-wnwsr4\", \"b\"\r\n",
		"Content-Type: text/html\r\nETag: \"a\"\r\nVary: Accept\r\nCache-Control: private=\"x, no-transform\"\r\n")
	f.Add("Accept-Encoding: identity;q=0, compress\r\nIf-Match: *\r\nIf-Range: W/\"a-wnwdr4\"\r\nRange: bytes=0-\r\n",
		"Content-Encoding: br, gzip\r\nLast-Modified: Thu, 01 Jan 1970 00:00:16 GMT\r\nVary: *\r\n")
	f.Add("Accept-Encoding: \"\\,;q=\"=\r\n", "Vary: ,,\"\r\nETag: W/\"\r\n")
	f.Fuzz(func(t *testing.T, request, response string) {
		req, resp := readHeader(request), readHeader(response)
		checkOffer(t, req)
		if _, err := chooseMode(readRequest(req), page.ModeRemove); err == nil && req.Get(modeHeader) != "" {
			t.Fatal("Winnow-Mode would go upstream")
		}
		requestReason(readRequest(req))
		responseReason(&http.Response{StatusCode: 200, Header: resp})
		contentCodings(resp)
		v := variant{mode: page.ModeRemove, gen: 4}
		c := mapConditionals(req, func(got variant) bool { return got == v }, readRequest(req).asksForDocument())
		c.restore(resp.Get("Etag"))
		again := req.Clone()
		mapIfNoneMatch(again, func(variant) bool { return false }, false)
		checkCleaned(t, resp, v)
	})
}

// checkOffer: what is asked for upstream is accepted by the client and can be decoded, or stands in the client's own
// words.
func checkOffer(t *testing.T, req http.Header) {
	t.Helper()
	client := readAcceptEncoding(req)
	offered := client.offer(req["Accept-Encoding"])
	if slices.Equal(offered, req["Accept-Encoding"]) {
		return
	}
	for _, w := range parseWeighted(offered) {
		c, known := canonicalCoding(w.name)
		if w.q > 0 && (!known || client.quality(c) == 0) {
			t.Fatalf("%q offered for %q: %s is refused or can't be decoded", offered, req["Accept-Encoding"], c)
		}
	}
}

func checkCleaned(t *testing.T, resp http.Header, v variant) {
	t.Helper()
	clean := cleanedHeader(resp, cleanedPage{variant: v, contentType: "text/html", coding: codingIdentity})
	if etag := clean.Get("Etag"); etag != "" {
		if own, ok := parseOwnTag(etag); !ok || own.variant != v {
			t.Fatalf("tag %q is not known again", etag)
		}
	}
	vary := slices.Clone(clean["Vary"])
	addVary(clean, VaryFields()...)
	if !slices.Equal(vary, clean["Vary"]) {
		t.Fatalf("Vary grew from %q to %q", vary, clean["Vary"])
	}
	for _, f := range integrityFields() {
		if clean.Get(f) != "" {
			t.Fatalf("%s is still there", f)
		}
	}
}

// readHeader reads what of s is a header block, as a server would.
func readHeader(s string) http.Header {
	h, _ := textproto.NewReader(bufio.NewReader(strings.NewReader(s + "\r\n\r\n"))).ReadMIMEHeader()
	if h == nil {
		h = textproto.MIMEHeader{}
	}
	return http.Header(h)
}
