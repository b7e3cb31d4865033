package conformance

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"
)

// Origins makes the certificates of the checks' origins. *certs.Authority implements it. The proxy must trust its CA.
type Origins interface {
	// TLSConfig returns the server side of a connection to host.
	TLSConfig(host string) *tls.Config
}

// Target is the proxy under test.
type Target struct {
	// Addr is the address of its listener for clients, as host:port.
	Addr string
	// Trust verifies the proxy's certificates in intercepted connections. nil means that it does not intercept.
	Trust *x509.CertPool
	// Origins makes the certificates of https origins. It may be nil if Trust is nil.
	Origins Origins
	// Timeout bounds one check; 0 means 15 seconds.
	Timeout time.Duration
	// Parallel is how many checks run at once; 0 means 4.
	Parallel int
}

// Outcome is the result of one check.
type Outcome struct {
	// ID is the requirement's.
	ID string
	// Way is the way of the check.
	Way Way
	// Err is nil if the requirement is met. Otherwise it describes what happened instead.
	Err error
	// Skipped says that the proxy does not offer the way.
	Skipped bool
}

// Run checks every requirement in every way and returns the outcomes in the order of the list.
func Run(ctx context.Context, t Target, list []Requirement) []Outcome {
	t = t.withDefaults()
	offered := map[Way]bool{Plain: true, TLS1: t.Trust != nil, TLS2: t.Trust != nil && t.speaksHTTP2(ctx)}
	var outcomes []Outcome
	for _, r := range list {
		for _, w := range r.Ways {
			outcomes = append(outcomes, Outcome{ID: r.ID, Way: w, Skipped: !offered[w]})
		}
	}
	var wg sync.WaitGroup
	places := make(chan struct{}, t.Parallel)
	for i := range outcomes {
		o := &outcomes[i]
		if o.Skipped {
			continue
		}
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			o.Err = Try(ctx, t, o.ID, o.Way)
		})
	}
	wg.Wait()
	return outcomes
}

func (t Target) withDefaults() Target {
	if t.Timeout <= 0 {
		t.Timeout = 15 * time.Second
	}
	if t.Parallel <= 0 {
		t.Parallel = 4
	}
	return t
}

// Try checks one requirement in one way. It returns nil if it is met, otherwise what happened instead.
func Try(ctx context.Context, t Target, id string, w Way) error {
	r, ok := find(id)
	if !ok {
		return fmt.Errorf("no requirement is named %q", id)
	}
	t = t.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	p := &Probe{Way: w, ctx: ctx, target: t}
	done := make(chan struct{})
	go func() { // a separate goroutine, which Failf can end
		defer close(done)
		defer p.clean()
		finished := false
		defer func() {
			if v := recover(); v != nil {
				p.Errorf("the check panicked: %v", v)
			} else if !finished && p.err() == nil {
				p.Errorf("the check ended early")
			}
		}()
		r.Check(p)
		finished = true
	}()
	<-done
	return p.err()
}

// speaksHTTP2 reports whether the proxy offers HTTP/2 inside an intercepted connection.
func (t Target) speaksHTTP2(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	p := &Probe{Way: TLS2, ctx: ctx, target: t}
	defer p.clean()
	spoken := false
	done := make(chan struct{})
	go func() {
		defer close(done)
		o := p.Serve(func(http.ResponseWriter, *http.Request) {})
		c := p.secure(p.connect(o.Host), o.Host, "h2", "http/1.1")
		spoken = c.ConnectionState().NegotiatedProtocol == "h2"
	}()
	<-done
	return spoken
}

// Probe is one run of one check. Like those of testing.T, its methods that fail the check also end it, and must be
// called in the check's own goroutine. Handlers may call Errorf and Expect.
type Probe struct {
	// Way is how the origin is to be reached.
	Way    Way
	ctx    context.Context
	target Target

	mu      sync.Mutex
	failure error
	cleanup []func()
}

// Errorf records that the requirement is not met and continues. The first message is kept.
func (p *Probe) Errorf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure == nil {
		p.failure = fmt.Errorf(format, args...)
	}
}

// Failf records that the requirement is not met and ends the check.
func (p *Probe) Failf(format string, args ...any) {
	p.Errorf(format, args...)
	runtime.Goexit()
}

// Expect calls Errorf if ok is false.
func (p *Probe) Expect(ok bool, format string, args ...any) {
	if !ok {
		p.Errorf(format, args...)
	}
}

// Need ends the check if err is not nil.
func (p *Probe) Need(err error, what string) {
	if err != nil {
		p.Failf("%s: %w", what, err)
	}
}

// receive receives a value that an origin sends, and ends the check on a timeout.
func receive[T any](p *Probe, ch <-chan T) (v T) {
	select {
	case v = <-ch:
	case <-p.ctx.Done():
		p.Failf("nothing reached the origin")
	}
	return v
}

func (p *Probe) err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}

// Cleanup registers f to be called after the check, in reverse order.
func (p *Probe) Cleanup(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cleanup = append(p.cleanup, f)
}

func (p *Probe) clean() {
	for {
		p.mu.Lock()
		n := len(p.cleanup)
		if n == 0 {
			p.mu.Unlock()
			return
		}
		f := p.cleanup[n-1]
		p.cleanup = p.cleanup[:n-1]
		p.mu.Unlock()
		f()
	}
}

// dialProxy connects to the proxy's listener.
func (p *Probe) dialProxy() net.Conn {
	c, err := (&net.Dialer{}).DialContext(p.ctx, "tcp", p.target.Addr)
	p.Need(err, "connect to the proxy")
	p.Cleanup(func() { _ = c.Close() })
	if end, ok := p.ctx.Deadline(); ok {
		_ = c.SetDeadline(end)
	}
	return c
}

// connect opens a tunnel to host.
func (p *Probe) connect(host string) net.Conn {
	c := p.dialProxy()
	_, err := fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", host, host)
	p.Need(err, "send CONNECT")
	resp, err := http.ReadResponse(bufio.NewReader(oneByte{c}), &http.Request{Method: http.MethodConnect})
	p.Need(err, "answer to CONNECT")
	if resp.StatusCode != http.StatusOK {
		p.Failf("CONNECT %s: %s", host, resp.Status)
	}
	return c
}

// oneByte reads one byte at a time, so that a buffered reader consumes nothing after a header.
type oneByte struct{ net.Conn }

// Read implements io.Reader.
func (c oneByte) Read(b []byte) (int, error) {
	if len(b) > 1 {
		b = b[:1]
	}
	return c.Conn.Read(b)
}

// secure starts TLS on c and offers the protocols.
func (p *Probe) secure(c net.Conn, host string, protocols ...string) *tls.Conn {
	name, _, err := net.SplitHostPort(host)
	p.Need(err, "origin's address")
	tc := tls.Client(c, &tls.Config{RootCAs: p.target.Trust, ServerName: name, NextProtos: protocols, MinVersion: tls.VersionTLS12})
	p.Need(tc.HandshakeContext(p.ctx), "TLS with the proxy in the origin's name")
	return tc
}
