package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
	socks "golang.org/x/net/proxy"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Proxies are proxies that stand between this one and the origins. The zero value reaches origins directly.
//
// The upstream proxy resolves names then. Here only the rules on names, and on addresses that clients write out, are
// checked; the upstream proxy has to check what a name resolves to.
type Proxies struct {
	// HTTP is for http addresses, HTTPS for https addresses and tunnels, as [ParseProxy] returns them; nil reaches
	// these directly.
	HTTP, HTTPS *url.URL
	// NoProxy lists what is reached directly in the syntax of the variable NO_PROXY, comma-separated: host names (with
	// their subdomains), .host names (the subdomains alone), addresses and networks, each with a port or without, or * for
	// everything. Loopback addresses and localhost always are.
	NoProxy string
}

// ParseProxy reads the address of an upstream proxy: [SCHEME://][USER:PASSWORD@]HOST[:PORT], where SCHEME is http (the
// default), https, socks5 or socks5h; both of the latter leave names to the proxy. Its errors don't repeat s, which may
// hold a password.
func ParseProxy(s string) (*url.URL, error) {
	if !strings.Contains(s, "://") {
		if !strings.ContainsAny(s, ".:[@") && s != "localhost" {
			return nil, errors.New("a word alone: want HOST:PORT, or an address such as http://proxy.example:3128")
		}
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("not an address such as http://proxy.example:3128 (is a character of the password not escaped?)")
	}
	if u.Scheme == "socks5h" {
		u.Scheme = "socks5"
	}
	if upstreamPort(u.Scheme) == "" {
		return nil, errors.New("the scheme is not one of http, https, socks5")
	}
	if _, err := hostname.ParseAuthority(u.Host, upstreamPort(u.Scheme)); err != nil {
		return nil, err
	}
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("a proxy has a host and a port, but neither path nor query")
	}
	password, _ := u.User.Password()
	if u.Scheme == "socks5" && u.User != nil && (u.User.Username() == "" || len(u.User.Username()) > 255 || len(password) > 255) {
		return nil, errors.New("SOCKS5 wants a user name, and takes names and passwords of up to 255 bytes (RFC 1929)")
	}
	return u, nil
}

// upstreamPort returns the default port of a scheme of upstream proxies, empty for other schemes.
func upstreamPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	case "socks5":
		return "1080"
	}
	return ""
}

// upstreamAddr stands for the upstream proxy where http.Transport names what to dial. No client can ask for port 0, so
// no origin is ever mistaken for the proxy.
const upstreamAddr = "upstream.invalid:0"

// upstream is one upstream proxy.
type upstream struct {
	addr hostname.Authority
	// socks is set for SOCKS5; else the proxy speaks HTTP, over TLS if tls is set.
	socks, tls bool
	user       *url.Userinfo
	// absolute makes http.Transport send requests in absolute form, credentials included.
	absolute *url.URL
}

func newUpstream(u *url.URL) (*upstream, error) {
	if u == nil {
		return nil, nil
	}
	a, err := hostname.ParseAuthority(u.Host, upstreamPort(u.Scheme))
	if err != nil {
		return nil, err
	}
	return &upstream{addr: a, socks: u.Scheme == "socks5", tls: u.Scheme == "https", user: u.User,
		absolute: &url.URL{Scheme: "http", Host: upstreamAddr, User: u.User}}, nil
}

// auth returns the credentials for SOCKS5, nil when there are none.
func (u *upstream) auth() *socks.Auth {
	if u.user == nil {
		return nil
	}
	password, _ := u.user.Password()
	return &socks.Auth{User: u.user.Username(), Password: password}
}

// routes knows by which way origins are reached.
type routes struct {
	http, https *upstream
	pick        func(*url.URL) (*url.URL, error)
}

func newRoutes(p Proxies) (r routes, err error) {
	if r.http, err = newUpstream(p.HTTP); err != nil {
		return r, err
	}
	if r.https, err = newUpstream(p.HTTPS); err != nil {
		return r, err
	}
	// httpproxy only has to tell an address from none: what it makes of the address is not used.
	stands := func(u *upstream) string {
		if u == nil {
			return ""
		}
		return "http://" + upstreamAddr
	}
	r.pick = (&httpproxy.Config{HTTPProxy: stands(r.http), HTTPSProxy: stands(r.https), NoProxy: p.NoProxy}).ProxyFunc()
	return r, nil
}

// route is the way to one origin. The zero route is the direct one.
type route struct {
	via *upstream
	// absolute says that the proxy gets the request itself, in absolute form, rather than being asked for a tunnel.
	absolute bool
}

// to returns the way to a, which is reached by scheme ("http" or "https", which also stands for tunnels).
func (r routes) to(scheme string, a hostname.Authority) route {
	if r.http == nil && r.https == nil {
		return route{}
	}
	u, err := r.pick(&url.URL{Scheme: scheme, Host: a.String()})
	switch {
	case err != nil || u == nil:
		return route{}
	case scheme == "http":
		return route{via: r.http, absolute: !r.http.socks}
	}
	return route{via: r.https}
}

// upstreamTLS is the client's side of TLS with an upstream proxy, verified like an origin's.
func upstreamTLS(origins *tls.Config, host string) *tls.Config {
	c := origins.Clone()
	c.ServerName, c.NextProtos = host, []string{"http/1.1"} // CONNECT within HTTP/2 is another matter
	return c
}

// proxyRequest is the Proxy of the transport to the origins: it sends requests in absolute form where their route says
// so.
func (d *Dialer) proxyRequest(g *guard, req *http.Request) (*url.URL, error) {
	a, err := hostname.ParseAuthority(req.URL.Host, hostname.DefaultPort(req.URL.Scheme))
	if err != nil {
		return nil, err
	}
	r := d.routes.to(req.URL.Scheme, a)
	if !r.absolute {
		return nil, nil
	}
	if err := d.permitBy(req.Context(), g, r, a); err != nil { // the transport dials the proxy, so that dial does not ask
		return nil, err
	}
	return r.via.absolute, nil
}

// permitBy checks a destination by name, port and route. An upstream proxy on this machine can reach the proxy's own
// listeners, above all the admin address, under names that only it resolves. Their ports are refused then.
func (d *Dialer) permitBy(ctx context.Context, g *guard, r route, a hostname.Authority) error {
	if err := g.name(a); err != nil {
		return err
	}
	if r.via != nil && g.isOwnPort(a.Port) && d.onThisMachine(ctx, r.via.addr.Host) {
		return &DeniedError{Host: a.String(), Why: WhySelf}
	}
	return nil
}

// onThisMachine reports whether host may be this machine: it counts as such where its name can't be looked up.
func (d *Dialer) onThisMachine(ctx context.Context, host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return d.guard.isLocal(plainAddr(ip))
	}
	ctx, cancel := within(ctx, d.limits.Dial)
	defer cancel()
	resolver := d.net.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	ips, err := resolver.LookupNetIP(ctx, "ip", host)
	return err != nil || slices.ContainsFunc(ips, func(ip netip.Addr) bool { return d.guard.isLocal(plainAddr(ip)) })
}
