package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/accesslog"
)

// Authority makes what an intercepted connection needs to look like its target to a client that trusts the CA.
// *certs.Authority is one. It must be safe for concurrent use.
type Authority interface {
	// TLSConfig returns the server side of a connection to host (no port). It is asked once per connection.
	TLSConfig(host string) *tls.Config
}

// Cleaner is the response pipeline as the server sees it; *Rewriter is the one. It must be safe for concurrent use.
type Cleaner interface {
	// Request prepares the outgoing request and remembers what Response needs to know of it.
	Request(req *http.Request) *Exchange
	// Response cleans resp in place or leaves it untouched. It fails open.
	Response(x *Exchange, resp *http.Response)
}

// Options configures a [Server]. Only Authority has no usable zero value.
type Options struct {
	// Listen is the address that clients use, as in --listen. It decides whether private destinations are refused
	// (they are unless its host is loopback) and stands in the PAC file.
	Listen string
	// Admin is the address of the admin listener, which can't be reached through the proxy; empty when there is none.
	Admin string
	// Authority mints the certificates of intercepted connections.
	Authority Authority
	// CA is what the portal hands out; nil leaves the certificate links out.
	CA Certificate
	// Rewriter cleans responses; nil passes every response untouched.
	Rewriter Cleaner
	// UpstreamRoots verifies origins; nil means the system's roots.
	UpstreamRoots *x509.CertPool
	// AllowPrivate permits loopback, private and link-local destinations whatever Listen is. The addresses of cloud
	// metadata services stay refused.
	AllowPrivate bool
	// AllowTargets lists hosts, IP addresses and CIDR ranges that are never refused, metadata services included.
	AllowTargets []string
	// AllowPorts lists the ports that clients may reach, in the syntax of [access.ParsePorts]; empty means its default.
	AllowPorts []string
	// AllowClients lists the networks and addresses that clients may come from; empty means all.
	AllowClients []string
	// Users are asked for a name and a password at each request and CONNECT; nil asks nobody.
	Users *access.Verifier
	// Bypass lists hosts that are tunnelled rather than intercepted, in the syntax of [hostname.ParseSet].
	Bypass []string
	// Intercept lists the hosts that are intercepted, in the syntax of [hostname.ParseSet]; all others are tunnelled then. Empty
	// means all. Bypass goes before it.
	Intercept []string
	// Passthrough is how long a host is tunnelled for a client that refuses its certificate, as apps do that pin their
	// server's; 0 means one hour, less never.
	Passthrough time.Duration
	// Upstream are the proxies that origins are reached through; the zero value reaches them directly.
	Upstream UpstreamProxies
	// Resolver looks up origins; nil means the system's.
	Resolver *net.Resolver
	// Logger takes the log; nil discards it.
	Logger *slog.Logger
	// Record is told of each request that was answered, and each tunnel that has ended; nil tells nobody. It must be safe
	// for concurrent use.
	Record func(accesslog.Entry)
	// Metrics counts; nil counts nothing that anyone can see.
	Metrics *Metrics
	// Limits bounds time and size; zero fields take the values of [DefaultLimits].
	Limits Limits
}

// Certificate is the public half of the local CA in the forms that devices install.
type Certificate interface {
	// PEM returns the certificate in PEM form.
	PEM() []byte
	// DER returns the certificate in DER form.
	DER() []byte
	// MobileConfig returns an Apple configuration profile with the certificate.
	MobileConfig() []byte
	// Fingerprint returns the SHA-256 of the DER form, for people to compare.
	Fingerprint() string
}

// Limits bounds what one client or origin can make the proxy hold or wait for.
type Limits struct {
	// Connections is the most client connections open at once, tunnels included; more wait to be accepted.
	Connections int
	// ClientConnections is the most connections of one client ([access.Client]); a further one is closed with a 429.
	// Zero means 1024, or no limit where only this machine can connect; a negative number means no limit.
	ClientConnections int
	// ClientRate is the most requests a second of one user or client over ten seconds; a further one is answered with
	// a 429. Zero means 500, or no limit where only this machine can connect; a negative number means no limit.
	ClientRate float64
	// HeaderBytes is the most that a request's or a response's header may take.
	HeaderBytes int
	// Header is the most time that a client may take over a request's header.
	Header time.Duration
	// Handshake is the most time for a TLS handshake, with a client or an origin, and for a client's first bytes
	// after CONNECT to port 443.
	Handshake time.Duration
	// Sniff is how long a client may stay silent after CONNECT to another port before the origin is connected to, for
	// protocols in which the server speaks first (SSH, SMTP). If it does, the connection is tunnelled.
	Sniff time.Duration
	// Idle is how long a client's or an origin's connection is kept between requests.
	Idle time.Duration
	// Dial is the most time for connecting to an origin, name lookup included.
	Dial time.Duration
	// Response is how long an origin may take until its response header has arrived. Scripts that wait for news (long
	// polling) keep a request open for a minute or two on purpose.
	Response time.Duration
	// Stall is the longest pause within a body, in either direction, and of a client that does not read.
	Stall time.Duration
	// TunnelIdle is the longest silence in a tunnel.
	TunnelIdle time.Duration
	// Total is the longest life of a request with its answer, and of a tunnel.
	Total time.Duration
	// Grace is how long Serve waits for requests and tunnels when its context ends.
	Grace time.Duration
}

// DefaultLimits are generous to people on slow links and still end everything that nobody waits for.
func DefaultLimits() Limits {
	return Limits{
		Connections: 8192, HeaderBytes: 128 << 10,
		Header: 20 * time.Second, Handshake: 15 * time.Second, Sniff: time.Second, Idle: 2 * time.Minute,
		Dial: 15 * time.Second, Response: 3 * time.Minute, Stall: 5 * time.Minute, TunnelIdle: time.Hour,
		Total: 24 * time.Hour,
		Grace: 10 * time.Second,
	}
}

// withDefaults fills zero fields from DefaultLimits.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	for _, f := range []struct{ v, d *int }{{&l.Connections, &d.Connections}, {&l.HeaderBytes, &d.HeaderBytes}} {
		if *f.v <= 0 {
			*f.v = *f.d
		}
	}
	for _, f := range []struct{ v, d *time.Duration }{
		{&l.Header, &d.Header}, {&l.Handshake, &d.Handshake}, {&l.Sniff, &d.Sniff}, {&l.Idle, &d.Idle},
		{&l.Dial, &d.Dial}, {&l.Response, &d.Response}, {&l.Stall, &d.Stall}, {&l.TunnelIdle, &d.TunnelIdle},
		{&l.Total, &d.Total},
		{&l.Grace, &d.Grace},
	} {
		if *f.v <= 0 {
			*f.v = *f.d
		}
	}
	return l
}

// forListen fills in the limits of single clients. Where only this machine can connect, all clients are one.
func (l Limits) forListen(listen string) Limits {
	local := access.LoopbackOnly(listen)
	if l.ClientConnections == 0 && !local {
		l.ClientConnections = 1024
	}
	if l.ClientRate == 0 && !local {
		l.ClientRate = 500
	}
	return l
}

// withDefaults checks the options and fills in what was left out.
func (o Options) withDefaults() (Options, error) {
	if o.Authority == nil {
		return o, errors.New("proxy: an authority is needed to intercept HTTPS")
	}
	if o.Listen != "" {
		if _, _, err := net.SplitHostPort(o.Listen); err != nil {
			return o, fmt.Errorf("proxy: listen address %q: want host:port: %w", o.Listen, err)
		}
	}
	if o.Rewriter == nil {
		o.Rewriter = passAll{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(nil)
	}
	if o.Passthrough == 0 {
		o.Passthrough = time.Hour
	}
	o.Limits = o.Limits.withDefaults().forListen(o.Listen)
	return o, nil
}

// passAll is the Cleaner of a server without one.
type passAll struct{}

func (passAll) Request(*http.Request) *Exchange    { return nil }
func (passAll) Response(*Exchange, *http.Response) {}
