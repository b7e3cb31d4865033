// Package wire has helpers for connections: unread bytes, half-closing, timeouts, buffers.
package wire

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
)

// TimedOut reports whether err is a timeout; a nil err is not.
func TimedOut(err error) bool {
	var ne net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &ne) && ne.Timeout()
}

// prefixConn is a connection with some bytes that were already read.
type prefixConn struct {
	net.Conn
	prefix []byte
}

// WithPrefix returns c with prefix to be read first.
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

// CloseWrite ends the stream to the peer; the peer may still send.
func (c *prefixConn) CloseWrite() error { return CloseWrite(c.Conn) }

// CloseWrite ends the stream to c's peer; it fails if c does not support that.
func CloseWrite(c any) error {
	if h, ok := c.(interface{ CloseWrite() error }); ok {
		return h.CloseWrite()
	}
	return errors.ErrUnsupported
}

// Buffers is a pool of buffers for copying, and of buffered writers.
type Buffers struct{ pool, writers sync.Pool }

// bufferSize is the size of each buffer.
const bufferSize = 32 << 10

// NewBuffers returns an empty pool.
func NewBuffers() *Buffers {
	return &Buffers{
		pool:    sync.Pool{New: func() any { b := make([]byte, bufferSize); return &b }},
		writers: sync.Pool{New: func() any { return bufio.NewWriterSize(nil, bufferSize) }},
	}
}

// Get takes a buffer from the pool.
func (p *Buffers) Get() *[]byte { return p.pool.Get().(*[]byte) }

// Put returns a buffer to the pool.
func (p *Buffers) Put(b *[]byte) { p.pool.Put(b) }

// Writer returns a buffered writer to w.
func (p *Buffers) Writer(w io.Writer) *bufio.Writer {
	b := p.writers.Get().(*bufio.Writer)
	b.Reset(w)
	return b
}

// PutWriter returns a buffered writer to the pool.
func (p *Buffers) PutWriter(b *bufio.Writer) {
	b.Reset(nil)
	p.writers.Put(b)
}
