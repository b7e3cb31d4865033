package intercept

import (
	"bytes"
	"net/http"
	"sync"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// plain passes a connection with HTTP without TLS to the inner server. Some clients use CONNECT for http addresses too
// (undici's ProxyAgent, browsers for ws addresses); they should get what others get.
func (c *connect) plain() {
	c.x.Unlogged = true
	open := c.Metrics.Connections.WithLabelValues("intercepted")
	open.Inc()
	c.Listener.serve(&conn{Conn: c.client, within: c.x.Inside("http"), closed: sync.OnceFunc(open.Dec), secured: time.Now()})
	c.tracked.Release()
}

// speaksHTTP reports whether the client's first bytes are the first line of a request. It reads as long as they may be,
// and leaves the bytes unread.
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

// longestLine bounds the length of the first line (RFC 9112 §3 recommends 8,000).
const longestLine = 16 << 10

// requestLine reports whether b begins with the first line of an HTTP/1 request (RFC 9112 §3), and whether b is long
// enough to tell. Lines of other protocols may look similar ("GET key" of Redis) but have no version.
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
