package proxy

import (
	"bytes"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
)

// boundedListener accepts a limited number of connections at once. Each has a deadline on writing, so that a client
// that stops reading does not keep its connection forever. A connection counts until it is closed, also after it was
// hijacked.
type boundedListener struct {
	net.Listener
	live  func() *Server // that of the configuration in force
	slots chan struct{}
	done  chan struct{}
	close sync.Once
	open  *prom.Gauge
}

func newBoundedListener(ln net.Listener, live func() *Server, connections int, open *prom.Gauge) *boundedListener {
	return &boundedListener{Listener: ln, live: live, slots: make(chan struct{}, connections), done: make(chan struct{}), open: open}
}

// Accept implements net.Listener.
func (l *boundedListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			<-l.slots
			return nil, err
		}
		s := l.live()
		if leave := s.admission.enter(c); leave != nil {
			l.open.Inc()
			return newClientConn(c, s.opts.Limits.Stall, s.buffers, func() { l.open.Dec(); leave(); <-l.slots }), nil
		}
	}
}

// Close implements net.Listener.
func (l *boundedListener) Close() error {
	l.close.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// clientConn is a client's connection.
type clientConn struct {
	net.Conn
	out     *wire.Gatherer
	stall   time.Duration
	once    sync.Once
	release func()
	// begun is set once a request has.
	begun bool
	// deadline is set while somebody else limits writing: crypto/tls does so when it closes.
	deadline atomic.Bool
}

func newClientConn(conn net.Conn, stall time.Duration, b *wire.Buffers, release func()) *clientConn {
	c := &clientConn{Conn: conn, stall: stall, release: release}
	c.out = b.Gatherer(stallingWriter{c})
	return c
}

// Read implements net.Conn. It skips empty lines before the first request (RFC 9112 §2.2), which net/http does only
// after a POST.
func (c *clientConn) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		if c.begun || n == 0 {
			return n, err
		}
		if n = copy(b, bytes.TrimLeft(b[:n], "\r\n")); n > 0 || err != nil {
			c.begun = n > 0
			return n, err
		}
	}
}

// Write implements net.Conn; it fails when nothing could be written for the stall time.
func (c *clientConn) Write(b []byte) (int, error) { return c.out.Write(b) }

// stallingWriter writes to a client that may stall.
type stallingWriter struct{ *clientConn }

// Write implements io.Writer.
func (c stallingWriter) Write(b []byte) (int, error) {
	if !c.deadline.Load() {
		if err := c.Conn.SetWriteDeadline(time.Now().Add(c.stall)); err != nil {
			return 0, err
		}
	}
	return c.Conn.Write(b)
}

// connContext is the hook of the outer server: requests know how to gather what they write.
func connContext(ctx context.Context, c net.Conn) context.Context {
	return exchange.OnClient(ctx, c.(*clientConn).out)
}

// SetWriteDeadline implements net.Conn.
func (c *clientConn) SetWriteDeadline(t time.Time) error {
	c.deadline.Store(!t.IsZero())
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *clientConn) SetDeadline(t time.Time) error {
	c.deadline.Store(!t.IsZero())
	return c.Conn.SetDeadline(t)
}

// Close implements net.Conn.
func (c *clientConn) Close() error {
	c.once.Do(c.release)
	return c.Conn.Close()
}

// CloseWrite ends the stream to the client while the client may still send.
func (c *clientConn) CloseWrite() error { return wire.CloseWrite(c.Conn) }
