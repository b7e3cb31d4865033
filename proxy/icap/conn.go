package icap

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/accesslog"
)

// conn is one connection of a client. Its requests come one after the other.
type conn struct {
	server *Server
	net    *patientConn
	r      *bufio.Reader
	w      *bufio.Writer
	// entry is the line of the access log about the request under way.
	entry accesslog.Entry
}

func newConn(s *Server, nc net.Conn) *conn {
	timed := &patientConn{Conn: nc, stall: &s.stall}
	return &conn{server: s, net: timed, r: bufio.NewReader(timed), w: bufio.NewWriter(timed)}
}

// serve answers requests until the connection ends.
func (c *conn) serve(ctx context.Context) {
	for c.await() {
		c.begin()
		goOn := c.next(ctx)
		c.record()
		if !goOn || !c.server.busy(c, false) {
			return
		}
	}
}

// next reads a request and answers it. It returns false where the connection can't be used any more.
func (c *conn) next(ctx context.Context) bool {
	m, err := readMessage(c.r, int(c.server.opts.Limits.HeaderBytes))
	if err != nil {
		c.refuse(err)
		return false
	}
	return c.answer(ctx, m)
}

// await waits for a request.
func (c *conn) await() bool {
	c.net.reads.Store(int64(c.server.opts.Limits.Idle))
	if _, err := c.r.Peek(1); err != nil {
		return false
	}
	c.net.reads.Store(c.server.stall.Load())
	return c.server.busy(c, true)
}

// answer answers one request, and returns false where the connection can't be used any more.
func (c *conn) answer(ctx context.Context, m *message) bool {
	who := c.who(m)
	c.entry.Method, c.entry.Client, c.entry.User = m.method, who.Client.String(), who.User
	var err error
	switch m.method {
	case "OPTIONS":
		err = c.options(m)
	case "RESPMOD":
		err = c.respmod(ctx, m)
	case "REQMOD":
		err = statusError{http.StatusMethodNotAllowed, "this service is for RESPMOD"}
	default:
		err = statusError{http.StatusNotImplemented, "methods are OPTIONS and RESPMOD"}
	}
	if refusal := (statusError{}); errors.As(err, &refusal) {
		c.refuse(refusal)
		return false
	}
	if err != nil {
		c.server.opts.Logger.Debug("ICAP request broke off", "client", c.net.RemoteAddr(), "error", err)
		return false
	}
	return !m.close
}

// respmod has an answer cleaned.
func (c *conn) respmod(ctx context.Context, m *message) error {
	ctx, cancel := context.WithTimeout(ctx, c.server.opts.Limits.Total)
	defer cancel()
	req, resp, err := m.exchange()
	if err != nil {
		return err
	}
	b, err := c.body(m)
	if err != nil {
		return err
	}
	resp.Body = b.reader(resp.ContentLength)
	defer func() { resp.Body.Close() }()
	original := resp.Header.Clone()
	if req != nil {
		c.entry.Scheme, c.entry.Host, c.entry.Path, c.entry.Agent = req.URL.Scheme, req.URL.Host, req.URL.EscapedPath(), req.UserAgent()
		e := c.early(ctx, m, req, resp, c.who(m))
		b.stalled = e.begin
		if err := c.server.opts.Clean(req.WithContext(ctx), resp, c.who(m)); err != nil {
			c.server.opts.Logger.Debug("ICAP answer passes", "error", err)
		}
		c.entry.Outcome = resp.Header.Get("Winnow")
		if e.end() {
			return e.finish(b, resp)
		}
	}
	return c.reply(m, b, resp, same(original, resp.Header))
}

// begin begins the line of the access log about a request.
func (c *conn) begin() {
	c.entry = accesslog.Entry{Time: time.Now(), Client: access.AddrOf(c.net.RemoteAddr()).String(), Proto: version}
}

// record ends it.
func (c *conn) record() {
	c.entry.Took = time.Since(c.entry.Time)
	c.server.opts.Record(c.entry)
}

// who is the client in whose name the answer is cleaned: the one that the proxy in front names (X-Client-IP and
// X-Client-Username, draft-stecher-icap-subid), else that proxy itself.
func (c *conn) who(m *message) access.Identity {
	addr := access.AddrOf(c.net.RemoteAddr())
	if named, err := parseAddr(m.header.Get("X-Client-Ip")); err == nil {
		addr = named
	}
	return access.Identity{Client: access.ClientOf(addr), User: m.header.Get("X-Client-Username")}
}

// patientConn is a connection on which a client may pause only so long.
type patientConn struct {
	net.Conn
	// reads is how long the client may take until its next byte, stall until it takes the next of ours.
	reads atomic.Int64
	stall *atomic.Int64
}

// Read implements io.Reader.
func (c *patientConn) Read(p []byte) (int, error) {
	_ = c.SetReadDeadline(time.Now().Add(time.Duration(c.reads.Load())))
	return c.Conn.Read(p)
}

// Write implements io.Writer.
func (c *patientConn) Write(p []byte) (int, error) {
	_ = c.SetWriteDeadline(time.Now().Add(time.Duration(c.stall.Load())))
	return c.Conn.Write(p)
}
