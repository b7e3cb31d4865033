package conformance

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

func http2Only() []Requirement {
	h2 := []Way{TLS2}
	return []Requirement{
		{"h2-to-h1", "RFC 9113 §8.3.1", "A request of HTTP/2 for an origin of HTTP/1.1 gets Host and the right framing.", h2, checkH2ToH1},
		{"h2-cookies", "RFC 9113 §8.2.3", "Cookie lines are joined by \"; \" for HTTP/1.1.", h2, checkH2Cookies},
		{"h2-answer-fields", "RFC 9113 §8.2.2", "Connection's fields of an answer in HTTP/1.1 do not get into HTTP/2.", h2, checkH2AnswerFields},
		{"h2-parallel", "RFC 9113 §5", "A stream that stalls does not hold up the others of its connection.", h2, checkH2Parallel},
		{"h2-request-connection", "RFC 9113 §8.2.2", "Fields about the connection make a request malformed.", h2, checkH2Malformed("connection", "close")},
		{"h2-request-te", "RFC 9113 §8.2.2", "So does Transfer-Encoding, which could smuggle.", h2, checkH2Malformed("transfer-encoding", "chunked")},
		{"h2-request-capitals", "RFC 9113 §8.2.1", "So do capital letters in a name.", h2, checkH2Malformed("X-Capital", "1")},
		{"h2-request-newline", "RFC 9113 §8.2.1", "So does a line break in a value, which could split a request.", h2, checkH2Malformed("x-split", "a\r\nX-Evil: 1")},
		{"h2-path-space", "RFC 9113 §8.3.1", "A :path with a space in it, which would end the request line of HTTP/1.1, is refused.", h2,
			checkH2Path("/x HTTP/1.1", "/ /x", "/x?a b", " /x", "/x ")},
		{"h2-path-opaque", "RFC 9113 §8.3.1", "So is one that is neither a path nor \"*\".", h2,
			checkH2Path("https:https://evil.example//x", "http:/x", "https://evil.example/x", "x", "?x")},
		{"h2-request-length", "RFC 9113 §8.1.1", "So does a Content-Length that is not the body's.", h2, checkH2Length},
	}
}

func checkH2ToH1(p *Probe) {
	o, rec := p.Record(okAnswer)
	a := p.Do(p.Request(http.MethodPost, o.URL+"/x", io.MultiReader(strings.NewReader("content"))))
	if len(rec.Requests()) != 1 {
		p.Failf("%s; the origin got %q", a.Status, rec.Raw())
	}
	p.Expect(rec.Requests()[0].Host == o.Host, "Host %q", rec.Requests()[0].Host)
	p.Expect(strings.Contains(rec.Raw(), "content"), "the body is lost")
}

func checkH2Cookies(p *Probe) {
	o, rec := p.Record(okAnswer)
	p.Get(o.URL+"/", "Cookie", "a=b; c=d; e=f") // net/http sends them as separate fields
	for _, r := range rec.Requests() {
		got := r.Header["Cookie"]
		p.Expect(len(got) == 1 && got[0] == "a=b; c=d; e=f", "Cookie became %q", got)
	}
	p.Expect(len(rec.Requests()) == 1, "%d requests arrived", len(rec.Requests()))
}

func checkH2AnswerFields(p *Probe) {
	o, _ := p.Record("HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Mine\r\nX-Mine: 1\r\nKeep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\n" +
		"Upgrade: h2c\r\nTransfer-Encoding: chunked\r\nX-Kept: 1\r\n\r\n2\r\nok\r\n0\r\n\r\n")
	a := p.Get(o.URL + "/")
	p.Expect(string(a.Body) == "ok" && a.Header.Get("X-Kept") == "1", "%s %s %q", a.Proto, a.Status, a.Body)
	p.without(a.Header, "Connection", "X-Mine", "Keep-Alive", "Proxy-Connection", "Upgrade", "Transfer-Encoding")
}

func checkH2Parallel(p *Probe) {
	release := make(chan struct{})
	o := p.Serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stall" {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		_, _ = w.Write(noise(20_000))
	})
	client := p.Client()
	fetch := func(path string) error {
		resp, err := client.Do(p.Request(http.MethodGet, o.URL+path, nil))
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	var stalled, others sync.WaitGroup
	stalled.Go(func() { p.Expect(fetch("/stall") == nil, "the stalled stream failed") })
	start := time.Now()
	for range 20 {
		others.Go(func() { p.Expect(fetch("/") == nil, "a stream failed") })
	}
	others.Wait()
	p.Expect(time.Since(start) < 30*time.Second, "the others took %v", time.Since(start))
	close(release)
	stalled.Wait()
}

// h2 is an HTTP/2 connection to the proxy, on which a check writes every frame.
type h2 struct {
	*http2.Framer
	conn net.Conn
	p    *Probe
}

func (p *Probe) dialH2(o *Origin) *h2 {
	c := p.secure(p.connect(o.Host), o.Host, "h2")
	_, err := io.WriteString(c, http2.ClientPreface)
	p.Need(err, "open HTTP/2")
	h := &h2{http2.NewFramer(c, c), c, p}
	h.AllowIllegalWrites = true
	p.Need(h.WriteSettings(), "open HTTP/2")
	return h
}

// request sends the header of a request for o on stream 1, with one extra field that no browser sends.
func (h *h2) request(o *Origin, method string, end bool, name, value string) {
	h.requestPath(o, method, "/h2", end, name, value)
}

func (h *h2) requestPath(o *Origin, method, path string, end bool, name, value string) {
	var b bytes.Buffer
	enc := hpack.NewEncoder(&b)
	for _, f := range [][2]string{{":method", method}, {":scheme", "https"}, {":authority", o.Host}, {":path", path}, {name, value}} {
		_ = enc.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}) // a Buffer takes everything
	}
	h.p.Need(h.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: b.Bytes(), EndStream: end, EndHeaders: true}), "send the request")
}

// outcome waits for the result of stream 1: its status, or "end" when the stream or connection is closed.
func (h *h2) outcome() string {
	_ = h.conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	status := ""
	dec := hpack.NewDecoder(4096, func(f hpack.HeaderField) {
		if f.Name == ":status" {
			status = f.Value
		}
	})
	for {
		f, err := h.ReadFrame()
		if err != nil {
			if timedOut(err) {
				return "nothing"
			}
			return "end"
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				_ = h.WriteSettingsAck()
			}
		case *http2.RSTStreamFrame, *http2.GoAwayFrame:
			return "end"
		case *http2.HeadersFrame:
			_, _ = dec.Write(f.HeaderBlockFragment())
			return status
		}
	}
}

// serveCounting starts an origin that counts its requests.
func (p *Probe) serveCounting() (*Origin, *atomic.Int32) {
	var n atomic.Int32
	return p.Serve(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			n.Add(1)
		}
		_, _ = io.WriteString(w, "ok")
	}), &n
}

// checkH2Malformed returns the check that a request with the field is refused.
func checkH2Malformed(name, value string) func(p *Probe) {
	return func(p *Probe) {
		o, n := p.serveCounting()
		p.sound(o)
		h := p.dialH2(o)
		h.request(o, http.MethodGet, true, name, value)
		got := h.outcome()
		p.Expect(got == "end" || strings.HasPrefix(got, "4"), "the answer is %s", got)
		p.Expect(n.Load() == 1, "it reached the origin")
	}
}

// checkH2Path returns the check that requests for these paths are refused.
func checkH2Path(paths ...string) func(p *Probe) {
	return func(p *Probe) {
		o, n := p.serveCounting()
		p.sound(o)
		for _, path := range paths {
			h := p.dialH2(o)
			h.requestPath(o, http.MethodGet, path, true, "x-sound", "1")
			got := h.outcome()
			p.Expect(got == "end" || strings.HasPrefix(got, "4"), "%q: the answer is %s", path, got)
		}
		p.Expect(n.Load() == 1, "%d requests reached the origin", n.Load())
	}
}

// sound expects that a request with nothing wrong is answered.
func (p *Probe) sound(o *Origin) {
	h := p.dialH2(o)
	h.request(o, http.MethodGet, true, "x-sound", "1")
	got := h.outcome()
	p.Expect(got == "200", "the answer to a sound request is %s", got)
}

func checkH2Length(p *Probe) {
	o, n := p.serveCounting()
	p.sound(o)
	h := p.dialH2(o)
	h.request(o, http.MethodPost, false, "content-length", "3")
	_ = h.WriteData(1, true, []byte("abcGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"))
	got := h.outcome()
	p.Expect(got == "end" || strings.HasPrefix(got, "4") || strings.HasPrefix(got, "5"), "the answer is %s", got)
	p.Expect(n.Load() == 1, "it reached the origin")
}
