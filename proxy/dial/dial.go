// Package dial is the way to origins: it refuses destinations that clients must not reach, goes through upstream
// proxies, and verifies certificates.
package dial

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/textproto"
	"net/url"
	"runtime"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/hop"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/limits"
)

// Dialer connects to destinations that the guard permits, directly or through an upstream proxy.
type Dialer struct {
	guard *guard
	// strict is guard for addresses that origins name.
	strict  *guard
	routes  routes
	net     net.Dialer
	sockets *access.Shares[string]
	// handshakes gives clients their turns at the work of TLS handshakes with origins; nil where all clients are one.
	handshakes *access.Turns
	limits     limits.Limits
	via        hop.Via
	// tls is the client's side of TLS with origins and upstream proxies.
	tls *tls.Config
	// requests, followed and upgrades have a transport for each scheme, because the scheme decides on the route. Those of
	// followed keep to strict; they have connections of their own, since one that is idle is not checked again. Upgrades
	// are requests that may switch protocols.
	requests, followed, upgrades map[string]*http.Transport
}

// Options configure a dialer.
type Options struct {
	// Private permits loopback and private destinations. Local permits them where the client names them by address or
	// as localhost, which serves clients on this machine. Both hold for requests by [Named] alone. Link-local
	// destinations and cloud metadata services stay refused.
	Private, Local bool
	// Targets lists hosts, addresses and CIDR ranges that are never refused, metadata services included. Ports lists the
	// ports that may be reached, in the syntax of [access.ParsePorts]; empty means its default, and for tunnels 443.
	Targets, Ports []string
	// Self returns the proxy's own addresses, which are refused. It is asked at every check.
	Self func() []netip.AddrPort
	// Roots verifies origins; nil means the system's roots.
	Roots *x509.CertPool
	// Upstream are the proxies that origins are reached through; the zero value reaches them directly.
	Upstream Proxies
	// Resolver looks up origins; nil means the system's.
	Resolver *net.Resolver
	// Via is the proxy's name in the field Via of a CONNECT.
	Via hop.Via
	// Limits bounds Upstream, Dial, Handshake, Response, Idle and HeaderBytes. Zero fields mean no limit.
	Limits limits.Limits
	// Alone says that all clients count as one, which may have all connections. Otherwise each client gets a share.
	Alone bool
}

// New makes a dialer. The error names an option that can't be right.
func New(o Options) (*Dialer, error) {
	g, err := newGuard(o)
	if err != nil {
		return nil, err
	}
	r, err := newRoutes(o.Upstream)
	if err != nil {
		return nil, fmt.Errorf("upstream proxy: %w", err)
	}
	sockets := access.NewShares[string](cmp.Or(int64(o.Limits.Upstream), math.MaxInt64), clientSockets*int64(o.Limits.ClientRequests), o.Alone)
	d := &Dialer{guard: g, strict: g.strict(), routes: r, sockets: sockets, limits: o.Limits, via: o.Via, tls: originTLS(o.Roots),
		net: net.Dialer{Timeout: o.Limits.Dial, KeepAlive: 30 * time.Second, Resolver: o.Resolver}}
	if !o.Alone {
		d.handshakes = access.NewTurns(4*runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0), time.Now)
	}
	d.requests = map[string]*http.Transport{"http": newTransport(d, g, "http"), "https": newTransport(d, g, "https")}
	d.followed = map[string]*http.Transport{"http": newTransport(d, d.strict, "http"), "https": newTransport(d, d.strict, "https")}
	d.upgrades = map[string]*http.Transport{"http": upgradable(d, "http"), "https": upgradable(d, "https")}
	return d, nil
}

// within is context.WithTimeout, and no limit for 0.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// PermitTunnel checks the destination of a CONNECT by name and port, before it is looked up. Its error is a
// [DeniedError]. It may have to look up the upstream proxy that leads to a.
func (d *Dialer) PermitTunnel(ctx context.Context, a hostname.Authority) error {
	if err := d.guard.tunnel(a); err != nil {
		return err
	}
	return d.permitBy(ctx, d.guard, d.routes.to("https", a), a)
}

// Tunnel connects to a for a client that wants the bare bytes.
func (d *Dialer) Tunnel(ctx context.Context, a hostname.Authority) (net.Conn, error) {
	return d.dial(ctx, d.guard, d.routes.to("https", a), a)
}

// Interim is called with the status and the header of each 1xx response, before the final one; its error ends the
// request. Nil ignores them.
type Interim func(status int, h textproto.MIMEHeader) error

// RoundTrip sends req, whose URL names a, to its origin. target is the request's path and query, which go on
// as they came. Its context says by [Named] whether it may reach private addresses.
func (d *Dialer) RoundTrip(req *http.Request, a hostname.Authority, target string, interim Interim) (*http.Response, error) {
	way := d.routes.to(req.URL.Scheme, a)
	transports := d.followed
	if IsNamed(req.Context()) {
		transports = d.requests
	}
	resp, err := roundTrip(transports[req.URL.Scheme], exactPath(req, target, way.absolute), interim)
	if err == nil && way.absolute && resp.StatusCode == http.StatusProxyAuthRequired { // not the client's credentials
		resp.Body.Close()
		return nil, &ProxyError{ProxyAuth, errors.New("answer: " + resp.Status)}
	}
	return resp, err
}

// Upgrade is RoundTrip for a request that asks for another protocol: it goes over HTTP/1.1, through a tunnel where
// there is an upstream proxy.
func (d *Dialer) Upgrade(req *http.Request, target string, interim Interim) (*http.Response, error) {
	return roundTrip(d.upgrades[req.URL.Scheme], exactPath(req, target, false), interim)
}

// CloseIdle closes the connections that nobody uses.
func (d *Dialer) CloseIdle() {
	for scheme := range d.requests {
		d.requests[scheme].CloseIdleConnections()
		d.followed[scheme].CloseIdleConnections()
		d.upgrades[scheme].CloseIdleConnections()
	}
}

// originTLS is the client's side of TLS with origins: crypto/tls verifies them, and verifyMore what it leaves out.
func originTLS(roots *x509.CertPool) *tls.Config {
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(1024),
		VerifyConnection: func(cs tls.ConnectionState) error { return verifyMore(cs, time.Now()) }}
}

// dialFor returns the DialContext of a transport for URLs of scheme.
func (d *Dialer) dialFor(g *guard, scheme string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, _, addr string) (net.Conn, error) {
		if addr == upstreamAddr && scheme == "http" {
			return d.reach(ctx, d.routes.http)
		}
		a, err := hostname.ParseAuthority(addr, "")
		if err != nil {
			return nil, err
		}
		return d.dial(ctx, g, d.routes.to(scheme, a), a)
	}
}

// dial connects to a. The guard sees the name first and then, on the direct route, every address that it resolves to.
func (d *Dialer) dial(ctx context.Context, g *guard, r route, a hostname.Authority) (net.Conn, error) {
	if err := d.permitBy(ctx, g, r, a); err != nil {
		return nil, err
	}
	if r.via != nil {
		return d.through(ctx, r.via, a)
	}
	return d.connect(ctx, a, g.control(a.Host))
}

// readBuffer is large enough for most packed pages with their header, so that they are read at once.
const readBuffer = 16 << 10

// newTransport makes the transport to the origins of a scheme. It asks for no compression by itself: Accept-Encoding is
// the client's and the pipeline's business, and an unpacked body would no longer match its header.
func newTransport(d *Dialer, g *guard, scheme string) *http.Transport {
	l := d.limits
	t := &http.Transport{
		DialContext:            watched(d.dialFor(g, scheme)),
		DialTLSContext:         watched(d.secure(g, "h2", "http/1.1")),
		ForceAttemptHTTP2:      true, // a DialContext of one's own switches HTTP/2 off otherwise
		DisableCompression:     true,
		ResponseHeaderTimeout:  l.Response,
		ExpectContinueTimeout:  l.Continue,
		IdleConnTimeout:        l.Idle,
		MaxIdleConns:           1024,
		MaxIdleConnsPerHost:    32,
		MaxResponseHeaderBytes: int64(l.HeaderBytes),
		ReadBufferSize:         readBuffer,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
	if d.routes.http != nil {
		t.Proxy = func(req *http.Request) (*url.URL, error) { return d.proxyRequest(g, req) }
	}
	return t
}

// upgradable returns a transport for requests that switch protocols, which HTTP/2 can't do.
func upgradable(d *Dialer, scheme string) *http.Transport {
	u := newTransport(d, d.guard, scheme)
	u.Proxy = nil // RFC 6455 §4.1 has WebSocket ask the proxy for a tunnel
	u.Protocols = new(http.Protocols)
	u.Protocols.SetHTTP1(true)
	u.ForceAttemptHTTP2 = false
	u.DialTLSContext = watched(d.secure(d.guard, "http/1.1"))
	return u
}

// secure returns a function that connects and speaks TLS with the origin, with the given protocols on offer.
func (d *Dialer) secure(g *guard, protocols ...string) dialFunc {
	connect := d.dialFor(g, "https")
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := connect(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		config := d.tls.Clone()
		config.NextProtos = protocols
		if config.ServerName, _, err = net.SplitHostPort(addr); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		ctx, cancel := within(ctx, d.limits.Handshake)
		defer cancel()
		paced := &pacedConn{Conn: conn, turn: &access.Turn{Turns: d.handshakes, Client: exchange.Name(ctx), Context: ctx}}
		secure := tls.Client(paced, config)
		if err := paced.pace(func() error { return secure.HandshakeContext(ctx) }); err != nil {
			conn.Close()
			return nil, err
		}
		return secure, nil
	}
}
