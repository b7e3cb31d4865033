package proxy

import (
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/accesslog"
	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/intercept"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/portal"
	"github.com/winnow-proxy/winnow/proxy/site"
	"github.com/winnow-proxy/winnow/proxy/sites"
	"github.com/winnow-proxy/winnow/proxy/vintage"
)

// Options configures a [Server]. Only Authority has no usable zero value.
type Options struct {
	// Listen is the address that clients use, as in --listen. It decides whether private destinations are refused (on
	// loopback they are not where a client names them by address, or as localhost) and stands in the PAC file.
	Listen string
	// Own are the addresses of the program's other listeners, which can't be reached through the proxy.
	Own []string
	// Authority mints the certificates of intercepted connections.
	Authority intercept.Authority
	// CA is what the portal hands out; nil leaves the certificate links out.
	CA portal.Certificate
	// Pipeline cleans responses; nil passes every response untouched.
	Pipeline *pipeline.Pipeline
	// Lessons are what people teach of pages; nil leaves the pages about single sites out.
	Lessons site.Lessons
	// Rules take the rules that the operator makes on the pages about single sites; nil leaves that out.
	Rules site.Rules
	// MayTeach says who may teach for all who use the models; nil means nobody.
	MayTeach func(access.Identity) bool
	// Devices keep the modes that devices want on all sites; nil leaves that out.
	Devices *sites.Devices
	// Vintage serves old browsers that speak no TLS of today; nil serves none.
	Vintage *vintage.Policy
	// Choices are those of browsers about how to see a site; nil leaves none.
	Choices *sites.Choices
	// UpstreamRoots verifies origins; nil means the system's roots.
	UpstreamRoots *x509.CertPool
	// AllowPrivate permits loopback and private destinations whatever Listen is and however they are named. Link-local
	// addresses, and those of cloud metadata services, stay refused.
	AllowPrivate bool
	// AllowTargets lists hosts, IP addresses and CIDR ranges that are never refused, metadata services included.
	AllowTargets []string
	// AllowPorts lists the ports that clients may reach, in the syntax of [access.ParsePorts]; empty means its default,
	// and 443 for tunnels.
	AllowPorts []string
	// AllowClients lists the networks and addresses that clients may come from; empty means all.
	AllowClients []string
	// Users are asked for a name and a password at each request and CONNECT; nil asks nobody.
	Users *access.Verifier
	// Bypass lists hosts that are tunnelled rather than intercepted, in the syntax of [hostname.ParseSet].
	Bypass []string
	// BypassToo reports whether a host that Bypass does not list is tunnelled all the same; see [intercept.Options].
	BypassToo func(site string) bool
	// Intercept lists the hosts that are intercepted, in the syntax of [hostname.ParseSet]; all others are tunnelled
	// then. Empty means all. Bypass goes before it.
	Intercept []string
	// Feeds lists hosts whose feeds get the whole text of the pages that they link to, in the syntax of
	// [hostname.ParseSet].
	Feeds []string
	// Passthrough is how long a host is tunnelled for a client that refuses its certificate, as apps do that pin their
	// server's; 0 means one hour, less never.
	Passthrough time.Duration
	// Upstream are the proxies that origins are reached through; the zero value reaches them directly.
	Upstream dial.Proxies
	// Resolver looks up origins; nil means the system's.
	Resolver *net.Resolver
	// Logger takes the log; nil discards it.
	Logger *slog.Logger
	// Record, when set, is called with each answered request and each ended tunnel. It must be safe for concurrent use.
	Record func(accesslog.Entry)
	// Metrics counts; nil counts nothing that anyone can see.
	Metrics *metrics.Metrics
	// Now tells the time for Passthrough; nil means time.Now.
	Now func() time.Time
	// Limits bounds time and size; zero fields take their defaults.
	Limits limits.Limits
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
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = metrics.New(nil)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Passthrough == 0 {
		o.Passthrough = time.Hour
	}
	o.Limits = o.Limits.WithDefaults(o.Listen)
	if err := o.Limits.Check(); err != nil {
		return o, fmt.Errorf("proxy: %w", err)
	}
	o.Limits = o.Limits.Within(limits.Descriptors())
	return o, nil
}
