package conformance

import (
	"fmt"
	"net/http"
	"strings"
)

func lastHop() []Requirement {
	all, wire := allWays(), wireWays()
	return []Requirement{
		{"options", "RFC 9110 §9.3.7", "OPTIONS of a resource reaches the origin.", all, checkOptions},
		{"options-server", "RFC 9112 §3.2.4", "OPTIONS with neither path nor query becomes OPTIONS *.", wire, checkOptionsServer},
		{"options-max-forwards", "RFC 9110 §7.6.2", "The proxy answers OPTIONS with Max-Forwards: 0 itself.", all, checkLastHop(http.MethodOptions)},
		{"trace-max-forwards", "RFC 9110 §7.6.2", "The proxy answers TRACE with Max-Forwards: 0 itself, or refuses TRACE.", all, checkLastHop(http.MethodTrace)},
		{"trace-secrets", "RFC 9110 §9.3.8", "An answer to TRACE leaves out what might be secret.", all, checkTraceSecrets},
		{"max-forwards-down", "RFC 9110 §7.6.2", "Max-Forwards is counted down for OPTIONS.", all, checkCountDown},
		{"max-forwards-others", "RFC 9110 §7.6.2", "Max-Forwards: 0 does not stop GET.", all, checkMaxForwardsGet},
	}
}

func checkOptions(p *Probe) {
	s := p.seen(p.Do(p.Request(http.MethodOptions, p.Serve(echo).URL+"/x?y", nil, "Origin", "http://other.example")))
	p.Expect(s.Method == http.MethodOptions && s.URI == "/x?y" && s.Header.Get("Origin") != "", "the origin got %s %s", s.Method, s.URI)
}

func checkOptionsServer(p *Probe) {
	o, rec := p.Record(okAnswer)
	w := p.Dial(o)
	target := "{url}"
	if p.Way != Plain {
		target = "*"
	}
	w.Send("OPTIONS " + target + " HTTP/1.1\r\nHost: {host}\r\n\r\n")
	a := w.Answer(http.MethodOptions)
	p.Expect(strings.HasPrefix(rec.Raw(), "OPTIONS * HTTP/1."), "%s; the origin got %.40q", a.Status, rec.Raw())
}

// checkLastHop returns the check that a request with Max-Forwards: 0 is not forwarded.
func checkLastHop(method string) func(p *Probe) {
	return func(p *Probe) {
		reached := make(chan struct{}, 1)
		o := p.Serve(func(http.ResponseWriter, *http.Request) { reached <- struct{}{} })
		a := p.Do(p.Request(method, o.URL+"/", nil, "Max-Forwards", "0", "X-Mine", "mine"))
		p.Expect(len(reached) == 0, "it reached the origin")
		refused := method == http.MethodTrace && (a.StatusCode == http.StatusMethodNotAllowed || a.StatusCode == http.StatusNotImplemented ||
			a.StatusCode == http.StatusForbidden)
		p.Expect(a.StatusCode/100 == 2 || refused, "%s", a.Status)
		if method == http.MethodTrace && !refused {
			p.Expect(strings.HasPrefix(a.Header.Get("Content-Type"), "message/http") && strings.Contains(strings.ToLower(string(a.Body)), "x-mine: mine"),
				"%s: %q", a.Header.Get("Content-Type"), a.Body)
		}
	}
}

func checkTraceSecrets(p *Probe) {
	o := p.Serve(func(http.ResponseWriter, *http.Request) {})
	a := p.Do(p.Request(http.MethodTrace, o.URL+"/", nil, "Max-Forwards", "0", "Cookie", "a=secret", "Authorization", "Basic secret",
		"Proxy-Authorization", "Basic secret"))
	p.Expect(a.StatusCode != 0 && !strings.Contains(string(a.Body), "secret"), "%s: %q", a.Status, a.Body)
	p.Expect(a.StatusCode >= 400 || strings.HasPrefix(a.Header.Get("Content-Type"), "message/http"), "%s without what was asked", a.Status)
}

func checkCountDown(p *Probe) {
	o := p.Serve(echo)
	for _, n := range []int{1, 7} {
		s := p.seen(p.Do(p.Request(http.MethodOptions, o.URL+"/", nil, "Max-Forwards", fmt.Sprint(n))))
		p.Expect(s.Header.Get("Max-Forwards") == fmt.Sprint(n-1), "%d became %q", n, s.Header["Max-Forwards"])
	}
}

func checkMaxForwardsGet(p *Probe) {
	s := p.seen(p.Get(p.Serve(echo).URL+"/", "Max-Forwards", "0"))
	p.Expect(s.Method == http.MethodGet, "the origin got %s", s.Method)
}
