package conformance

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

func interim() []Requirement {
	all, wire := allWays(), wireWays()
	return []Requirement{
		{"early-hints", "RFC 8297 §2", "103 passes with its fields, which do not stick to the final answer.", all, checkEarlyHints},
		{"interim-many", "RFC 9110 §15.2", "Several 1xx answers pass in order, unknown ones too.", wire, checkManyInterim},
		{"interim-http10", "RFC 9110 §15.2", "A client of HTTP/1.0 is sent no 1xx.", wire, checkInterimHTTP10},
		{"interim-unrequested-continue", "RFC 9110 §15.2.1", "A 100 that nobody requested is not taken for the answer.", wire, checkStrayContinue},
		{"continue", "RFC 9110 §10.1.1", "A client that expects 100-continue gets it and then the answer.", all, checkContinue},
		{"continue-refused", "RFC 9110 §10.1.1", "A final answer without 100 reaches a client that is still holding back its body.", wire, checkContinueRefused},
		{"continue-forwarded", "RFC 9110 §10.1.1", "The expectation reaches the origin.", wire, checkContinueForwarded},
		{"trailers-answer", "RFC 9110 §6.5", "Trailers of an answer pass.", all, checkAnswerTrailers},
		{"trailers-request", "RFC 9110 §6.5", "Trailers of a request pass.", all, checkRequestTrailers},
		{"trailers-te", "RFC 9110 §10.1.4", "TE belongs to the proxy: it forwards only trailers, and only if the client sent it.", wire, checkTE},
	}
}

func checkEarlyHints(p *Probe) {
	o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "done")
	})
	a := p.Get(o.URL + "/")
	p.Expect(a.StatusCode == http.StatusOK && string(a.Body) == "done", "%s %q", a.Status, a.Body)
	if len(a.Interim) != 1 || a.Interim[0].Status != http.StatusEarlyHints {
		p.Failf("1xx: %v", a.Interim)
	}
	p.Expect(a.Interim[0].Header.Get("Link") == "</style.css>; rel=preload", "103 with %v", a.Interim[0].Header)
	p.Expect(a.Header.Get("Link") == "", "the final answer has the hint's Link")
}

func checkManyInterim(p *Probe) {
	o, _ := p.Record("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 142 Unheard Of\r\nX-A: b\r\n\r\n" + okAnswer)
	a := p.Dial(o).Exchange("/", "")
	p.Expect(a.StatusCode == http.StatusOK && string(a.Body) == "ok", "%s %q", a.Status, a.Body)
	var got []int
	for _, i := range a.Interim {
		got = append(got, i.Status)
	}
	p.Expect(len(got) == 3 && got[0] == 102 && got[1] == 103 && got[2] == 142, "1xx: %v", got)
}

func checkInterimHTTP10(p *Probe) {
	o, _ := p.Record("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + okAnswer)
	w := p.Dial(o)
	w.Send("GET {url}/ HTTP/1.0\r\nHost: {host}\r\n\r\n")
	a := w.Answer(http.MethodGet)
	p.Expect(len(a.Interim) == 0 && a.StatusCode == http.StatusOK && string(a.Body) == "ok", "1xx: %v, then %s", a.Interim, a.Status)
}

func checkStrayContinue(p *Probe) {
	o, _ := p.Record("HTTP/1.1 100 Continue\r\n\r\n" + okAnswer)
	w := p.Dial(o)
	for range 2 {
		a := w.Exchange("/", "")
		p.Expect(a.StatusCode == http.StatusOK && string(a.Body) == "ok", "%s %q", a.Status, a.Body)
	}
}

func checkContinue(p *Probe) {
	o := p.Serve(echo)
	start := time.Now()
	s := p.seen(p.Do(p.Request(http.MethodPost, o.URL+"/", strings.NewReader("content"), "Expect", "100-continue")))
	p.Expect(string(s.Body) == "content", "the origin got %q", s.Body)
	p.Expect(time.Since(start) < 3*time.Second, "it took %v: the client gave up waiting", time.Since(start).Round(time.Millisecond))
}

// serveExpecting starts an origin that reports through expected whether the client waits for 100. Then it refuses or,
// with go-ahead, reads the body and answers.
func (p *Probe) serveExpecting(goAhead bool, expected chan<- bool) *Origin {
	return p.ServeRaw(func(c net.Conn) {
		br := bufio.NewReader(c)
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		expected <- strings.EqualFold(req.Header.Get("Expect"), "100-continue")
		if !goAhead {
			_, _ = io.WriteString(c, "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
			_, _ = io.Copy(io.Discard, br)
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n")
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = io.WriteString(c, okAnswer)
	})
}

const expectingPost = "POST {url}/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"

func checkContinueRefused(p *Probe) {
	w := p.Dial(p.serveExpecting(false, make(chan bool, 8)))
	w.Send(expectingPost)
	_ = w.SetReadDeadline(time.Now().Add(3 * time.Second))
	a, err := w.TryAnswer(http.MethodPost)
	if err != nil {
		p.Failf("no final answer while the body is held back: %w", err)
	}
	p.Expect(a.StatusCode == http.StatusExpectationFailed && string(a.Body) == "no", "%s %q", a.Status, a.Body)
}

func checkContinueForwarded(p *Probe) {
	expected := make(chan bool, 8)
	w := p.Dial(p.serveExpecting(true, expected))
	w.Send(expectingPost)
	select {
	case e := <-expected:
		p.Expect(e, "the origin was not told")
	case <-time.After(3 * time.Second):
		p.Errorf("the request did not go on before its body came")
	}
	w.Send("body")
	a := w.Answer(http.MethodPost)
	p.Expect(a.StatusCode == http.StatusOK, "%s", a.Status)
}

func checkAnswerTrailers(p *Probe) {
	o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		w.Header().Set("Content-Type", "application/grpc")
		_, _ = io.WriteString(w, "body")
		w.Header().Set("X-Sum", "42")
	})
	a := p.Get(o.URL+"/", "Te", "trailers")
	p.Expect(string(a.Body) == "body" && a.Broken == nil, "body %q, %v", a.Body, a.Broken)
	p.Expect(a.Trailer.Get("X-Sum") == "42", "trailers %v", a.Trailer)
}

func checkRequestTrailers(p *Probe) {
	o := p.Serve(echo)
	req := p.Request(http.MethodPost, o.URL+"/", io.MultiReader(strings.NewReader("content")))
	req.Trailer = http.Header{"X-Sum": {"42"}}
	s := p.seen(p.Do(req))
	p.Expect(string(s.Body) == "content" && s.Trailer.Get("X-Sum") == "42", "body %q, trailers %v", s.Body, s.Trailer)
}

func checkTE(p *Probe) {
	o, rec := p.Record(okAnswer)
	p.Dial(o).Exchange("/", "TE: deflate, trailers;q=0.5\r\nConnection: TE\r\n")
	p.Dial(o).Exchange("/", "")
	for i, r := range rec.Requests() {
		te := r.Header.Get("Te")
		p.Expect(te == "" || te == "trailers" && i == 0, "TE %q went on", te)
	}
	p.Expect(len(rec.Requests()) == 2, "%d of 2 requests arrived", len(rec.Requests()))
}
