package dial

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// watched makes dial return its connections as watchedConn. Those of HTTP/2 stay as they are: it has no field
// Connection.
func watched(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if secure, ok := conn.(*tls.Conn); err != nil || ok && secure.ConnectionState().NegotiatedProtocol == "h2" {
			return conn, err
		}
		return &watchedConn{Conn: conn}, nil
	}
}

// roundTrip is t.RoundTrip, with the field Connection of an answer as it came: net/http takes it off where it holds
// "close", and with it the names of other fields that must go no further (RFC 9110 §7.6.1).
func roundTrip(t *http.Transport, req *http.Request, interim Interim) (*http.Response, error) {
	var used net.Conn
	trace := &httptrace.ClientTrace{Got1xxResponse: interim, GotConn: func(info httptrace.GotConnInfo) {
		used = info.Conn
		if c, ok := used.(*watchedConn); ok && info.Reused {
			c.awaitReader(req.Context())
		}
	}}
	resp, err := t.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil || !resp.Close || len(resp.Header["Connection"]) > 0 {
		return resp, err
	}
	if c, ok := used.(*watchedConn); ok {
		if lines := c.connection(); len(lines) > 0 {
			resp.Header["Connection"] = lines
		}
	}
	return resp, nil
}

// watchedConn is a connection to an origin in HTTP/1. It keeps the lines Connection of the last answer's header.
type watchedConn struct {
	net.Conn
	// reading says that a Read is under way, closed that there will be none.
	reading, closed atomic.Bool

	mu sync.Mutex
	// over is set from the end of an answer's header until the next request is written, so that the body is not read as
	// a header. Where an origin answers early and that happens, it can only name fields of its own answer.
	over  bool
	line  []byte
	first bool // the line is the status line
	past  bool // the answer is an interim one
	lines []string
}

// maxWatchedLine bounds the line that is kept; a longer one does not name fields.
const maxWatchedLine = 8 << 10

// Write implements net.Conn.
func (c *watchedConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	if c.over || c.line == nil {
		c.over, c.first, c.past, c.line, c.lines = false, true, false, []byte{}, nil
	}
	c.mu.Unlock()
	return c.Conn.Write(b)
}

// Close implements net.Conn.
func (c *watchedConn) Close() error {
	c.closed.Store(true)
	return c.Conn.Close()
}

// readerTime is the most time that net/http has to come back to a Read on an idle connection.
const readerTime = time.Second

// awaitReader waits until net/http waits for bytes. When it hands an idle connection out before that, what the origin
// has sent behind its last answer may still be in its buffer, and would become the answer to the next request. Once it
// has looked there, it has closed such a connection.
func (c *watchedConn) awaitReader(ctx context.Context) {
	const soon = 100 // turns of other goroutines
	start := time.Now()
	for turn := 0; !c.reading.Load() && !c.closed.Load() && ctx.Err() == nil; turn++ {
		switch {
		case turn < soon:
			runtime.Gosched()
		case time.Since(start) > readerTime:
			_ = c.Close() // net/http meets that, and takes another
			return
		default:
			time.Sleep(10 * time.Microsecond)
		}
	}
}

// Read implements net.Conn.
func (c *watchedConn) Read(b []byte) (int, error) {
	c.reading.Store(true)
	n, err := c.Conn.Read(b)
	c.reading.Store(false)
	c.mu.Lock()
	defer c.mu.Unlock()
	for rest := b[:n]; len(rest) > 0 && !c.over; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		if len(c.line)+len(part) <= maxWatchedLine {
			c.line = append(c.line, part...)
		}
		if rest = after; ended {
			c.endLine(bytes.TrimSuffix(c.line, []byte("\r")))
			c.line = c.line[:0]
		}
	}
	return n, err
}

// endLine looks at a whole line of a header.
func (c *watchedConn) endLine(line []byte) {
	name, value, field := bytes.Cut(line, []byte(":"))
	switch {
	case c.first:
		_, status, _ := bytes.Cut(line, []byte(" "))
		c.first, c.past, c.lines = false, bytes.HasPrefix(status, []byte("1")) && !bytes.HasPrefix(status, []byte("101")), nil
	case len(line) == 0:
		c.first, c.over = true, !c.past
	case field && bytes.EqualFold(name, []byte("Connection")):
		c.lines = append(c.lines, string(bytes.TrimSpace(value)))
	}
}

// connection returns the lines Connection of the last header.
func (c *watchedConn) connection() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines
}

// CloseWrite ends the stream to the origin while the origin may still send.
func (c *watchedConn) CloseWrite() error { return wire.CloseWrite(c.Conn) }
