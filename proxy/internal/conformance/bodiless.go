package conformance

import (
	"bytes"
	"net/http"
	"strings"
	"time"
)

func bodiless() []Requirement {
	all, wire := allWays(), wireWays()
	return []Requirement{
		{"head", "RFC 9110 §9.3.2", "The answer to HEAD has no body and keeps Content-Length.", all, checkHead},
		{"head-html", "RFC 9110 §8.6", "HEAD gives no Content-Length other than GET's would be.", all, checkHeadHTML},
		{"head-framing", "RFC 9112 §6.3", "After an answer to HEAD the connection serves the next request.", wire, checkHeadFraming},
		{"no-content", "RFC 9110 §15.3.5", "204 has no body and no framing.", wire, checkNoContent},
		{"no-content-reset", "RFC 9110 §15.3.6", "205 has no body.", wire, checkResetContent},
		{"not-modified-framing", "RFC 9112 §6.3", "304 has no body, even with a Content-Length.", wire, checkNotModifiedFraming},
		{"empty", "RFC 9112 §6.2", "An empty body stays one.", all, checkEmpty},
		{"range", "RFC 9110 §14.2", "Range reaches the origin, and 206 passes byte for byte with Content-Range.", all, checkRange},
		{"range-html", "RFC 9110 §15.3.7", "A part of a page passes byte for byte.", all, checkRangeHTML},
		{"range-multiple", "RFC 9110 §14.6", "multipart/byteranges passes.", all, checkMultipleRanges},
		{"range-unsatisfiable", "RFC 9110 §15.5.17", "416 passes with Content-Range.", all, checkUnsatisfiable},
	}
}

// serveFile returns an origin that supports ranges and conditional requests, and its file with the tag "v1".
func (p *Probe) serveFile(name string) (*Origin, []byte) {
	body := noise(10_007)
	if strings.HasSuffix(name, ".html") {
		body = []byte(samplePage)
	}
	changed := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return p.Serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"v1"`)
		http.ServeContent(w, r, name, changed, bytes.NewReader(body))
	}), body
}

func checkHead(p *Probe) {
	o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Content-Length", "12345")
	})
	a := p.Do(p.Request(http.MethodHead, o.URL+"/x.png", nil))
	p.Expect(a.StatusCode == http.StatusOK && a.ContentLength == 12345, "%s, Content-Length %d", a.Status, a.ContentLength)
	p.Expect(len(a.Body) == 0, "%d bytes of body", len(a.Body))
}

func checkHeadHTML(p *Probe) {
	o, _ := p.serveFile("page.html")
	whole := p.Get(o.URL+"/page.html", "Accept", "text/html")
	head := p.Do(p.Request(http.MethodHead, o.URL+"/page.html", nil, "Accept", "text/html"))
	p.Expect(head.StatusCode == http.StatusOK, "HEAD: %s", head.Status)
	p.Expect(whole.StatusCode == http.StatusOK && len(whole.Body) > 0, "GET: %s, %d bytes", whole.Status, len(whole.Body))
	p.Expect(head.ContentLength < 0 || head.ContentLength == int64(len(whole.Body)), "HEAD says %d bytes, GET gives %d",
		head.ContentLength, len(whole.Body))
}

func checkHeadFraming(p *Probe) {
	o, _ := p.serveFile("x.bin")
	w := p.Dial(o)
	w.Send("HEAD {url}/x.bin HTTP/1.1\r\nHost: {host}\r\n\r\n")
	first := w.Answer(http.MethodHead)
	p.Expect(first.StatusCode == http.StatusOK, "HEAD: %s", first.Status)
	second := w.Exchange("/x.bin", "Range: bytes=0-3\r\n")
	p.Expect(second.StatusCode == http.StatusPartialContent && len(second.Body) == 4, "then GET: %s", second.Status)
}

// bare checks a response without body that, except for HEAD and 304, has no framing, and that the next response is read
// correctly.
func (p *Probe) bare(answer string, status int) *Answer {
	o, _ := p.Record(answer)
	w := p.Dial(o)
	first := w.Exchange("/1", "")
	p.Expect(first.StatusCode == status, "%s instead of %d", first.Status, status)
	p.Expect(len(first.Body) == 0 && first.Broken == nil, "%d bytes of body, %v", len(first.Body), first.Broken)
	second := w.Exchange("/2", "Connection: close\r\n")
	p.Expect(second.StatusCode == status, "the next answer was read as %s", second.Status)
	return first
}

func checkNoContent(p *Probe) {
	a := p.bare("HTTP/1.1 204 No Content\r\nX-Mine: 1\r\n\r\n", http.StatusNoContent)
	_, length := a.Header["Content-Length"]
	p.Expect(!length && len(a.TransferEncoding) == 0, "Content-Length %q, Transfer-Encoding %q", a.Header["Content-Length"], a.TransferEncoding)
	p.Expect(a.Header.Get("X-Mine") == "1", "fields are lost")
}

func checkResetContent(p *Probe) {
	p.bare("HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n", http.StatusResetContent)
}

func checkNotModifiedFraming(p *Probe) {
	o, _ := p.Record("HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nContent-Length: 10007\r\n\r\n")
	w := p.Dial(o)
	for range 2 {
		a := w.Exchange("/x.bin", "If-None-Match: \"v1\"\r\n")
		p.Expect(a.StatusCode == http.StatusNotModified && len(a.Body) == 0, "%s with %d bytes", a.Status, len(a.Body))
		p.Expect(a.Header.Get("Etag") == `"v1"`, "ETag %q", a.Header["Etag"])
	}
}

func checkEmpty(p *Probe) {
	o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", "0")
	})
	a := p.Get(o.URL + "/")
	p.Expect(a.StatusCode == http.StatusOK && len(a.Body) == 0 && a.Broken == nil, "%s with %d bytes, %v", a.Status, len(a.Body), a.Broken)
	p.Expect(a.ContentLength == 0, "Content-Length %d", a.ContentLength)
}

func checkRange(p *Probe) {
	o, body := p.serveFile("x.bin")
	a := p.Get(o.URL+"/x.bin", "Range", "bytes=100-199")
	p.Expect(a.StatusCode == http.StatusPartialContent, "%s", a.Status)
	p.Expect(a.Header.Get("Content-Range") == "bytes 100-199/10007", "Content-Range %q", a.Header["Content-Range"])
	p.Expect(a.Header.Get("Etag") == `"v1"` && a.ContentLength == 100, "ETag %q, Content-Length %d", a.Header["Etag"], a.ContentLength)
	p.Expect(same(a.Body, body[100:200]) == "", "the part %s", same(a.Body, body[100:200]))
}

func checkRangeHTML(p *Probe) {
	o, body := p.serveFile("page.html")
	a := p.Get(o.URL+"/page.html", "Range", "bytes=10-", "Accept", "text/html")
	p.Expect(a.StatusCode == http.StatusPartialContent && a.Header.Get("Etag") == `"v1"`, "%s, ETag %q", a.Status, a.Header["Etag"])
	p.Expect(same(a.Body, body[10:]) == "", "the part %s", same(a.Body, body[10:]))
}

func checkMultipleRanges(p *Probe) {
	o, body := p.serveFile("x.bin")
	a := p.Get(o.URL+"/x.bin", "Range", "bytes=0-9,50-59")
	p.Expect(a.StatusCode == http.StatusPartialContent, "%s", a.Status)
	p.Expect(strings.HasPrefix(a.Header.Get("Content-Type"), "multipart/byteranges"), "Content-Type %q", a.Header["Content-Type"])
	p.Expect(bytes.Contains(a.Body, body[:10]) && bytes.Contains(a.Body, body[50:60]), "parts are missing")
}

func checkUnsatisfiable(p *Probe) {
	o, _ := p.serveFile("x.bin")
	a := p.Get(o.URL+"/x.bin", "Range", "bytes=99999-")
	p.Expect(a.StatusCode == http.StatusRequestedRangeNotSatisfiable, "%s", a.Status)
	p.Expect(a.Header.Get("Content-Range") == "bytes */10007", "Content-Range %q", a.Header["Content-Range"])
}
