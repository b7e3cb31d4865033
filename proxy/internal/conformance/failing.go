package conformance

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

func failing() []Requirement {
	wire, all := wireWays(), allWays()
	return []Requirement{
		{"limit-request-header", "RFC 6585 §5", "A request header of 4 MiB is answered with 4xx.", wire, checkHugeHeader},
		{"limit-request-target", "RFC 9110 §15.5.15", "A request target of 4 MiB gets 4xx.", wire, checkHugeTarget},
		{"limit-answer-header", "RFC 9110 §15.6.3", "An answer's header of 16 MiB becomes a 502.", wire, checkHugeAnswer},
		{"limit-field-8k", "RFC 9112 §3", "Targets and fields of 8,000 bytes pass.", all, checkLongFields},
		{"fail-refused", "RFC 9110 §15.6.3", "An origin that refuses the connection becomes a 5xx that says so.", wire, checkRefused},
		{"fail-name", "RFC 9110 §15.6.3", "A name that does not resolve gets a 5xx that says so.", plainWay(), checkUnknownName},
		{"fail-not-repeated", "RFC 9112 §9.3.1", "A POST that may have been acted on is not sent again.", wire, checkNotRepeated},
		{"fail-stale", "RFC 9112 §9.3.1", "A GET that meets a kept connection which the origin has closed is answered.", wire, checkStale},
		{"fail-client-goes-on", "winnow", "After an answer that failed, the client's connection serves the next request.", wire, checkGoesOn},
	}
}

func checkHugeHeader(p *Probe) {
	o, rec := p.Record(okAnswer)
	w := p.Dial(o)
	go w.Send("GET {url}/ HTTP/1.1\r\nHost: {host}\r\nX-Large: " + strings.Repeat("x", 4<<20) + "\r\n\r\n")
	a := w.Answer(http.MethodGet)
	p.Expect(a.StatusCode/100 == 4, "%s", a.Status)
	p.Expect(len(rec.Requests()) == 0, "it reached the origin")
}

func checkHugeTarget(p *Probe) {
	o, rec := p.Record(okAnswer)
	w := p.Dial(o)
	go w.Send("GET {url}/" + strings.Repeat("x", 4<<20) + " HTTP/1.1\r\nHost: {host}\r\n\r\n")
	a := w.Answer(http.MethodGet)
	p.Expect(a.StatusCode/100 == 4, "%s", a.Status)
	p.Expect(len(rec.Requests()) == 0, "it reached the origin")
}

func checkHugeAnswer(p *Probe) {
	o, _ := p.Record("HTTP/1.1 200 OK\r\nConnection: close\r\nX-Large: " + strings.Repeat("x", 16<<20) + "\r\nContent-Length: 2\r\n\r\nok")
	a := p.Dial(o).Exchange("/", "")
	p.Expect(a.StatusCode/100 == 5, "%s", a.Status)
}

func checkLongFields(p *Probe) {
	long := strings.Repeat("0123456789abcdef", 500)
	o := p.Serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Long", long)
		echo(w, r)
	})
	a := p.Get(o.URL+"/"+long, "X-Long", long)
	s := p.seen(a)
	p.Expect(s.URI == "/"+long && s.Header.Get("X-Long") == long, "the origin got %d and %d bytes", len(s.URI), len(s.Header.Get("X-Long")))
	p.Expect(a.Header.Get("X-Long") == long, "the client got %d bytes", len(a.Header.Get("X-Long")))
}

func checkRefused(p *Probe) {
	ln := p.listen()
	o := p.origin(ln)
	_ = ln.Close()
	a, err := p.Try(p.Request(http.MethodGet, o.URL+"/", nil))
	if err != nil && p.Way != Plain && strings.Contains(err.Error(), "Bad Gateway") || err != nil && strings.Contains(err.Error(), "Service Unavailable") {
		return // the response to CONNECT
	}
	p.Need(err, "the answer")
	p.Expect(a.StatusCode/100 == 5 && len(a.Body) > 0, "%s with %d bytes", a.Status, len(a.Body))
}

func checkUnknownName(p *Probe) {
	a := p.Get("http://nobody.invalid/")
	p.Expect(a.StatusCode/100 == 5 && len(a.Body) > 0, "%s with %d bytes", a.Status, len(a.Body))
}

// serveFickle starts an origin that answers the first request of a connection, closes it at the second, and counts the
// second ones.
func (p *Probe) serveFickle(posts *atomic.Int32) *Origin {
	return p.ServeRaw(func(c net.Conn) {
		br := bufio.NewReader(c)
		for i := range 2 {
			req, err := http.ReadRequest(br)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, req.Body)
			if req.Method == http.MethodPost {
				posts.Add(1)
				return
			}
			if i == 0 {
				_, _ = io.WriteString(c, okAnswer)
			}
		}
	})
}

func checkNotRepeated(p *Probe) {
	var posts atomic.Int32
	o := p.serveFickle(&posts)
	w := p.Dial(o)
	p.Expect(w.Exchange("/", "").StatusCode == http.StatusOK, "the first request failed")
	w.Send("POST {url}/order HTTP/1.1\r\nHost: {host}\r\nContent-Length: 7\r\n\r\ncontent")
	_, _ = w.TryAnswer(http.MethodPost)
	p.Expect(posts.Load() == 1, "the origin got it %d times", posts.Load())
}

func checkStale(p *Probe) {
	var posts atomic.Int32
	o := p.serveFickle(&posts)
	w := p.Dial(o)
	for i := range 3 {
		a := w.Exchange("/", "")
		p.Expect(a.StatusCode == http.StatusOK && string(a.Body) == "ok", "request %d: %s", i+1, a.Status)
	}
}

func checkGoesOn(p *Probe) {
	o := p.ServeRaw(func(c net.Conn) {
		req, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil || req.URL.Path == "/bad" {
			return
		}
		_, _ = io.WriteString(c, strings.Replace(okAnswer, "\r\n", "\r\nConnection: close\r\n", 1))
	})
	w := p.Dial(o)
	a := w.Exchange("/bad", "")
	p.Expect(a.StatusCode/100 == 5, "%s for no answer", a.Status)
	time.Sleep(10 * time.Millisecond)
	a = w.Exchange("/good", "")
	p.Expect(a.StatusCode == http.StatusOK && string(a.Body) == "ok", "then %s %q", a.Status, a.Body)
}
