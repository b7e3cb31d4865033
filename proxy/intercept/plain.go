package intercept

import (
	"bytes"
	"net/http"
	"sync"
	"time"

	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// plain hands a connection that carries HTTP without TLS to the inner server. Some clients send http addresses by
// CONNECT too (undici's ProxyAgent, browsers for ws addresses), and should get what others get.
func (c *connect) plain() {
	c.x.Unlogged = true
	open := c.Metrics.Connections.WithLabelValues("intercepted")
	open.Inc()
	within := exchange.Connection{Scheme: "http", Identity: c.x.Identity, Origin: c.x.Origin}
	c.Listener.serve(&conn{Conn: c.client, within: within, closed: sync.OnceFunc(open.Dec), secured: time.Now()})
	c.tracked.Release()
}

// speaksHTTP reports whether what the client says first is the first line of a request. It reads on as long as that may
// be, and leaves the bytes unread.
func (c *connect) speaksHTTP() bool {
	read := make([]byte, 0, 512)
	_ = c.client.SetReadDeadline(time.Now().Add(c.Limits.Handshake))
	is, decided := requestLine(read)
	for buf := make([]byte, 512); !decided; is, decided = requestLine(read) {
		n, err := c.client.Read(buf)
		read = append(read, buf[:n]...)
		if err != nil {
			is, _ = requestLine(read)
			break
		}
	}
	_ = c.client.SetReadDeadline(time.Time{})
	c.client = wire.WithPrefix(c.client, read)
	return is
}

// longestLine is the length from which on the first line is not waited for any longer (RFC 9112 §3 asks for 8,000).
const longestLine = 16 << 10

// requestLine reports whether b begins with the first line of a request in HTTP/1 (RFC 9112 §3), once b is long enough
// to tell. Lines of other protocols begin like one ("GET key" of Redis) but have no version.
func requestLine(b []byte) (is, decided bool) {
	line, _, whole := bytes.Cut(b, []byte("\n"))
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions} {
		start := []byte(method + " ")
		if !bytes.HasPrefix(line, start) && !(!whole && bytes.HasPrefix(start, line)) {
			continue
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		version := bytes.HasSuffix(line, []byte(" HTTP/1.1")) || bytes.HasSuffix(line, []byte(" HTTP/1.0"))
		return whole && version, whole || len(b) > longestLine
	}
	return false, true
}
