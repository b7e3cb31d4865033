package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// Client is the connection of a client. Writing fails when nothing could be written for the stall time. It can gather
// several writes into one: net/http writes an answer in pieces of 4 kB and crypto/tls in records, and each piece costs
// a system call.
//
// Read is for one goroutine; all else is safe for concurrent use.
type Client struct {
	net.Conn
	buffers *wire.Buffers
	stall   time.Duration
	once    sync.Once
	release func()
	// begun is set once a request has.
	begun bool
	// deadline is set while somebody else limits writing: crypto/tls does so when it closes.
	deadline atomic.Bool

	mu sync.Mutex
	// gathered is nil while writes go through.
	gathered *bufio.Writer
	// err is what kept gathered bytes from being written. They are missing, so nothing may follow.
	err error
}

// NewClient returns the connection of a client. release is called once it is closed.
func NewClient(conn net.Conn, stall time.Duration, b *wire.Buffers, release func()) *Client {
	return &Client{Conn: conn, buffers: b, stall: stall, release: release}
}

// On puts c into the context of its requests.
func (c *Client) On(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, c)
}

// Read implements net.Conn. It skips empty lines before the first request (RFC 9112 §2.2), which net/http does only
// after a POST.
func (c *Client) Read(b []byte) (int, error) {
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

// Write implements net.Conn.
func (c *Client) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return 0, c.err
	case c.gathered == nil:
		return (*socket)(c).Write(b)
	}
	return c.gathered.Write(b)
}

// socket is the connection without gathering.
type socket Client

// Write implements io.Writer.
func (s *socket) Write(b []byte) (int, error) {
	if !s.deadline.Load() {
		if err := s.Conn.SetWriteDeadline(time.Now().Add(s.stall)); err != nil {
			return 0, err
		}
	}
	return s.Conn.Write(b)
}

// gather keeps what is written from now on until flush, up to 32 kB: what exceeds that is written at once.
func (c *Client) gather() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gathered == nil {
		c.gathered = c.buffers.Writer((*socket)(c))
	}
}

// flush writes what was gathered, and lets writes go through again. Its error is the first since gather. After an error
// bytes are missing, so all later writes fail with it: net/http, which takes them for written, ends the connection
// then.
func (c *Client) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gathered == nil {
		return nil
	}
	c.err = cmp.Or(c.err, c.gathered.Flush())
	c.buffers.PutWriter(c.gathered)
	c.gathered = nil
	return c.err
}

// SetWriteDeadline implements net.Conn.
func (c *Client) SetWriteDeadline(t time.Time) error {
	c.deadline.Store(!t.IsZero())
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *Client) SetDeadline(t time.Time) error {
	c.deadline.Store(!t.IsZero())
	return c.Conn.SetDeadline(t)
}

// Close implements net.Conn.
func (c *Client) Close() error {
	c.once.Do(c.release)
	return c.Conn.Close()
}

// CloseWrite ends the stream to the client while the client may still send.
func (c *Client) CloseWrite() error { return wire.CloseWrite(c.Conn) }
