package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// dialer connects to destinations that the guard permits, directly or through an upstream proxy.
type dialer struct {
	guard  *guard
	net    net.Dialer
	limits Limits
	via    via
	// tls is the client's side of TLS with origins and upstream proxies.
	tls *tls.Config
}

func newDialer(g *guard, v via, o Options) *dialer {
	return &dialer{guard: g, limits: o.Limits, via: v, tls: originTLS(o.UpstreamRoots),
		net: net.Dialer{Timeout: o.Limits.Dial, KeepAlive: 30 * time.Second, Resolver: o.Resolver}}
}

// originTLS is the client's side of TLS with origins: crypto/tls verifies them, and verifyMore what it leaves out.
func originTLS(roots *x509.CertPool) *tls.Config {
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(1024),
		VerifyConnection: func(cs tls.ConnectionState) error { return verifyMore(cs, time.Now()) }}
}

// DialContext connects to addr (host:port) by the route in ctx. The guard sees the name first and then, on the direct
// route, every address that it resolves to.
func (d *dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	r := routeOf(ctx)
	if addr == upstreamAddr && r.via != nil {
		return d.reach(ctx, r.via)
	}
	a, err := hostname.ParseAuthority(addr, "")
	if err != nil {
		return nil, err
	}
	if err := d.guard.name(a); err != nil {
		return nil, err
	}
	if r.via != nil {
		return d.through(ctx, r.via, a)
	}
	nd := d.net
	nd.Control = d.guard.control(a.Host)
	return nd.DialContext(ctx, network, a.String())
}

// newTransport makes the transport to the origins. It asks for no compression by itself: Accept-Encoding is the
// client's and the rewriter's business, and an unpacked body would no longer match its header.
func newTransport(d *dialer) *http.Transport {
	l := d.limits
	return &http.Transport{
		Proxy:                  d.proxyRequest, // goproxy's default reads HTTPS_PROXY without NO_PROXY
		DialContext:            d.DialContext,
		TLSClientConfig:        d.tls.Clone(),
		ForceAttemptHTTP2:      true, // a TLSClientConfig of one's own switches HTTP/2 off otherwise
		DisableCompression:     true,
		TLSHandshakeTimeout:    l.Handshake,
		ResponseHeaderTimeout:  l.Response,
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        l.Idle,
		MaxIdleConns:           1024,
		MaxIdleConnsPerHost:    32,
		MaxResponseHeaderBytes: int64(l.HeaderBytes),
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
}

// upgradable returns a transport like t for requests that switch protocols, which HTTP/2 has no way to do.
func upgradable(t *http.Transport) *http.Transport {
	u := t.Clone()
	u.Protocols = new(http.Protocols)
	u.Protocols.SetHTTP1(true)
	u.ForceAttemptHTTP2 = false
	u.TLSClientConfig.NextProtos = []string{"http/1.1"} // Clone has put h2 there
	return u
}
