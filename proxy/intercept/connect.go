package intercept

import (
	"io"
	"net"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/tunnel"
)

// tunnelReason returns why connections to a host are tunnelled, or an empty reason if they are intercepted.
func (i *Interceptor) tunnelReason(to hostname.Authority) string {
	host := to.Host
	switch {
	case host == hostname.Portal:
		return ""
	case i.bypass.Match(host), i.BypassToo(to.In("https")), i.BypassToo(to.In("http")):
		return "bypass"
	case len(i.Only) > 0 && !i.only.Match(host):
		return "unlisted"
	}
	return ""
}

// connect is the state of serving one CONNECT.
type connect struct {
	*Interceptor
	x *exchange.Exchange
	// req is nil once the CONNECT has been answered. From then on, failures close the connection.
	req *http.Request
	// tracked ends the client's connection at a shutdown, until another tunnel or server takes over.
	tracked *tunnel.Tunnel
	client  net.Conn
}

// TakeOver serves the connection of req, a CONNECT that was permitted. It tunnels hosts that tunnelReason names. It
// intercepts others if the client speaks TLS or HTTP, and tunnels them if it does not, or if its program refuses
// certificates. It answers a client that it intercepts before it connects to the origin: browsers never show the
// answer to a CONNECT, but they do show an error page inside TLS.
func (i *Interceptor) TakeOver(req *http.Request, client net.Conn) {
	x := exchange.Of(req.Context())
	x.End.Status = http.StatusOK
	c := &connect{Interceptor: i, x: x, req: req, tracked: i.Tunnels.Add(client), client: client}
	if c.tracked == nil {
		return
	}
	defer c.tracked.End() // does nothing for connections that were passed on
	if why := i.tunnelReason(x.Origin); why != "" {
		c.tunnel(why)
		return
	}
	if !c.established() {
		return
	}
	first, isTLS, err := sniff(client, c.patience())
	silent := len(first) == 0 && err != nil
	c.client = wire.WithPrefix(client, first)
	switch {
	case isTLS:
		c.intercept()
	case silent && wire.TimedOut(err):
		c.awaitFirstWord()
	case silent: // the client has left
	case c.speaksHTTP():
		c.plain()
	default:
		c.tunnel("not-tls")
	}
}

// patience bounds the wait for the client's first bytes.
func (c *connect) patience() time.Duration {
	if c.x.Origin.Port == hostname.DefaultPort("https") {
		return c.Limits.Handshake
	}
	return c.Limits.Sniff
}

// established answers the CONNECT with success.
func (c *connect) established() bool {
	proto := "HTTP/1.1"
	if !c.req.ProtoAtLeast(1, 1) {
		proto = "HTTP/1.0"
	}
	c.req = nil
	_, err := io.WriteString(c.client, proto+" 200 Connection established\r\n\r\n")
	if err == nil {
		c.Metrics.Request("connect", http.StatusOK)
	}
	return err == nil
}

// sniff reads the client's first bytes, for patience at most, and reports whether they begin a TLS ClientHello. err
// tells a silent client from one that has left.
func sniff(client net.Conn, patience time.Duration) (first []byte, isTLS bool, err error) {
	_ = client.SetReadDeadline(time.Now().Add(patience))
	defer func() { _ = client.SetReadDeadline(time.Time{}) }()
	return readHello(client)
}

// readHello reads until it can tell whether the bytes begin a TLS ClientHello, or until reading fails.
func readHello(client net.Conn) (first []byte, isTLS bool, err error) {
	var buf [6]byte
	n := 0
	for {
		m, err := client.Read(buf[n:])
		n += m
		hello, decided := clientHello(buf[:n])
		if decided || err != nil {
			return buf[:n], hello, err
		}
	}
}

// clientHello reports whether b begins a TLS record with a ClientHello (RFC 8446 §4 and §5.1), and whether b is long
// enough to tell.
func clientHello(b []byte) (hello, decided bool) {
	const handshake, major, hello1 = 22, 3, 1
	if len(b) > 0 && b[0] != handshake || len(b) > 1 && b[1] != major {
		return false, true
	}
	if len(b) < 6 {
		return false, false
	}
	return b[5] == hello1, true
}

// tunnel relays bytes between client and origin.
func (c *connect) tunnel(why string) {
	origin := c.dial()
	if origin == nil {
		return
	}
	if c.req != nil && !c.established() {
		origin.Close()
		return
	}
	c.relay(why, origin)
}

// dial connects to the origin of a tunnel. On failure it reports the error and returns nil.
func (c *connect) dial() net.Conn {
	c.x.Name = c.x.Identity.Name()
	origin, err := c.Dialer.Tunnel(c.x.On(c.Tunnels.Context()), c.x.Origin)
	if err != nil {
		c.failed(err)
		return nil
	}
	return origin
}

// failed reports an unreachable origin: to the log, and to the client if its CONNECT is unanswered.
func (c *connect) failed(err error) {
	f := failure.Classify(c.x.Origin.Host, err)
	c.x.End.Status = f.Status
	c.Logger.Info("tunnel failed", "reason", f.Reason, "host", c.x.Origin.Host, "error", failure.Brief(err))
	if c.req == nil {
		c.Pages.Count(f)
		return
	}
	c.Metrics.Request("connect", f.Status)
	resp := c.Pages.Response(c.req, f)
	resp.Close = true
	_ = resp.Write(c.client) // the connection closes next
}

// relay moves bytes between client and origin until either is done.
func (c *connect) relay(why string, origin net.Conn) {
	c.x.End.Sent = c.Tunnels.Relay(c.tracked, why, c.client, origin, c.Limits, c.Metrics)
}
