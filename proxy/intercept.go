package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
)

// targetConn is an intercepted connection under its TLS, and remembers what it is intercepted for.
type targetConn struct {
	net.Conn
	target authority
	client identity
	closed func()
}

// Close implements net.Conn.
func (c *targetConn) Close() error {
	c.closed()
	return c.Conn.Close()
}

// CloseWrite ends the stream to the client while the client may still send.
func (c *targetConn) CloseWrite() error { return closeWrite(c.Conn) }

// withTarget puts the target of an intercepted connection, and whose it is, into the context of its requests.
func withTarget(ctx context.Context, c net.Conn) context.Context {
	under := c.(*tls.Conn).NetConn().(*targetConn)
	return withIdentity(context.WithValue(ctx, targetKey{}, under.target), under.client)
}

// intercept speaks TLS with the client in the name of a and hands the connection to the inner server, which obeys
// timeouts, contains panics and can be shut down, unlike goproxy's loop.
func (s *Server) intercept(tracked *tunnel, client net.Conn, a authority, id identity) {
	open := s.metrics.Connections.WithLabelValues("intercepted")
	open.Inc()
	conn := tls.Server(&targetConn{Conn: client, target: a, client: id, closed: sync.OnceFunc(open.Dec)}, s.opts.Authority.TLSConfig(a.host))
	ctx, cancel := context.WithTimeout(context.Background(), s.opts.Limits.Handshake)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		s.handshakeFailed(a, err)
		conn.Close()
		tracked.end()
		return
	}
	result := "full"
	if conn.ConnectionState().DidResume {
		result = "resumed"
	}
	s.metrics.Handshakes.WithLabelValues(result).Inc()
	s.intercepted.serve(conn)
	tracked.release()
}

// handshakeFailed logs and counts a handshake that came to nothing, with the likeliest cause: a client that does not
// know our CA, or that pins its server's certificate.
func (s *Server) handshakeFailed(a authority, err error) {
	result, msg := "failed", "TLS handshake with the client failed for host "+a.host
	if distrusts(err) {
		result = "untrusted"
		msg = "the client does not trust the proxy's certificate for host " + a.host
	}
	s.metrics.Handshakes.WithLabelValues(result).Inc()
	s.log.Warn(msg, "host", a.host, "reason", handshakeReason(err))
}

// distrusts reports whether the client broke off over our certificate. Alerts tell (RFC 8446 §6.2); many clients just
// hang up instead.
func distrusts(err error) bool {
	text := err.Error()
	for _, alert := range []string{"unknown certificate", "bad certificate", "certificate unknown", "unsupported certificate",
		"access denied", "certificate required"} {
		if strings.Contains(text, "remote error") && strings.Contains(text, alert) {
			return true
		}
	}
	return false
}

func handshakeReason(err error) string {
	switch {
	case timedOut(err):
		return "the client took too long"
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrUnexpectedEOF):
		return "the client hung up"
	}
	return err.Error()
}
