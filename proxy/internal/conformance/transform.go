package conformance

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// transforming has the requirements for a proxy that changes content. A proxy that changes nothing meets them
// trivially.
func transforming() []Requirement {
	all := allWays()
	return []Requirement{
		{"no-transform-answer", "RFC 9110 §7.7", "A page that says Cache-Control: no-transform passes byte for byte.", all, checkNoTransformAnswer},
		{"no-transform-request", "RFC 9111 §5.2.1.6", "The answer to a request with no-transform passes byte for byte, and the directive reaches the origin.", all, checkNoTransformRequest},
		{"no-transform-coded", "RFC 9110 §7.7", "no-transform keeps the content coding too.", all, checkNoTransformCoded},
		{"transform-types", "winnow", "Scripts, styles, images, JSON and downloads pass byte for byte, also those that look like pages.", all, checkOtherTypes},
		{"transform-status", "winnow", "Error pages and answers to POST pass byte for byte.", all, checkOtherStatuses},
		{"transform-etag", "RFC 9110 §8.8.1", "A changed page does not have the origin's strong tag.", all, checkChangedTag},
		{"transform-digest", "RFC 9530 §2", "A changed page has no checksum of the origin's bytes.", all, checkChangedDigest},
		{"transform-ranges", "RFC 9110 §14.3", "A changed page offers no ranges.", all, checkChangedRanges},
		{"transform-announced", "W3C CT §4.2.8.1", "A changed page says so, by a field or by its status.", all, checkAnnounced},
		{"transform-vary", "RFC 9110 §12.5.5", "Where the coding depends on the client, Vary names Accept-Encoding; the origin's Vary stays.", all, checkVary},
		{"transform-coding", "RFC 9110 §8.4", "A page's body is what its Content-Encoding says.", all, checkCodingHolds},
		{"transform-unknown-coding", "RFC 9110 §8.4", "A page in an unknown coding passes byte for byte.", all, checkUnknownCoding},
		{"transform-broken-page", "winnow", "A page that cannot be decoded passes byte for byte.", all, checkBrokenCoding},
	}
}

// servePage returns an origin of samplePage with the header fields. header alternates names and values.
func (p *Probe) servePage(header ...string) *Origin {
	return p.Serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Add(header[i], header[i+1])
		}
		status := http.StatusOK
		if code, err := strconv.Atoi(strings.Trim(r.URL.Path, "/")); err == nil {
			status = code
		}
		body := []byte(samplePage)
		if w.Header().Get("Content-Encoding") == "gzip" {
			body = gzipped(body)
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b) // writing to a Buffer does not fail
	_ = w.Close()
	return out.Bytes()
}

// untouched expects that a has the origin's body.
func (p *Probe) untouched(a *Answer, want []byte, what string) {
	p.Expect(a.Broken == nil, "%s broke off: %v", what, a.Broken)
	p.Expect(same(a.Body, want) == "", "%s %s", what, same(a.Body, want))
}

func checkNoTransformAnswer(p *Probe) {
	o := p.servePage("Cache-Control", "public, No-Transform", "Etag", `"v1"`)
	for range 3 { // a proxy may have learned something by the third visit
		a := p.Get(o.URL+"/", "Accept", "text/html")
		p.untouched(a, []byte(samplePage), "the page")
		p.Expect(a.Header.Get("Etag") == `"v1"`, "ETag became %q", a.Header["Etag"])
		p.Expect(strings.Contains(strings.ToLower(a.Header.Get("Cache-Control")), "no-transform"), "the directive is lost")
	}
}

func checkNoTransformRequest(p *Probe) {
	o := p.servePage("Etag", `"v1"`)
	p.untouched(p.Get(o.URL+"/", "Accept", "text/html", "Cache-Control", "no-transform"), []byte(samplePage), "the page")
	s := p.seen(p.Get(p.Serve(echo).URL+"/", "Accept", "text/html", "Cache-Control", "no-transform", "Accept-Encoding", "x-mine"))
	p.Expect(strings.Contains(s.Header.Get("Cache-Control"), "no-transform"), "Cache-Control became %q", s.Header["Cache-Control"])
	p.Expect(s.Header.Get("Accept-Encoding") == "x-mine", "Accept-Encoding became %q", s.Header["Accept-Encoding"])
}

func checkNoTransformCoded(p *Probe) {
	o := p.servePage("Cache-Control", "no-transform", "Content-Encoding", "gzip")
	a := p.Get(o.URL+"/", "Accept", "text/html", "Accept-Encoding", "gzip")
	p.Expect(a.Header.Get("Content-Encoding") == "gzip", "Content-Encoding %q", a.Header["Content-Encoding"])
	p.untouched(a, gzipped([]byte(samplePage)), "the page")
}

func checkOtherTypes(p *Probe) {
	for _, mediaType := range []string{"text/javascript", "text/css", "application/json", "image/svg+xml", "text/plain", "text/xml",
		"application/octet-stream"} {
		o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			_, _ = io.WriteString(w, samplePage)
		})
		p.untouched(p.Get(o.URL+"/"), []byte(samplePage), mediaType)
	}
	o := p.servePage("Content-Disposition", `attachment; filename="page.html"`)
	p.untouched(p.Get(o.URL+"/"), []byte(samplePage), "the download")
}

func checkOtherStatuses(p *Probe) {
	o := p.servePage()
	for _, path := range []string{"/404", "/500", "/201", "/403"} {
		a := p.Get(o.URL+path, "Accept", "text/html")
		p.Expect("/"+strconv.Itoa(a.StatusCode) == path, "%s became %s", path, a.Status)
		p.untouched(a, []byte(samplePage), path)
	}
	p.untouched(p.Do(p.Request(http.MethodPost, o.URL+"/", strings.NewReader("a=b"))), []byte(samplePage), "the answer to POST")
}

// changed fetches a page often enough for a proxy to learn, and reports whether the last response differs from the
// origin's.
func (p *Probe) changed(o *Origin) (*Answer, bool) {
	var a *Answer
	for range 2 {
		a = p.Get(o.URL+"/", "Accept", "text/html")
		p.Expect(a.StatusCode < 204 && a.Broken == nil && len(a.Body) > 0, "%s, %d bytes, %v", a.Status, len(a.Body), a.Broken)
	}
	return a, !bytes.Equal(a.Body, []byte(samplePage))
}

func checkChangedTag(p *Probe) {
	a, changed := p.changed(p.servePage("Etag", `"v1"`))
	p.Expect((a.Header.Get("Etag") == `"v1"`) != changed, "changed: %v, ETag %q", changed, a.Header["Etag"])
}

func checkChangedDigest(p *Probe) {
	sum := sha256.Sum256([]byte(samplePage))
	digest := base64.StdEncoding.EncodeToString(sum[:])
	a, changed := p.changed(p.servePage("Repr-Digest", "sha-256=:"+digest+":", "Content-Digest", "sha-256=:"+digest+":",
		"Digest", "SHA-256="+digest, "Content-Md5", "Q2hlY2sgSW50ZWdyaXR5IQ=="))
	for _, name := range []string{"Repr-Digest", "Content-Digest", "Digest", "Content-Md5"} {
		p.Expect((a.Header.Get(name) == "") == changed, "changed: %v, %s %q", changed, name, a.Header[name])
	}
}

func checkChangedRanges(p *Probe) {
	a, changed := p.changed(p.servePage("Accept-Ranges", "bytes"))
	p.Expect((a.Header.Get("Accept-Ranges") == "bytes") != changed, "changed: %v, Accept-Ranges %q", changed, a.Header["Accept-Ranges"])
}

func checkAnnounced(p *Probe) {
	a, changed := p.changed(p.servePage())
	said := strings.HasPrefix(a.Header.Get("Warning"), "214") || strings.HasPrefix(a.Header.Get("Winnow"), "cleaned") ||
		a.StatusCode == http.StatusNonAuthoritativeInfo
	p.Expect(said == changed, "changed: %v, but Warning %q, Winnow %q", changed, a.Header["Warning"], a.Header["Winnow"])
}

func checkVary(p *Probe) {
	o := p.servePage("Content-Encoding", "gzip", "Vary", "Cookie")
	coded := p.Get(o.URL+"/", "Accept", "text/html", "Accept-Encoding", "gzip")
	plain := p.Get(o.URL+"/", "Accept", "text/html", "Accept-Encoding", "identity")
	for _, a := range []*Answer{coded, plain} {
		vary := strings.ToLower(strings.Join(a.Header["Vary"], ","))
		p.Expect(strings.Contains(vary, "cookie"), "the origin's Vary became %q", vary)
		if coded.Header.Get("Content-Encoding") != plain.Header.Get("Content-Encoding") {
			p.Expect(strings.Contains(vary, "accept-encoding"), "Vary %q", vary)
		}
	}
}

func checkCodingHolds(p *Probe) {
	o := p.servePage("Content-Encoding", "gzip")
	a := p.Get(o.URL+"/", "Accept", "text/html", "Accept-Encoding", "gzip")
	body := a.Body
	if a.Header.Get("Content-Encoding") == "gzip" {
		r, err := gzip.NewReader(bytes.NewReader(a.Body))
		p.Need(err, "unpack the page")
		body, err = io.ReadAll(r)
		p.Need(err, "unpack the page")
	}
	p.Expect(bytes.Contains(body, []byte("The gates meet at an angle")), "%d bytes that do not hold the page's content", len(body))
}

func checkUnknownCoding(p *Probe) {
	o := p.servePage("Content-Encoding", "x-unheard-of")
	a := p.Get(o.URL+"/", "Accept", "text/html", "Accept-Encoding", "x-unheard-of, identity")
	p.Expect(a.Header.Get("Content-Encoding") == "x-unheard-of", "Content-Encoding %q", a.Header["Content-Encoding"])
	p.untouched(a, []byte(samplePage), "the page")
}

func checkBrokenCoding(p *Probe) {
	body := slices.Concat(gzipped([]byte(samplePage))[:500], noise(500))
	o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(body)
	})
	a := p.Get(o.URL+"/", "Accept", "text/html", "Accept-Encoding", "gzip")
	p.Expect(a.StatusCode == http.StatusOK && a.Header.Get("Content-Encoding") == "gzip", "%s, Content-Encoding %q", a.Status,
		a.Header["Content-Encoding"])
	p.untouched(a, body, "the page")
}
