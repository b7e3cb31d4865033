package conformance

import (
	"net/http"
	"strings"
	"time"
)

func conditionals() []Requirement {
	all := allWays()
	return []Requirement{
		{"if-none-match", "RFC 9110 §13.1.2", "A tag that the client got answers If-None-Match with 304 and that tag.", all, checkIfNoneMatch},
		{"if-none-match-html", "RFC 9110 §13.1.2", "The same holds for pages, changed or not by the proxy, once their tag is stable.", all, checkIfNoneMatchHTML},
		{"if-none-match-stale", "RFC 9110 §13.1.2", "A tag other than the current one gets the whole answer.", all, checkStaleTag},
		{"if-modified-since", "RFC 9110 §13.1.3", "If-Modified-Since reaches the origin, and its 304 the client.", all, checkIfModifiedSince},
		{"if-match", "RFC 9110 §13.1.1", "A tag that the client got guards a PUT; another one fails with 412.", all, checkIfMatch},
		{"if-unmodified-since", "RFC 9110 §13.1.4", "If-Unmodified-Since guards a PUT.", all, checkIfUnmodifiedSince},
		{"if-range", "RFC 9110 §13.1.5", "If-Range with the tag of an unchanged file gets the part, with another the whole.", all, checkIfRange},
	}
}

func checkIfNoneMatch(p *Probe) {
	o, _ := p.serveFile("x.bin")
	tag := p.Get(o.URL + "/x.bin").Header.Get("Etag")
	if tag == "" {
		p.Failf("the tag is lost")
	}
	a := p.Get(o.URL+"/x.bin", "If-None-Match", tag)
	p.Expect(a.StatusCode == http.StatusNotModified && a.Header.Get("Etag") == tag, "%s, ETag %q instead of %q", a.Status, a.Header["Etag"], tag)
}

// stable fetches u until it gets the same tag twice, because a proxy that learns may change its output in between.
func (p *Probe) stable(u string) string {
	before := ""
	for range 8 {
		a := p.Get(u, "Accept", "text/html")
		tag := a.Header.Get("Etag")
		if tag == "" || a.StatusCode != http.StatusOK {
			p.Failf("%s, ETag %q", a.Status, tag)
		}
		if tag == before {
			return tag
		}
		before = tag
		time.Sleep(prompt)
	}
	p.Failf("the tag is another at each visit")
	return ""
}

func checkIfNoneMatchHTML(p *Probe) {
	o, _ := p.serveFile("page.html")
	tag := p.stable(o.URL + "/page.html")
	a := p.Get(o.URL+"/page.html", "Accept", "text/html", "If-None-Match", tag)
	p.Expect(a.StatusCode == http.StatusNotModified && a.Header.Get("Etag") == tag, "%s, ETag %q instead of %q", a.Status, a.Header["Etag"], tag)
}

func checkStaleTag(p *Probe) {
	o, body := p.serveFile("x.bin")
	a := p.Get(o.URL+"/x.bin", "If-None-Match", `"v0", W/"other"`)
	p.Expect(a.StatusCode == http.StatusOK && same(a.Body, body) == "", "%s, %s", a.Status, same(a.Body, body))
}

func checkIfModifiedSince(p *Probe) {
	o, _ := p.serveFile("x.bin")
	changed := p.Get(o.URL + "/x.bin").Header.Get("Last-Modified")
	p.Expect(changed == "Wed, 04 Mar 2026 05:06:07 GMT", "Last-Modified became %q", changed)
	a := p.Get(o.URL+"/x.bin", "If-Modified-Since", changed)
	p.Expect(a.StatusCode == http.StatusNotModified, "%s", a.Status)
	a = p.Get(o.URL+"/x.bin", "If-Modified-Since", "Wed, 04 Mar 2026 05:06:06 GMT")
	p.Expect(a.StatusCode == http.StatusOK, "%s for an older copy", a.Status)
}

func checkIfMatch(p *Probe) {
	o, _ := p.serveFile("page.html")
	tag := p.stable(o.URL + "/page.html")
	// ServeContent checks the conditions of a GET, which are the same.
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		a := p.Do(p.Request(method, o.URL+"/page.html", strings.NewReader("x"), "If-Match", tag))
		p.Expect(a.StatusCode == http.StatusOK, "%s with the tag %s that it got: %s", method, tag, a.Status)
		a = p.Do(p.Request(method, o.URL+"/page.html", strings.NewReader("x"), "If-Match", `"v0"`))
		p.Expect(a.StatusCode == http.StatusPreconditionFailed, "%s with another: %s", method, a.Status)
	}
}

func checkIfUnmodifiedSince(p *Probe) {
	o, _ := p.serveFile("x.bin")
	a := p.Do(p.Request(http.MethodPut, o.URL+"/x.bin", strings.NewReader("x"), "If-Unmodified-Since", "Wed, 04 Mar 2026 05:06:06 GMT"))
	p.Expect(a.StatusCode == http.StatusPreconditionFailed, "%s", a.Status)
	a = p.Do(p.Request(http.MethodPut, o.URL+"/x.bin", strings.NewReader("x"), "If-Unmodified-Since", "Wed, 04 Mar 2026 05:06:07 GMT"))
	p.Expect(a.StatusCode == http.StatusOK, "%s where nothing changed", a.Status)
}

func checkIfRange(p *Probe) {
	o, body := p.serveFile("x.bin")
	a := p.Get(o.URL+"/x.bin", "Range", "bytes=5-9", "If-Range", `"v1"`)
	p.Expect(a.StatusCode == http.StatusPartialContent && same(a.Body, body[5:10]) == "", "%s, %d bytes", a.Status, len(a.Body))
	a = p.Get(o.URL+"/x.bin", "Range", "bytes=5-9", "If-Range", `"v0"`)
	p.Expect(a.StatusCode == http.StatusOK && same(a.Body, body) == "", "%s, %d bytes", a.Status, len(a.Body))
}
