package conformance

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
)

// Origin is a server that a check started. It ends with the check.
type Origin struct {
	// URL is its address for a client, without a final slash.
	URL string
	// Host is its authority: host and port.
	Host string
}

// secureHost is the name of https origins. Every machine resolves it, and because it is no address, clients send it in
// SNI.
const secureHost = "localhost"

// Serve starts an origin with the handler h: HTTP/1.1, and for the way TLS2 also HTTP/2.
func (p *Probe) Serve(h http.HandlerFunc) *Origin {
	ln := p.listen()
	s := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		ReadHeaderTimeout: p.target.Timeout}
	serve := func() error { return s.Serve(ln) }
	if p.Way != Plain {
		s.TLSConfig, s.Protocols = p.target.Origins.TLSConfig(secureHost), new(http.Protocols)
		s.Protocols.SetHTTP1(true)
		s.Protocols.SetHTTP2(p.Way == TLS2)
		if p.Way == TLS1 {
			s.TLSConfig = withoutHTTP2(s.TLSConfig)
		}
		serve = func() error { return s.ServeTLS(ln, "", "") }
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = serve() }()
	p.Cleanup(func() { _ = s.Close(); <-done })
	return p.origin(ln)
}

// withoutHTTP2 returns the configuration of an origin that supports only HTTP/1.1.
func withoutHTTP2(c *tls.Config) *tls.Config {
	c = c.Clone()
	c.NextProtos = nil // like servers without ALPN, which accept every client
	if per := c.GetConfigForClient; per != nil {
		c.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			inner, err := per(hello)
			if err != nil || inner == nil {
				return inner, err
			}
			return withoutHTTP2(inner), nil
		}
	}
	return c
}

func (p *Probe) listen() net.Listener {
	ln, err := (&net.ListenConfig{}).Listen(p.ctx, "tcp", "127.0.0.1:0")
	p.Need(err, "start an origin")
	return ln
}

func (p *Probe) origin(ln net.Listener) *Origin {
	addr := ln.Addr().String()
	if p.Way == Plain {
		return &Origin{URL: "http://" + addr, Host: addr}
	}
	_, port, _ := net.SplitHostPort(addr) // a listener's address has a port
	host := net.JoinHostPort(secureHost, port)
	return &Origin{URL: "https://" + host, Host: host}
}

// ServeRaw starts an origin that passes every connection, without its TLS, to f, and closes it when f returns.
func (p *Probe) ServeRaw(f func(c net.Conn)) *Origin {
	ln := p.listen()
	o := p.origin(ln)
	if p.Way != Plain {
		ln = tls.NewListener(ln, withoutHTTP2(p.target.Origins.TLSConfig(secureHost)))
	}
	p.serveConns(ln, f)
	return o
}

// ServeBytes starts an origin without TLS for tunnels and returns its address.
func (p *Probe) ServeBytes(f func(c net.Conn)) string {
	ln := p.listen()
	p.serveConns(ln, f)
	return ln.Addr().String()
}

func (p *Probe) serveConns(ln net.Listener, f func(c net.Conn)) {
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(p.ctx)
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				stop := context.AfterFunc(ctx, func() { _ = c.Close() })
				defer stop()
				f(c)
			})
		}
	})
	p.Cleanup(func() { _ = ln.Close(); cancel(); wg.Wait() })
}

// Recording is what an origin received.
type Recording struct {
	mu       sync.Mutex
	raw      bytes.Buffer
	requests []*http.Request
}

// Raw returns all bytes received, over all connections.
func (r *Recording) Raw() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.raw.String()
}

// Requests returns the requests that could be parsed.
func (r *Recording) Requests() []*http.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*http.Request(nil), r.requests...)
}

// Write implements io.Writer.
func (r *Recording) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.raw.Write(b)
}

// Record starts an origin that sends the same bytes as response to every request and records the requests. A response
// with "Connection: close", or one that is no HTTP/1.1, ends the connection.
func (p *Probe) Record(answer string) (*Origin, *Recording) {
	rec := &Recording{}
	o := p.ServeRaw(func(c net.Conn) {
		br := bufio.NewReader(io.TeeReader(c, rec))
		for {
			req, err := http.ReadRequest(br)
			if err != nil {
				if !errors.Is(err, io.EOF) { // as a server would
					_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
				}
				return
			}
			if _, err := io.Copy(io.Discard, req.Body); err != nil {
				return // not a whole request
			}
			rec.mu.Lock()
			rec.requests = append(rec.requests, req)
			rec.mu.Unlock()
			if _, err := io.WriteString(c, answer); err != nil || !strings.HasPrefix(answer, "HTTP/1.1 ") ||
				strings.Contains(answer, "Connection: close") {
				return
			}
		}
	})
	return o, rec
}

// okAnswer is the default response of a recording origin.
const okAnswer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"

// Seen is a request as an echoing origin received it.
type Seen struct {
	Method, URI, Proto, Host string
	Header, Trailer          http.Header
	Body                     []byte
	Length                   int64
}

// echo responds with a description of the request.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(Seen{r.Method, r.RequestURI, r.Proto, r.Host, r.Header, r.Trailer, body, r.ContentLength})
}

// seen reads the response of an echoing origin.
func (p *Probe) seen(a *Answer) Seen {
	var s Seen
	if a.StatusCode != http.StatusOK {
		p.Failf("%s instead of the origin's answer", a.Status)
	}
	p.Need(json.Unmarshal(a.Body, &s), "the origin's answer")
	return s
}
