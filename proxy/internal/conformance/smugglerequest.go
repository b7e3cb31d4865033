package conformance

import (
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"
)

func smuggledRequests() []Requirement {
	wire, plain := wireWays(), plainWay()
	return []Requirement{
		{"smuggle-both-lengths", "RFC 9112 §6.1", "Content-Length beside Transfer-Encoding never goes on, and the connection ends with that request.", wire, checkBothLengths},
		{"smuggle-lengths-differ", "RFC 9112 §6.3", "Content-Lengths that differ are refused.", wire, refuses("Content-Length: 3\r\nContent-Length: 30\r\n")},
		{"smuggle-length-list", "RFC 9112 §6.3", "A list of equal Content-Lengths is refused or made one.", wire, checkLengthList},
		{"smuggle-length-invalid", "RFC 9112 §6.3", "A Content-Length that is no number is refused.", wire, refuses("Content-Length: +7\r\n",
			"Content-Length: -7\r\n", "Content-Length: 0x7\r\n", "Content-Length: 7a\r\n", "Content-Length: 7,8\r\n", "Content-Length: 7 7\r\n")},
		{"smuggle-length-overflow", "RFC 9112 §6.2", "A Content-Length that fits no integer is refused.", wire, refuses("Content-Length: 18446744073709551623\r\n")},
		{"smuggle-coding-not-last", "RFC 9112 §6.3", "A Transfer-Encoding that does not end in chunked is refused.", wire, refuses(
			"Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: identity\r\n")},
		{"smuggle-coding-disguised", "RFC 9112 §6.1", "A Transfer-Encoding that others might take for chunked is refused.", wire, refuses("Transfer-Encoding: xchunked\r\n",
			"Transfer-Encoding: \x0bchunked\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n", "Transfer-Encoding: \"chunked\"\r\n")},
		{"smuggle-coding-http10", "RFC 9112 §6.1", "Transfer-Encoding in HTTP/1.0 is refused, or ends the connection.", wire, checkCodingHTTP10},
		{"smuggle-colon-space", "RFC 9112 §5.1", "Space before a field's colon is refused.", wire, refuses("Content-Length : 7\r\n", "X-A : b\r\n", "X-A\t: b\r\n")},
		{"smuggle-first-line-space", "RFC 9112 §2.2", "A first field line that begins with space is refused, or not forwarded.", wire, checkFirstLineSpace},
		{"smuggle-folded", "RFC 9112 §5.2", "A folded line is refused, or unfolded.", wire, checkFolded},
		{"smuggle-bare-lf", "RFC 9112 §2.2", "Lines that end in LF alone are refused, or go on with CRLF.", wire, checkBareLF},
		{"smuggle-bare-cr", "RFC 9112 §2.2", "A CR inside a line is refused, or replaced.", wire, checkControl("\r")},
		{"smuggle-nul", "RFC 9110 §5.5", "A NUL inside a line is refused, or replaced.", wire, checkControl("\x00")},
		{"smuggle-chunk-size", "RFC 9112 §7.1", "Chunk sizes that are no numbers, or too large for one, never make a whole request.", wire, checkChunkSize},
		{"smuggle-chunk-end", "RFC 9112 §7.1", "A chunk that is longer than its size never makes a whole request.", wire, breaks("Transfer-Encoding: chunked\r\n\r\n3\r\ncontent\r\n0\r\n\r\n")},
		{"smuggle-short-body", "RFC 9112 §8", "A body that ends before its Content-Length never makes a whole request.", wire, breaks("Content-Length: 70\r\n\r\ncontent")},
		{"garbage-line", "RFC 9112 §2.2", "A header line without a colon is answered with a refusal.", wire, refuses("this is no field\r\n", ": no name\r\n")},
		{"garbage-method", "RFC 9112 §3.1", "A method that is no token is answered with a refusal.", wire, func(p *Probe) { p.refusedLine("G(E)T {url}/ HTTP/1.1") }},
		{"garbage-bytes", "RFC 9112 §2.2", "Bytes that are not HTTP are answered with a refusal.", wire, checkGarbage},
		{"garbage-tls", "RFC 9112 §2.2", "TLS on a plain connection is answered, or the connection is closed.", plain, checkTLSOnPlain},
	}
}

// shaped sends one POST of "content" with the lines in its header. It returns the final response, nil if the proxy
// closed the connection, and what the origin received. The check fails if the proxy does neither.
func (p *Probe) shaped(lines string) (*Answer, *Recording) {
	return p.sent("POST {url}/ HTTP/1.1\r\nHost: {host}\r\n" + lines + "\r\ncontent")
}

func (p *Probe) sent(raw string) (*Answer, *Recording) {
	o, rec := p.Record(okAnswer)
	w := p.Dial(o)
	w.Send(raw)
	_ = w.SetReadDeadline(time.Now().Add(5 * time.Second))
	a, err := w.TryAnswer(http.MethodPost)
	if err != nil && timedOut(err) {
		p.Failf("no answer, and the connection stays open")
	}
	return a, rec
}

// refuses returns the check that a request with each of the lines gets 4xx or 501 and is not forwarded.
func refuses(shapes ...string) func(p *Probe) {
	return func(p *Probe) {
		for _, lines := range shapes {
			a, rec := p.shaped(lines)
			if a == nil {
				p.Failf("%q: the proxy hung up without a word", lines)
			}
			p.Expect(a.StatusCode/100 == 4 || a.StatusCode == http.StatusNotImplemented, "%q: %s", lines, a.Status)
			p.Expect(len(rec.Requests()) == 0, "%q: the origin got %q", lines, rec.Raw())
		}
	}
}

func checkBothLengths(p *Probe) {
	o, rec := p.Record(okAnswer)
	w := p.Dial(o)
	w.Send("POST {url}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
		"GET {url}/smuggled HTTP/1.1\r\nHost: {host}\r\n\r\n")
	a := w.Answer(http.MethodPost)
	p.Expect(w.Closed(3*time.Second), "%s, and the connection stays open", a.Status)
	got := rec.Requests()
	p.Expect(len(got) <= 1 && !strings.Contains(rec.Raw(), "/smuggled"), "the origin got %q", rec.Raw())
	lower := strings.ToLower(rec.Raw())
	p.Expect(!strings.Contains(lower, "content-length:") || !strings.Contains(lower, "transfer-encoding:"), "both went on: %q", rec.Raw())
	p.Expect(a.StatusCode >= 400 || len(got) == 1, "%s, and nothing reached the origin", a.Status)
}

func checkLengthList(p *Probe) {
	for _, lines := range []string{"Content-Length: 7, 7\r\n", "Content-Length: 7\r\nContent-Length: 7\r\n"} {
		a, rec := p.shaped(lines)
		if a == nil || a.StatusCode >= 400 {
			p.Expect(len(rec.Requests()) == 0, "%q was refused, and went on", lines)
			continue
		}
		n := strings.Count(strings.ToLower(rec.Raw()), "content-length: 7\r\n")
		chunked := strings.Contains(strings.ToLower(rec.Raw()), "transfer-encoding: chunked\r\n")
		p.Expect(len(rec.Requests()) == 1 && (n == 1) != chunked, "%q became %q", lines, rec.Raw())
	}
}

func checkCodingHTTP10(p *Probe) {
	o, rec := p.Record(okAnswer)
	w := p.Dial(o)
	w.Send("POST {url}/ HTTP/1.0\r\nHost: {host}\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
		"GET {url}/smuggled HTTP/1.1\r\nHost: {host}\r\n\r\n")
	a := w.Answer(http.MethodPost)
	p.Expect(w.Closed(3*time.Second), "%s, and the connection stays open", a.Status)
	p.Expect(!strings.Contains(rec.Raw(), "GET /smuggled HTTP"), "the origin got %q", rec.Raw())
	p.Expect(a.StatusCode >= 400 || len(rec.Requests()) == 1, "%s, and nothing reached the origin", a.Status)
}

func checkFirstLineSpace(p *Probe) {
	a, rec := p.sent("POST {url}/ HTTP/1.1\r\n X-Evil: 1\r\nHost: {host}\r\nContent-Length: 7\r\n\r\ncontent")
	p.Expect(a == nil || a.StatusCode >= 400 || len(rec.Requests()) == 1, "an answer from nowhere")
	p.Expect(!strings.Contains(rec.Raw(), "X-Evil"), "the origin got %q", rec.Raw())
}

func checkFolded(p *Probe) {
	a, rec := p.shaped("Content-Length: 7\r\nX-Fold: a\r\n b\r\n\tc\r\n")
	if a == nil || a.StatusCode >= 400 {
		p.Expect(len(rec.Requests()) == 0, "it was refused, and went on")
		return
	}
	if len(rec.Requests()) != 1 {
		p.Failf("%s; the origin got %q", a.Status, rec.Raw())
	}
	p.Expect(!strings.Contains(rec.Raw(), "\r\n b") && !strings.Contains(rec.Raw(), "\r\n\tc"), "folded still: %q", rec.Raw())
	p.Expect(strings.Join(strings.Fields(rec.Requests()[0].Header.Get("X-Fold")), " ") == "a b c", "the origin got %q", rec.Raw())
}

// bare reports a CR or LF that is not part of a CRLF.
func bare(s string) bool {
	return regexp.MustCompile(`(^|[^\r])\n|\r([^\n]|$)`).MatchString(s)
}

func checkBareLF(p *Probe) {
	a, rec := p.sent("POST {url}/ HTTP/1.1\nHost: {host}\nX-Mine: 1\nContent-Length: 7\n\ncontent")
	head, _, _ := strings.Cut(rec.Raw(), "\r\n\r\n")
	p.Expect(!bare(head), "the origin got %q", head)
	if a == nil || a.StatusCode >= 400 {
		p.Expect(len(rec.Requests()) == 0, "it was refused, and went on")
		return
	}
	p.Expect(len(rec.Requests()) == 1 && rec.Requests()[0].Header.Get("X-Mine") == "1", "%s; the origin got %q", a.Status, rec.Raw())
}

// checkControl returns the check that a control character inside a line is not forwarded.
func checkControl(c string) func(p *Probe) {
	return func(p *Probe) {
		a, rec := p.shaped("Content-Length: 7\r\nX-Mine: a" + c + "X-Evil: b\r\n")
		head, _, _ := strings.Cut(rec.Raw(), "\r\n\r\n")
		p.Expect(!bare(head) && !strings.Contains(head, "\x00"), "the origin got %q", head)
		p.Expect(a == nil || a.StatusCode >= 400 || len(rec.Requests()) == 1, "an answer from nowhere")
		for _, r := range rec.Requests() {
			p.Expect(r.Header.Get("X-Evil") == "", "one line became two: %q", head)
		}
	}
}

func checkChunkSize(p *Probe) {
	for _, size := range []string{"zz", "-1", "0x7", "", "10000000000000007", "7 7", "+7"} {
		breaks("Transfer-Encoding: chunked\r\n\r\n" + size + "\r\ncontent\r\n0\r\n\r\n")(p)
	}
}

// breaks returns the check that a POST with this rest of header and body never reaches the origin as a whole request.
func breaks(rest string) func(p *Probe) {
	return func(p *Probe) {
		o, rec := p.Record(okAnswer)
		w := p.Dial(o)
		w.Send("POST {url}/ HTTP/1.1\r\nHost: {host}\r\n" + rest)
		if half, ok := w.Conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		_ = w.SetReadDeadline(time.Now().Add(5 * time.Second))
		a, err := w.TryAnswer(http.MethodPost)
		p.Expect(err == nil || !timedOut(err), "%q: no answer, and the connection stays open", rest)
		p.Expect(a == nil || a.StatusCode >= 400, "%q: %v", rest, a)
		p.Expect(len(rec.Requests()) == 0, "%q: the origin got %q", rest, rec.Raw())
	}
}

func checkGarbage(p *Probe) {
	for _, raw := range []string{string(noise(300)) + "\r\n\r\n", "\x00\x00\x00\x00\r\n\r\n", "GET\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"} {
		a, rec := p.sent(raw)
		if a == nil {
			p.Failf("%.20q: the proxy hung up without a word", raw)
		}
		p.Expect(a.StatusCode/100 == 4 || a.StatusCode/100 == 5, "%.20q: %s", raw, a.Status)
		p.Expect(len(rec.Requests()) == 0, "%.20q: the origin was asked", raw)
	}
}

func checkTLSOnPlain(p *Probe) {
	c := p.dialProxy()
	_, err := io.WriteString(c, "\x16\x03\x01\x00\x2f\x01\x00\x00\x2b\x03\x03"+string(noise(32))+"\x00\x00\x02\x13\x01\x01\x00\r\n\r\n")
	p.Need(err, "send a ClientHello")
	_ = c.(*net.TCPConn).CloseWrite()
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	answer, err := io.ReadAll(c)
	p.Expect(!timedOut(err), "the proxy waits for more")
	p.Expect(len(answer) == 0 || strings.HasPrefix(string(answer), "HTTP/1.") && answer[9] == '4', "the answer is %.60q", answer)
}
