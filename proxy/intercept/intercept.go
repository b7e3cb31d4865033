// Package intercept serves CONNECT. It opens the TLS of clients that trust the proxy's certificates and serves HTTP
// without TLS. It tunnels everything else: hosts that the configuration excludes, other protocols, and hosts whose
// certificates a client refuses.
package intercept

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/tunnel"
)

// Authority provides certificates in the name of the requested hosts. *certs.Authority is one. It must be safe for
// concurrent use.
type Authority interface {
	// TLSConfig returns the server's configuration for a connection to host (no port). It is called once per connection.
	TLSConfig(host string) *tls.Config
}

// Options configure an [Interceptor].
type Options struct {
	// Authority signs the certificates.
	Authority Authority
	// Bypass lists hosts that are tunnelled, in the syntax of [hostname.ParseSet].
	Bypass []string
	// BypassToo reports whether a host that Bypass does not list is tunnelled all the same. site is in the form of
	// [hostname.Site]. Nil means no; it must be safe for concurrent use.
	BypassToo func(site string) bool
	// Only lists the hosts to intercept; all others are tunnelled. Empty means all. Bypass takes precedence.
	Only []string
	// Passthrough is how long a host is tunnelled for a program that refuses its certificate; 0 or less means never.
	Passthrough time.Duration
	// Dialer connects to the origins of tunnels.
	Dialer *dial.Dialer
	// Tunnels tracks connections until their tunnel ends or Listener takes them over.
	Tunnels *tunnel.Set
	// Listener receives the intercepted connections for the inner server.
	Listener *Listener
	// Pages explains failures to clients.
	Pages *failure.Pages
	// Ready returns nil while the server accepts connections. A client that a shutdown disconnects has refused nothing.
	Ready   func() error
	Logger  *slog.Logger
	Metrics *metrics.Metrics
	// Limits are the limits of the proxy; Handshake, Sniff, TunnelIdle and Total are used here.
	Limits limits.Limits
	// Now is the clock of Passthrough.
	Now func() time.Time
	// Handshakes schedules the handshakes: clients that recently used the least time go first. Nil means no scheduling.
	Handshakes *access.Turns
}

// Interceptor serves CONNECT. It is safe for concurrent use.
type Interceptor struct {
	Options
	bypass, only hostname.Set
	passthrough  *passthroughs
}

// New returns an interceptor. It fails on invalid host lists, and names the entry.
func New(o Options) (i *Interceptor, err error) {
	i = &Interceptor{Options: o}
	if i.BypassToo == nil {
		i.BypassToo = func(string) bool { return false }
	}
	if i.bypass, err = hostname.ParseSet(o.Bypass); err != nil {
		return nil, fmt.Errorf("bypass list: %w", err)
	}
	if i.only, err = hostname.ParseSet(o.Only); err != nil {
		return nil, fmt.Errorf("interception list: %w", err)
	}
	if i.passthrough, err = newPassthroughs(o.Passthrough, o.Now); err != nil {
		return nil, fmt.Errorf("pass-through table: %w", err)
	}
	return i, nil
}

// Inherit takes over what old knows of clients that refuse certificates, as far as it still applies, and the schedule.
func (i *Interceptor) Inherit(old *Interceptor) {
	if i.Options.Passthrough == old.Options.Passthrough {
		i.passthrough = old.passthrough
	}
	if i.Handshakes != nil && old.Handshakes != nil {
		i.Handshakes = old.Handshakes
	}
}

// conn is an intercepted connection below TLS. It knows the CONNECT that it belongs to.
type conn struct {
	net.Conn
	within exchange.Connection
	closed func()
	// secured is the time of the complete handshake. spoke is set once the client has used the connection, which means
	// that it accepted our certificate.
	secured time.Time
	spoke   atomic.Bool
	// last is the end of what the client sent during the handshake, as long as an alert.
	last []byte
	// answered is set once the handshake has sent bytes. A client that leaves before has not seen our certificate.
	answered bool
	// turn is the client's turn at handshakes.
	turn access.Turn
	// program is the program on the connection. Until it is known, listening is set and heard has all that it sent. mute
	// drops what the handshake writes.
	program         string
	listening, mute bool
	heard           []byte
}

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	if !c.secured.IsZero() {
		return c.Conn.Read(b)
	}
	c.turn.End()
	n, err := c.Conn.Read(b)
	if c.listening {
		c.heard = append(c.heard, b[:n]...) // crypto/tls bounds the ClientHello
	}
	c.last = append(c.last, b[max(0, n-alertRecord):n]...)
	c.last = c.last[max(0, len(c.last)-alertRecord):]
	if err == nil {
		err = c.turn.Begin()
	}
	return n, err
}

// Write implements net.Conn.
func (c *conn) Write(b []byte) (int, error) {
	if c.mute {
		return len(b), nil
	}
	if c.secured.IsZero() {
		c.answered = true
	}
	return c.Conn.Write(b)
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.closed()
	return c.Conn.Close()
}

// CloseWrite ends the stream to the client; the client may still send.
func (c *conn) CloseWrite() error { return wire.CloseWrite(c.Conn) }

// key returns the program and host to which a refusal on c belongs.
func (c *conn) key() passthroughKey {
	return passthroughKey{client: c.within.Identity.String(), program: c.program, host: c.within.Origin.Host}
}

func under(c net.Conn) *conn {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	return c.(*conn)
}

// ConnContext is the hook of the server that accepts from [Listener]. It tells requests which connection carries them.
func ConnContext(ctx context.Context, c net.Conn) context.Context { return under(c).within.On(ctx) }

// ConnState is a hook of that server too. It distinguishes clients that use their connections from clients that hang up
// because of the certificate. In TLS 1.3, and in apps that check pins themselves, the latter happens after the
// handshake.
func (i *Interceptor) ConnState(inner net.Conn, state http.ConnState) {
	c := under(inner)
	switch {
	case c.within.Scheme == "http": // there was no certificate
	case state == http.StateActive && !c.spoke.Swap(true):
		i.passthrough.accepted(c.key())
	case state == http.StateClosed && !c.spoke.Load() && time.Since(c.secured) < hangupWithin && i.Ready() == nil:
		i.Metrics.Handshakes.WithLabelValues("hangup").Inc()
		i.refusedBy(c, refusedByHangup)
	}
}

// intercept serves TLS in the name of the origin and passes the connection to the inner server. Unlike goproxy's loop,
// that server obeys timeouts, contains panics and can be shut down. Programs that refuse the certificate are tunnelled.
func (c *connect) intercept() {
	c.x.Unlogged = true
	config := c.Authority.TLSConfig(c.x.Origin.Host)
	open := c.Metrics.Connections.WithLabelValues("intercepted")
	open.Inc()
	under := &conn{Conn: c.client, within: c.x.Inside("https"), closed: sync.OnceFunc(open.Dec)}
	secure := tls.Server(under, c.listen(under, config))
	served := false
	defer func() {
		if !served {
			secure.Close()
			_ = under.Close() // a panic during the handshake leaves it open
		}
	}()
	switch err := c.handshake(under, secure); {
	case errors.Is(err, errPasses):
		served, c.x.Unlogged = true, false
		under.closed()
		c.client = wire.WithPrefix(c.client, under.heard)
		c.tunnel("passthrough")
		return
	case err != nil:
		c.handshakeFailed(under, err)
		return
	}
	under.secured = time.Now()
	result := "full"
	if secure.ConnectionState().DidResume {
		result = "resumed"
	}
	c.Metrics.Handshakes.WithLabelValues(result).Inc()
	served = true
	c.Listener.serve(secure)
	c.tracked.Release()
}

// handshake performs the handshake on under.
func (c *connect) handshake(under *conn, secure *tls.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), c.Limits.Handshake)
	defer cancel()
	under.turn = access.Turn{Turns: c.Handshakes, Client: c.x.Identity.Client.String(), Context: ctx}
	defer under.turn.End()
	return secure.HandshakeContext(ctx)
}

// handshakeFailed logs and counts a failed handshake. The likeliest cause is a client that does not know our CA or pins
// its server's certificate.
func (i *Interceptor) handshakeFailed(c *conn, err error) {
	host := c.within.Origin.Host
	result, msg := "failed", "TLS handshake with the client failed for host "+host
	switch {
	case distrusts(err), distrustsPlainly(c.last):
		result, msg = "untrusted", "the client does not trust the proxy's certificate for host "+host
		i.refusedBy(c, refusedByAlert)
	case hungUp(err) && c.answered:
		result = "hangup"
		i.refusedBy(c, refusedByHangup)
	}
	i.Metrics.Handshakes.WithLabelValues(result).Inc()
	reason := handshakeReason(err)
	if distrustsPlainly(c.last) {
		reason = "TLS alert " + strconv.Itoa(int(c.last[alertRecord-1]))
	}
	i.Logger.Warn(msg, "host", host, "reason", reason)
}

// alertRecord is the length of a TLS record with an unencrypted alert.
const alertRecord = 7

// distrustsPlainly is distrusts for the last bytes of a client. In TLS 1.3, OpenSSL refuses a certificate before it
// begins to encrypt, and crypto/tls takes that alert for a malformed record.
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

// distrusts reports whether the client sent an alert that refuses our certificate (RFC 8446 §6.2). crypto/tls has no
// type for received alerts, only texts.
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

// hungUp reports whether the client disconnected during the handshake.
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
