package conformance

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Answer is a response with its body read.
type Answer struct {
	*http.Response
	// Body is what arrived of the body.
	Body []byte
	// Broken says why the body is incomplete. It is nil for a complete body.
	Broken error
	// Interim are the 1xx responses before it.
	Interim []Interim
}

// Interim is a 1xx answer.
type Interim struct {
	Status int
	Header http.Header
}

// Client returns a client that uses the proxy in the probe's way. It follows no redirects.
func (p *Probe) Client() *http.Client {
	tr := &http.Transport{
		Proxy:                 http.ProxyURL(&url.URL{Scheme: "http", Host: p.target.Addr}),
		TLSClientConfig:       &tls.Config{RootCAs: p.target.Trust, MinVersion: tls.VersionTLS12},
		Protocols:             new(http.Protocols),
		DisableCompression:    true,
		ExpectContinueTimeout: 5 * time.Second,
	}
	tr.Protocols.SetHTTP1(true) // in addition to HTTP/2, like browsers: some proxies offer the origin's version
	tr.Protocols.SetHTTP2(p.Way == TLS2)
	p.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Request makes a request. header alternates names and values.
func (p *Probe) Request(method, u string, body io.Reader, header ...string) *http.Request {
	req, err := http.NewRequestWithContext(p.ctx, method, u, body)
	p.Need(err, "make a request")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	return req
}

// Get fetches u through the proxy.
func (p *Probe) Get(u string, header ...string) *Answer {
	return p.Do(p.Request(http.MethodGet, u, nil, header...))
}

// Do sends req through the proxy. Without a response it ends the check; with a truncated one it does not.
func (p *Probe) Do(req *http.Request) *Answer {
	a, err := p.Try(req)
	p.Need(err, req.Method+" through the proxy")
	return a
}

// Try sends req through the proxy.
func (p *Probe) Try(req *http.Request) (*Answer, error) {
	var mu sync.Mutex
	var interim []Interim
	trace := &httptrace.ClientTrace{Got1xxResponse: func(status int, h textproto.MIMEHeader) error {
		mu.Lock()
		defer mu.Unlock()
		interim = append(interim, Interim{status, http.Header(h)})
		return nil
	}}
	resp, err := p.Client().Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return nil, err
	}
	a := read(resp)
	mu.Lock()
	defer mu.Unlock()
	a.Interim = interim
	return a, nil
}

// read reads a response's body.
func read(resp *http.Response) *Answer {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return &Answer{Response: resp, Body: body, Broken: err}
}

// Wire is a client's connection to an origin through the proxy, on which a check writes every byte.
type Wire struct {
	net.Conn
	p  *Probe
	r  *bufio.Reader
	in *strings.Replacer
}

// Dial opens a Wire: in the way Plain a connection to the proxy, otherwise one inside CONNECT and TLS.
func (p *Probe) Dial(o *Origin) *Wire {
	w := &Wire{p: p, in: strings.NewReplacer("{url}", o.URL, "{host}", o.Host)}
	if p.Way == Plain {
		w.Conn = p.dialProxy()
	} else {
		w.Conn = p.secure(p.connect(o.Host), o.Host, "http/1.1")
		w.in = strings.NewReplacer("{url}", "", "{host}", o.Host)
	}
	w.r = bufio.NewReader(w.Conn)
	return w
}

// Send writes s with {url} and {host} replaced, so that "GET {url}/x" has the right form for the way. It ignores write
// errors: a proxy that closes early shows in the response.
func (w *Wire) Send(s string) { _, _ = w.in.WriteString(w.Conn, s) }

// Answer reads the response to a request with the method. Without a response it ends the check.
func (w *Wire) Answer(method string) *Answer {
	a, err := w.TryAnswer(method)
	w.p.Need(err, "the answer")
	return a
}

// TryAnswer reads the response to a request with the method.
func (w *Wire) TryAnswer(method string) (*Answer, error) {
	var interim []Interim
	for {
		resp, err := http.ReadResponse(w.r, &http.Request{Method: method})
		if err != nil {
			return nil, err
		}
		if resp.StatusCode >= 200 || resp.StatusCode == http.StatusSwitchingProtocols {
			a := &Answer{Response: resp, Interim: interim}
			if resp.StatusCode >= 200 {
				a = read(resp)
				a.Interim = interim
			}
			return a, nil
		}
		interim = append(interim, Interim{resp.StatusCode, resp.Header})
	}
}

// Exchange sends a GET with extra header lines, each ended by CRLF, and reads the response.
func (w *Wire) Exchange(path, lines string) *Answer {
	w.Send("GET {url}" + path + " HTTP/1.1\r\nHost: {host}\r\n" + lines + "\r\n")
	return w.Answer(http.MethodGet)
}

// Closed reports whether the proxy closes the connection within the time.
func (w *Wire) Closed(within time.Duration) bool {
	_ = w.SetReadDeadline(time.Now().Add(within))
	_, err := io.Copy(io.Discard, w.r)
	var ne net.Error
	return err == nil || !errors.As(err, &ne) || !ne.Timeout()
}

// noise returns n pseudorandom bytes, the same each time.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint32(2463534242)
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = byte(x)
	}
	return b
}

// same describes the difference of two bodies. It is empty for equal bodies.
func same(got, want []byte) string {
	if bytes.Equal(got, want) {
		return ""
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return "differs at byte " + strconv.Itoa(i) + " of " + strconv.Itoa(len(want))
		}
	}
	return strconv.Itoa(len(got)) + " bytes instead of " + strconv.Itoa(len(want))
}
