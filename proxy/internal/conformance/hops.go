package conformance

import (
	"io"
	"net/http"
	"strings"
	"time"
)

func hops() []Requirement {
	all, wire := allWays(), wireWays()
	return []Requirement{
		{"hop-request-named", "RFC 9110 §7.6.1", "Fields that a request's Connection names go no further.", wire, checkRequestNamed},
		{"hop-request-known", "RFC 9110 §7.6.1", "Connection, Keep-Alive, Proxy-Connection, TE and Upgrade of a request go no further.", wire, checkRequestKnown},
		{"hop-answer-named", "RFC 9110 §7.6.1", "Fields that an answer's Connection names go no further.", wire, checkAnswerNamed},
		{"hop-request-close", "RFC 9110 §7.6.1", "Nor do those that it names beside close.", wire, checkRequestClose},
		{"hop-answer-close", "RFC 9110 §7.6.1", "So for an answer.", wire, checkAnswerClose},
		{"hop-answer-known", "RFC 9110 §7.6.1", "Keep-Alive, Proxy-Connection and Upgrade of an answer go no further.", wire, checkAnswerKnown},
		{"hop-end-to-end", "RFC 9110 §7.6.1", "Naming Content-Length, Host or Cookie in Connection takes nothing from what the message says.", wire, checkNamedEndToEnd},
		{"hop-close", "RFC 9112 §9.6", "Connection: close of an origin does not end the client's connection early, nor a client's the origin's answer.", wire, checkClose},
		{"hop-credentials", "RFC 9110 §11.7.2", "Credentials for the proxy do not reach the origin.", all, checkProxyCredentials},
		{"via-request", "RFC 9110 §7.6.3", "A request gets an entry in Via, behind those that are there, with the version it came in.", all, checkViaRequest},
		{"via-transforms", "W3C CT §4.1.6.1", "A proxy that changes pages says so in a comment of Via.", all, checkViaTransforms},
		{"via-answer", "RFC 9110 §7.6.3", "A response gets an entry in Via, behind those that are there, with the version it came in.", all, checkViaAnswer},
		{"via-loop", "RFC 9110 §7.6", "A request that has passed the proxy before is not forwarded again.", all, checkViaLoop},
		{"via-self", "RFC 9110 §7.6", "A request for the proxy's own address ends there.", plainWay(), checkSelf},
		{"alt-svc", "RFC 7838 §2.1", "Alt-Svc does not pass: a client that followed it would bypass the proxy.", all, checkAltSvc},
	}
}

// forwarded sends lines with a GET and returns the header of the one request that reaches the origin.
func (p *Probe) forwarded(lines string) http.Header {
	o, rec := p.Record(okAnswer)
	a := p.Dial(o).Exchange("/", lines)
	if len(rec.Requests()) != 1 {
		p.Failf("%d requests reached the origin; %s", len(rec.Requests()), a.Status)
	}
	return rec.Requests()[0].Header
}

func (p *Probe) without(h http.Header, names ...string) {
	for _, name := range names {
		got, ok := h[http.CanonicalHeaderKey(name)]
		p.Expect(!ok, "%s: %q went on", name, got)
	}
}

func checkRequestNamed(p *Probe) {
	h := p.forwarded("Connection: X-Mine, keep-alive\r\nConnection: x-other\r\nX-Mine: 1\r\nX-Other: 1\r\nX-Kept: 1\r\n")
	p.without(h, "X-Mine", "X-Other")
	p.Expect(h.Get("X-Kept") == "1", "X-Kept is lost")
}

func checkRequestKnown(p *Probe) {
	h := p.forwarded("Keep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\nTE: deflate\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n" +
		"Connection: keep-alive, Upgrade, HTTP2-Settings, TE\r\nX-Kept: 1\r\n")
	p.without(h, "Keep-Alive", "Proxy-Connection", "Te", "Upgrade", "Http2-Settings")
	p.Expect(!strings.Contains(strings.ToLower(h.Get("Connection")), "upgrade"), "Connection %q", h["Connection"])
	p.Expect(h.Get("X-Kept") == "1", "X-Kept is lost")
}

func (p *Probe) answered(lines string) http.Header {
	o, _ := p.Record("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nX-Kept: 1\r\n" + lines + "\r\nok")
	a := p.Dial(o).Exchange("/", "")
	p.Expect(a.StatusCode == http.StatusOK && string(a.Body) == "ok", "%s %q", a.Status, a.Body)
	p.Expect(a.Header.Get("X-Kept") == "1", "X-Kept is lost")
	return a.Header
}

func checkAnswerNamed(p *Probe) {
	p.without(p.answered("Connection: keep-alive, X-Mine\r\nX-Mine: 1\r\n"), "X-Mine")
}

func checkRequestClose(p *Probe) {
	p.without(p.forwarded("Connection: close, X-Mine\r\nX-Mine: 1\r\n"), "X-Mine")
	p.without(p.forwarded("Connection: X-Mine\r\nConnection: close\r\nX-Mine: 1\r\n"), "X-Mine")
}

func checkAnswerClose(p *Probe) {
	p.without(p.answered("Connection: close, X-Mine\r\nX-Mine: 1\r\n"), "X-Mine")
	p.without(p.answered("Connection: X-Mine\r\nX-Mine: 1\r\nConnection: close\r\n"), "X-Mine")
}

func checkAnswerKnown(p *Probe) {
	h := p.answered("Keep-Alive: timeout=77\r\nProxy-Connection: keep-alive\r\nUpgrade: h2c\r\n")
	p.without(h, "Upgrade")
	p.Expect(!strings.Contains(h.Get("Keep-Alive"), "77"), "the origin's Keep-Alive %q went on", h["Keep-Alive"])
	p.Expect(h.Get("Proxy-Connection") != "keep-alive" || p.Way == Plain, "Proxy-Connection went on")
}

func checkNamedEndToEnd(p *Probe) {
	o, rec := p.Record(okAnswer)
	w := p.Dial(o)
	w.Send("POST {url}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 7\r\nCookie: a=b\r\nConnection: Content-Length, Host, Cookie\r\n\r\ncontent")
	a := w.Answer(http.MethodPost)
	if a.StatusCode == http.StatusBadRequest {
		return
	}
	got := rec.Requests()
	if len(got) != 1 {
		p.Failf("%d requests reached the origin; %s", len(got), a.Status)
	}
	whole := got[0].ContentLength == 7 || len(got[0].TransferEncoding) == 1
	p.Expect(whole && got[0].Host == o.Host && strings.HasSuffix(strings.TrimRight(rec.Raw(), "0\r\n"), "content"), "the origin got %q", rec.Raw())
}

func checkClose(p *Probe) {
	o, _ := p.Record("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
	w := p.Dial(o)
	first := w.Exchange("/1", "")
	p.Expect(string(first.Body) == "ok" && first.Broken == nil, "the origin's close: %q, %v", first.Body, first.Broken)
	o, _ = p.Record(okAnswer)
	w = p.Dial(o)
	last := w.Exchange("/", "Connection: close\r\n")
	p.Expect(string(last.Body) == "ok", "the client's close: %q", last.Body)
	p.Expect(w.Closed(2*time.Second), "the proxy keeps a connection that was to be closed")
}

func checkProxyCredentials(p *Probe) {
	s := p.seen(p.Get(p.Serve(echo).URL+"/", "Proxy-Authorization", "Basic dXNlcjpzZWNyZXQ="))
	p.without(s.Header, "Proxy-Authorization")
}

// versions are the forms in which Via may name the HTTP version of the probe's way (RFC 9110 §7.6.3).
func (p *Probe) versions() []string {
	if p.Way == TLS2 {
		return []string{"2 ", "2.0 ", "HTTP/2 ", "HTTP/2.0 "}
	}
	return []string{"1.1 ", "HTTP/1.1 "}
}

func checkViaRequest(p *Probe) {
	o := p.Serve(echo)
	s := p.seen(p.Get(o.URL+"/", "Via", "1.0 first (a, comment)", "Via", "1.1 second"))
	via := strings.Join(s.Header["Via"], ", ")
	rest, ok := strings.CutPrefix(via, "1.0 first (a, comment), 1.1 second, ")
	if !ok {
		p.Failf("Via %q", via)
	}
	known := false
	for _, v := range p.versions() {
		known = known || strings.HasPrefix(rest, v)
	}
	p.Expect(known, "the proxy's entry %q does not begin with %q", rest, p.versions()[0])
}

func checkViaAnswer(p *Probe) {
	o := p.Serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Via", "1.1 origin-cache")
		echo(w, r)
	})
	via := strings.Join(p.Get(o.URL + "/").Header["Via"], ", ")
	rest, ok := strings.CutPrefix(via, "1.1 origin-cache, ")
	p.Expect(ok && len(strings.Fields(rest)) >= 2, "Via %q", via)
}

func checkViaTransforms(p *Probe) {
	_, changed := p.changed(p.servePage())
	via := strings.Join(p.seen(p.Get(p.Serve(echo).URL + "/")).Header["Via"], ", ")
	p.Expect(!changed || strings.Contains(via, "(http://www.w3.org/ns/ct)"), "Via %q", via)
}

func checkViaLoop(p *Probe) {
	o := p.Serve(echo)
	via := strings.Join(p.seen(p.Get(o.URL + "/")).Header["Via"], ", ")
	if via == "" {
		p.Failf("without Via nothing can be recognized")
	}
	a, err := p.Try(p.Request(http.MethodGet, o.URL+"/", nil, "Via", via, "Via", "1.1 between"))
	if err == nil {
		p.Expect(a.StatusCode >= 400, "%s for a request with Via %q", a.Status, via)
	}
}

func checkSelf(p *Probe) {
	w := p.Dial(&Origin{URL: "http://" + p.target.Addr, Host: p.target.Addr})
	_ = w.SetReadDeadline(time.Now().Add(5 * time.Second))
	a := w.Exchange("/conformance-self", "")
	p.Expect(a.StatusCode >= 400 && a.StatusCode != http.StatusGatewayTimeout, "%s", a.Status)
}

func checkAltSvc(p *Probe) {
	o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Alt-Svc", `h3=":443"; ma=86400`)
		_, _ = io.WriteString(w, "ok")
	})
	a := p.Get(o.URL + "/")
	p.Expect(string(a.Body) == "ok", "%s %q", a.Status, a.Body)
	p.without(a.Header, "Alt-Svc")
}
