package conformance

import (
	"io"
	"net/http"
	"strings"
	"time"
)

func clients() []Requirement {
	wire, plain := wireWays(), plainWay()
	return []Requirement{
		{"target-absolute", "RFC 9112 §3.2.2", "absolute-form becomes origin-form for the origin.", wire, checkAbsoluteForm},
		{"target-host", "RFC 9112 §3.2.2", "The target's host replaces what Host says.", plain, checkHostReplaced},
		{"target-userinfo", "RFC 9110 §4.2.4", "A user and password in the target do not reach the origin's Host.", plain, checkUserinfo},
		{"target-origin-form", "RFC 9112 §3.2", "A request in origin-form, to the proxy itself, gets an answer.", plain, checkOriginForm},
		{"target-authority-form", "RFC 9112 §3.2.3", "authority-form without CONNECT is refused.", plain, checkAuthorityForm},
		{"target-scheme", "RFC 9110 §4.2", "A target that is not http or https gets an answer that says no.", plain, checkScheme},
		{"target-opaque", "RFC 9112 §3.2", "A target that has a scheme and no authority is refused.", wire, checkOpaque},
		{"target-space", "RFC 9112 §3.2", "A target with a space in it is not corrected and forwarded.", wire, checkSpaceInTarget},
		{"host-missing", "RFC 9112 §3.2", "HTTP/1.1 without Host gets 400.", wire, checkHost("")},
		{"host-twice", "RFC 9112 §3.2", "A request with two Host fields gets 400.", wire, checkHost("Host: {host}\r\nHost: other.example\r\n")},
		{"host-invalid", "RFC 9112 §3.2", "A request with an invalid Host gets 400.", wire, checkHost("Host: a b@c/d\r\n")},
		{"http10-client", "RFC 9112 §6.1", "A client of HTTP/1.0 gets a body that ends with the connection, not chunks.", wire, checkHTTP10},
		{"http10-no-host", "RFC 9112 §3.2", "HTTP/1.0 with absolute-form needs no Host.", plain, checkHTTP10NoHost},
		{"version-newer", "RFC 9110 §2.5", "HTTP/1.2 is served as HTTP/1.1.", wire, checkNewerMinor},
		{"version-unknown", "RFC 9110 §15.6.6", "HTTP/3.7 in a text request is refused with an answer.", wire, checkUnknownMajor},
		{"persistent", "RFC 9112 §9.3", "A connection serves one request after the other.", wire, checkPersistent},
		{"pipelined", "RFC 9112 §9.3.2", "Requests sent ahead are answered in order.", wire, checkPipelined},
		{"leading-crlf", "RFC 9112 §2.2", "An empty line before a request is ignored.", plain, checkLeadingLine},
		{"request-chunk-forms", "RFC 9112 §7.1", "Chunks with extensions, leading zeros and capital digits are read.", wire, checkChunkForms},
	}
}

func checkAbsoluteForm(p *Probe) {
	o, rec := p.Record(okAnswer)
	w := p.Dial(o)
	w.Send("GET " + o.URL + "/x?y HTTP/1.1\r\nHost: {host}\r\n\r\n") // servers accept it too
	a := w.Answer(http.MethodGet)
	p.Expect(a.StatusCode == http.StatusOK && strings.HasPrefix(rec.Raw(), "GET /x?y HTTP/1."), "%s; the origin got %.60q", a.Status, rec.Raw())
}

func checkHostReplaced(p *Probe) {
	o, rec := p.Record(okAnswer)
	w := p.Dial(o)
	w.Send("GET {url}/ HTTP/1.1\r\nHost: other.example\r\n\r\n")
	a := w.Answer(http.MethodGet)
	got := rec.Requests()
	p.Expect(a.StatusCode == http.StatusOK && len(got) == 1 && got[0].Host == o.Host, "%s; the origin got %q", a.Status, rec.Raw())
}

func checkUserinfo(p *Probe) {
	o, rec := p.Record(okAnswer)
	w := p.Dial(o)
	w.Send("GET http://user:secret@{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\n")
	a := w.Answer(http.MethodGet)
	line, _, _ := strings.Cut(rec.Raw(), "\r\n")
	p.Expect(!strings.Contains(line, "secret"), "the origin got %q", line)
	for _, r := range rec.Requests() {
		p.Expect(r.Host == o.Host, "Host became %q", r.Host)
	}
	p.Expect(a.StatusCode >= 400 || len(rec.Requests()) == 1, "%s, and nothing reached the origin", a.Status)
}

func checkOriginForm(p *Probe) {
	o, _ := p.Record(okAnswer)
	w := p.Dial(o)
	_ = w.SetReadDeadline(time.Now().Add(5 * time.Second))
	w.Send("GET /conformance HTTP/1.1\r\nHost: proxy.example\r\n\r\n")
	a := w.Answer(http.MethodGet)
	p.Expect(a.StatusCode >= 400 || a.StatusCode/100 == 3, "%s for something that is not there", a.Status)
}

// refusedLine expects a refusal, and that nothing reaches the origin.
func (p *Probe) refusedLine(line string) {
	o, rec := p.Record(okAnswer)
	w := p.Dial(o)
	_ = w.SetReadDeadline(time.Now().Add(5 * time.Second))
	w.Send(line + "\r\nHost: {host}\r\n\r\n")
	a := w.Answer(http.MethodGet)
	p.Expect(a.StatusCode >= 400, "%q: %s", line, a.Status)
	p.Expect(len(rec.Requests()) == 0, "%q: it reached the origin", line)
}

func checkAuthorityForm(p *Probe) { p.refusedLine("GET {host} HTTP/1.1") }

func checkScheme(p *Probe) { p.refusedLine("GET gopher://{host}/ HTTP/1.1") }

func checkOpaque(p *Probe) {
	for _, target := range []string{"http:http://{host}//x", "https:https://{host}//x", "http:/x", "https:x", "http:///x", "x"} {
		p.refusedLine("GET " + target + " HTTP/1.1")
	}
}

func checkSpaceInTarget(p *Probe) { p.refusedLine("GET {url}/a b HTTP/1.1") }

func checkUnknownMajor(p *Probe) { p.refusedLine("GET {url}/ HTTP/3.7") }

// checkHost returns the check that a request with these Host lines gets 400.
func checkHost(lines string) func(p *Probe) {
	return func(p *Probe) {
		o, rec := p.Record(okAnswer)
		w := p.Dial(o)
		w.Send("GET {url}/ HTTP/1.1\r\n" + lines + "\r\n")
		a := w.Answer(http.MethodGet)
		p.Expect(a.StatusCode == http.StatusBadRequest, "%s", a.Status)
		p.Expect(len(rec.Requests()) == 0, "it reached the origin")
	}
}

func checkHTTP10(p *Probe) {
	body := noise(30_001)
	o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(body[:10_000])
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write(body[10_000:])
	})
	w := p.Dial(o)
	w.Send("GET {url}/ HTTP/1.0\r\nHost: {host}\r\n\r\n")
	a := w.Answer(http.MethodGet)
	p.Expect(len(a.TransferEncoding) == 0, "Transfer-Encoding %q", a.TransferEncoding)
	p.Expect(a.Broken == nil && same(a.Body, body) == "", "the body %s, %v", same(a.Body, body), a.Broken)
	p.Expect(w.Closed(2*time.Second), "the connection stays open")
}

func checkHTTP10NoHost(p *Probe) {
	o, _ := p.Record(okAnswer)
	w := p.Dial(o)
	w.Send("GET {url}/ HTTP/1.0\r\n\r\n")
	a := w.Answer(http.MethodGet)
	p.Expect(a.StatusCode == http.StatusOK && string(a.Body) == "ok", "%s %q", a.Status, a.Body)
}

func checkNewerMinor(p *Probe) {
	o, _ := p.Record(okAnswer)
	w := p.Dial(o)
	w.Send("GET {url}/ HTTP/1.2\r\nHost: {host}\r\n\r\n")
	a := w.Answer(http.MethodGet)
	p.Expect(a.StatusCode == http.StatusOK && a.Proto == "HTTP/1.1", "%s %s", a.Proto, a.Status)
}

func checkPersistent(p *Probe) {
	o, _ := p.Record(okAnswer)
	w := p.Dial(o)
	for range 5 {
		a := w.Exchange("/", "")
		p.Expect(a.StatusCode == http.StatusOK && string(a.Body) == "ok", "%s %q", a.Status, a.Body)
	}
}

func checkPipelined(p *Probe) {
	o := p.Serve(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) })
	w := p.Dial(o)
	var ahead strings.Builder
	paths := []string{"/1", "/2", "/3", "/4"}
	for _, path := range paths {
		ahead.WriteString("GET {url}" + path + " HTTP/1.1\r\nHost: {host}\r\n\r\n")
	}
	w.Send(ahead.String())
	for _, path := range paths {
		a := w.Answer(http.MethodGet)
		p.Expect(a.StatusCode == http.StatusOK && string(a.Body) == path, "%s got %s %q", path, a.Status, a.Body)
	}
}

func checkLeadingLine(p *Probe) {
	o, rec := p.Record(okAnswer)
	w := p.Dial(o)
	w.Send("\r\nPOST {url}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 7\r\n\r\ncontent\r\n") // old browsers also send one after the body
	p.Expect(w.Answer(http.MethodPost).StatusCode == http.StatusOK, "an empty line before the first request")
	p.Expect(w.Exchange("/", "").StatusCode == http.StatusOK, "an empty line behind a POST")
	p.Expect(len(rec.Requests()) == 2, "%d of 2 requests arrived", len(rec.Requests()))
}

func checkChunkForms(p *Probe) {
	o := p.Serve(echo)
	w := p.Dial(o)
	w.Send("POST {url}/ HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: Chunked\r\n\r\n" +
		"003;ext=\"a;b\"\r\ncon\r\n0A\r\ntent, long\r\n4 \r\ner.\n\r\n000\r\n\r\n")
	s := p.seen(w.Answer(http.MethodPost))
	p.Expect(string(s.Body) == "content, longer.\n", "the origin got %q", s.Body)
}
