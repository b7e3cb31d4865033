package proxy

import (
	"bytes"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// boundedListener accepts at most a number of connections at once and gives each a deadline on writing, so that a
// client that stops reading does not hold its connection for ever. Connections count until they are closed, hijacked
// ones too.
type boundedListener struct {
	net.Listener
	live  func() *Server // that of the configuration in force
	slots chan struct{}
	done  chan struct{}
	close sync.Once
	open  prometheus.Gauge
}

func newBoundedListener(ln net.Listener, live func() *Server, connections int, open prometheus.Gauge) *boundedListener {
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
		if leave := s.door.enter(c); leave != nil {
			l.open.Inc()
			return &clientConn{Conn: c, stall: s.opts.Limits.Stall, release: func() { l.open.Dec(); leave(); <-l.slots }}, nil
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
	stall   time.Duration
	once    sync.Once
	release func()
	// begun is set once a request has.
	begun bool
	// deadline is set while somebody else limits writing: crypto/tls does so when it closes.
	deadline atomic.Bool
}

// Read implements net.Conn. Empty lines before the first request are passed over (RFC 9112 §2.2), which net/http does
// behind a POST alone.
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
func (c *clientConn) Write(b []byte) (int, error) {
	if !c.deadline.Load() {
		if err := c.Conn.SetWriteDeadline(time.Now().Add(c.stall)); err != nil {
			return 0, err
		}
	}
	return c.Conn.Write(b)
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
func (c *clientConn) CloseWrite() error { return closeWrite(c.Conn) }

// prefixConn is a connection of which some bytes were read already.
type prefixConn struct {
	net.Conn
	prefix []byte
}

// withPrefix returns c with prefix unread.
func withPrefix(c net.Conn, prefix []byte) net.Conn {
	if len(prefix) == 0 {
		return c
	}
	return &prefixConn{Conn: c, prefix: prefix}
}

// Read implements net.Conn.
func (c *prefixConn) Read(b []byte) (int, error) {
	if len(c.prefix) > 0 && len(b) > 0 {
		n := copy(b, c.prefix)
		c.prefix = c.prefix[n:]
		return n, nil
	}
	return c.Conn.Read(b)
}

// CloseWrite ends the stream to the peer while the peer may still send.
func (c *prefixConn) CloseWrite() error { return closeWrite(c.Conn) }

// connListener is a listener whose connections are handed to it: the intercepted ones.
type connListener struct {
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
}

func newConnListener() *connListener {
	return &connListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// serve hands c to the server that accepts from l, or closes it when l is closed.
func (l *connListener) serve(c net.Conn) {
	select {
	case l.conns <- c:
	case <-l.done:
		c.Close()
	}
}

// Accept implements net.Listener.
func (l *connListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *connListener) Close() error {
	l.close.Do(func() { close(l.done) })
	return nil
}

// Addr implements net.Listener. There is no address: nobody can connect.
func (l *connListener) Addr() net.Addr { return &net.UnixAddr{Name: "intercepted", Net: "unix"} }
