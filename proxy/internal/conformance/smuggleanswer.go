package conformance

import (
	"io"
	"net/http"
	"strings"
	"time"
)

func smuggledAnswers() []Requirement {
	wire := wireWays()
	return []Requirement{
		{"answer-both-lengths", "RFC 9112 §6.3", "Of Content-Length and Transfer-Encoding only the second counts, or the answer is 502.", wire, checkAnswerBothLengths},
		{"answer-lengths-differ", "RFC 9112 §6.3", "Content-Lengths that differ make a 502.", wire, badGateway(
			"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokx", "HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nokx")},
		{"answer-length-invalid", "RFC 9112 §6.3", "A Content-Length that is no number makes a 502.", wire, badGateway("HTTP/1.1 200 OK\r\nContent-Length: 2x\r\n\r\nok",
			"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok")},
		{"answer-not-http", "RFC 9110 §15.6.3", "Bytes that are not HTTP make a 502.", wire, badGateway("SSH-2.0-Server\r\n\r\n", string(noise(200)), "\r\n\r\n<html>hello</html>")},
		{"answer-status-invalid", "RFC 9112 §4", "A status that has not three digits makes a 502.", wire, badGateway("HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok",
			"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 OK\r\nContent-Length: 2\r\n\r\nok")},
		{"answer-none", "RFC 9110 §15.6.3", "An origin that closes the connection without an answer makes a 502.", wire, badGateway("")},
		{"answer-coding-unknown", "RFC 9112 §6.1", "A transfer coding that nobody requested makes a 502.", wire, badGateway(
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: x-unknown\r\n\r\nok")},
		{"answer-folded", "RFC 9112 §5.2", "A folded line is unfolded, or makes a 502.", wire, checkAnswerFolded},
		{"answer-colon-space", "RFC 9112 §5.1", "Space before a colon is removed, or makes a 502.", wire, checkAnswerColon},
		{"answer-control", "RFC 9110 §5.5", "NUL and bare CR do not get to the client.", wire, checkAnswerControl},
		{"answer-surplus", "RFC 9112 §6.3", "Bytes after an answer are not the next answer.", wire, checkSurplus("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")},
		{"answer-surplus-bodiless", "RFC 9112 §6.3", "Bytes after a 204 are not the next answer.", wire, checkSurplus("HTTP/1.1 204 No Content\r\n\r\n")},
		{"answer-chunk-invalid", "RFC 9112 §7.1", "A chunk that is malformed does not end the answer as if it were whole.", wire, checkAnswerChunks},
	}
}

// raw sends a GET as the connection's last request and returns all bytes of the response.
func (p *Probe) raw(o *Origin) string {
	w := p.Dial(o)
	w.Send("GET {url}/ HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
	_ = w.SetReadDeadline(time.Now().Add(5 * time.Second))
	got, err := io.ReadAll(w.r)
	p.Expect(err == nil || !timedOut(err), "no end after %.60q", got)
	return string(got)
}

// badGateway returns the check that each of the responses becomes a 502.
func badGateway(answers ...string) func(p *Probe) {
	return func(p *Probe) {
		for _, answer := range answers {
			o, rec := p.Record(strings.Replace(answer, "\r\n", "\r\nConnection: close\r\n", 1))
			if !strings.HasPrefix(answer, "HTTP/1.1 ") {
				o, rec = p.Record(answer)
			}
			a := p.Dial(o).Exchange("/", "")
			p.Expect(a.StatusCode == http.StatusBadGateway || a.StatusCode == http.StatusGatewayTimeout || a.StatusCode == http.StatusServiceUnavailable,
				"%.50q became %s", answer, a.Status)
			p.Expect(len(rec.Requests()) > 0, "the origin was not asked")
		}
	}
}

func checkAnswerBothLengths(p *Probe) {
	o, _ := p.Record("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n7\r\ncontent\r\n0\r\n\r\n")
	head, _, _ := strings.Cut(p.raw(o), "\r\n\r\n")
	lower := strings.ToLower(head)
	p.Expect(!strings.Contains(lower, "content-length: 3") && strings.HasPrefix(head, "HTTP/1.1 "), "the client got %q", head)
	a := p.Dial(o).Exchange("/", "")
	p.Expect(a.StatusCode >= 500 || a.Broken == nil && string(a.Body) == "content", "%s %q, %v", a.Status, a.Body, a.Broken)
}

func checkAnswerFolded(p *Probe) {
	o, _ := p.Record("HTTP/1.1 200 OK\r\nConnection: close\r\nX-Fold: a\r\n b\r\nContent-Length: 2\r\n\r\nok")
	got := p.raw(o)
	p.Expect(strings.HasPrefix(got, "HTTP/1.1 ") && !strings.Contains(got, "\r\n b"), "the client got %.200q", got)
	a := p.Dial(o).Exchange("/", "")
	p.Expect(a.StatusCode >= 500 || strings.Join(strings.Fields(a.Header.Get("X-Fold")), " ") == "a b", "%s, X-Fold %q", a.Status, a.Header["X-Fold"])
}

func checkAnswerColon(p *Probe) {
	o, _ := p.Record("HTTP/1.1 200 OK\r\nConnection: close\r\nX-Mine : 1\r\nContent-Length: 2\r\n\r\nok")
	got := p.raw(o)
	p.Expect(strings.HasPrefix(got, "HTTP/1.1 5") || strings.HasPrefix(got, "HTTP/1.1 200 ") && !strings.Contains(got, "X-Mine :"),
		"the client got %.200q", got)
}

func checkAnswerControl(p *Probe) {
	for _, c := range []string{"\x00", "\r"} {
		o, _ := p.Record("HTTP/1.1 200 OK\r\nConnection: close\r\nX-Mine: a" + c + "X-Evil: b\r\nContent-Length: 2\r\n\r\nok")
		head, _, _ := strings.Cut(p.raw(o), "\r\n\r\n")
		p.Expect(strings.HasPrefix(head, "HTTP/1.1 "), "the client got %.60q", head)
		p.Expect(!bare(head) && !strings.Contains(head, "\x00"), "the client got %.300q", head)
	}
}

// checkSurplus returns the check that bytes after an origin's response never reach a client.
func checkSurplus(answer string) func(p *Probe) {
	return func(p *Probe) {
		o, _ := p.Record(answer + "HTTP/1.1 200 OK\r\nX-Evil: 1\r\nContent-Length: 4\r\n\r\nevil")
		w := p.Dial(o)
		for range 3 {
			a := w.Exchange("/", "")
			p.Expect(a.Header.Get("X-Evil") == "" && string(a.Body) != "evil", "the client got %s %q", a.Status, a.Body)
			p.Expect(a.StatusCode < 300 || a.StatusCode >= 500, "%s", a.Status)
			time.Sleep(10 * time.Millisecond) // lets the proxy reuse the connection if it wrongly kept it
		}
	}
}

func checkAnswerChunks(p *Probe) {
	for _, chunks := range []string{"7\r\ncontent\r\nzz\r\n", "7\r\ncontentX\r\n0\r\n\r\n", "10000000000000007\r\ncontent\r\n0\r\n\r\n", "7\r\ncontent\r\n"} {
		o, _ := p.Record("HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
		w := p.Dial(o)
		w.Send("GET {url}/ HTTP/1.1\r\nHost: {host}\r\n\r\n")
		a, err := w.TryAnswer(http.MethodGet)
		p.Expect(err != nil && !timedOut(err) || a != nil && (a.Broken != nil || a.StatusCode >= 500), "%q passed for a whole answer", chunks)
	}
}
