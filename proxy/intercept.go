package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// targetConn is an intercepted connection under its TLS, and remembers what it is intercepted for.
type targetConn struct {
	net.Conn
	target hostname.Authority
	client identity
	closed func()
	// secured is when the handshake was complete. spoke is set once the client has used the connection: it has taken our
	// certificate.
	secured time.Time
	spoke   atomic.Bool
	// last is the end of what the client has sent during the handshake, as long as an alert.
	last []byte
}

// Read implements net.Conn.
func (c *targetConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.secured.IsZero() {
		c.last = append(c.last, b[max(0, n-alertRecord):n]...)
		c.last = c.last[max(0, len(c.last)-alertRecord):]
	}
	return n, err
}

// Close implements net.Conn.
func (c *targetConn) Close() error {
	c.closed()
	return c.Conn.Close()
}

// CloseWrite ends the stream to the client while the client may still send.
func (c *targetConn) CloseWrite() error { return wire.CloseWrite(c.Conn) }

// withTarget puts the target of an intercepted connection, and whose it is, into the context of its requests.
func withTarget(ctx context.Context, c net.Conn) context.Context {
	under := c.(*tls.Conn).NetConn().(*targetConn)
	return withIdentity(context.WithValue(ctx, targetKey{}, under.target), under.client)
}

// interceptedState follows the inner server's connections, to tell clients that use them from those that hang up over the
// certificate: in TLS 1.3, or where an app checks pins by itself, that comes after the handshake.
func (s *Server) interceptedState(conn net.Conn, state http.ConnState) {
	c := conn.(*tls.Conn).NetConn().(*targetConn)
	switch {
	case state == http.StateActive && !c.spoke.Swap(true):
		s.passthrough.accepted(c.key())
	case state == http.StateClosed && !c.spoke.Load() && time.Since(c.secured) < hangupWithin && s.Ready() == nil:
		s.metrics.Handshakes.WithLabelValues("hangup").Inc()
		s.refusedBy(c, refusedByHangup)
	}
}

// intercept speaks TLS with the client in the name of a and hands the connection to the inner server, which obeys
// timeouts, contains panics and can be shut down, unlike goproxy's loop.
func (s *Server) intercept(tracked *tunnel, client net.Conn, a hostname.Authority, id identity) {
	config := s.opts.Authority.TLSConfig(a.Host)
	open := s.metrics.Connections.WithLabelValues("intercepted")
	open.Inc()
	under := &targetConn{Conn: client, target: a, client: id, closed: sync.OnceFunc(open.Dec)}
	defer func() {
		if p := recover(); p != nil {
			_ = under.Close() // nothing more is wanted of it
			panic(p)
		}
	}()
	conn := tls.Server(under, config)
	ctx, cancel := context.WithTimeout(context.Background(), s.opts.Limits.Handshake)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		s.handshakeFailed(under, err)
		conn.Close()
		tracked.end()
		return
	}
	under.secured = time.Now()
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
func (s *Server) handshakeFailed(c *targetConn, err error) {
	result, msg := "failed", "TLS handshake with the client failed for host "+c.target.Host
	switch {
	case distrusts(err), distrustsPlainly(c.last):
		result, msg = "untrusted", "the client does not trust the proxy's certificate for host "+c.target.Host
		s.refusedBy(c, refusedByAlert)
	case hungUp(err):
		result = "hangup"
		s.refusedBy(c, refusedByHangup)
	}
	s.metrics.Handshakes.WithLabelValues(result).Inc()
	reason := handshakeReason(err)
	if distrustsPlainly(c.last) {
		reason = "TLS alert " + strconv.Itoa(int(c.last[alertRecord-1]))
	}
	s.log.Warn(msg, "host", c.target.Host, "reason", reason)
}

// alertRecord is the length of a TLS record with an alert in it that is not encrypted.
const alertRecord = 7

// distrustsPlainly is distrusts for what a client has sent last: in TLS 1.3, OpenSSL refuses a certificate before it begins to
// encrypt, and crypto/tls takes that alert for a broken record.
func distrustsPlainly(last []byte) bool {
	const alert, major = 21, 3
	if len(last) != alertRecord || last[0] != alert || last[1] != major || last[3] != 0 || last[4] != 2 { // the length
		return false
	}
	switch last[6] { // RFC 8446 §6.2: those of distrusts
	case 42, 43, 44, 45, 46, 48, 49:
		return true
	}
	return false
}

// distrusts reports whether the client broke off over our certificate, as alerts tell (RFC 8446 §6.2). crypto/tls has no
// type for those that come in, only its texts.
func distrusts(err error) bool {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "remote error" {
		return false
	}
	switch strings.TrimPrefix(op.Err.Error(), "tls: ") {
	case "bad certificate", "unsupported certificate", "revoked certificate", "expired certificate", "unknown certificate",
		"unknown certificate authority", "access denied":
		return true
	}
	return false
}

// hungUp reports whether the client went away in the midst of the handshake.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE)
}

func handshakeReason(err error) string {
	switch {
	case wire.TimedOut(err):
		return "the client took too long"
	case hungUp(err), errors.Is(err, net.ErrClosed):
		return "the client hung up"
	}
	return err.Error()
}
