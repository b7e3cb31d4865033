// Package wire has what connections of all kinds need: bytes put back, half-closing, deadlines told apart, buffers.
package wire

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
)

// TimedOut reports whether err is a deadline's; a nil err is not.
func TimedOut(err error) bool {
	var ne net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &ne) && ne.Timeout()
}

// prefixConn is a connection of which some bytes were read already.
type prefixConn struct {
	net.Conn
	prefix []byte
}

// WithPrefix returns c with prefix unread.
func WithPrefix(c net.Conn, prefix []byte) net.Conn {
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
func (c *prefixConn) CloseWrite() error { return CloseWrite(c.Conn) }

// CloseWrite ends the stream to c's peer; it fails where c can't do that.
func CloseWrite(c any) error {
	if h, ok := c.(interface{ CloseWrite() error }); ok {
		return h.CloseWrite()
	}
	return errors.ErrUnsupported
}

// Buffers holds buffers for copying.
type Buffers struct{ pool sync.Pool }

// NewBuffers returns an empty pool.
func NewBuffers() *Buffers {
	return &Buffers{sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}}
}

// Get takes a buffer out.
func (p *Buffers) Get() *[]byte { return p.pool.Get().(*[]byte) }

// Put gives one back.
func (p *Buffers) Put(b *[]byte) { p.pool.Put(b) }
