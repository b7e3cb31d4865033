package dial

import (
	"context"
	"net/url"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// named is the context key of the permission that Named gives.
type named struct{}

// Named returns a context for a request to an address that the client itself has named. Only such requests may reach
// loopback and private addresses, where the options permit that. An address that stands in an origin's answer is the
// origin's choice, which must not lead inside: for a request to it, [Follow] makes the context.
func Named(ctx context.Context) context.Context { return context.WithValue(ctx, named{}, true) }

// Follow returns a context for a request to an address that the answer of from named, such as a redirect, an entry of a
// feed or a picture. The permission of ctx stays where both are at the same host and port, or at the default ports of
// one host, and ends elsewhere.
func Follow(ctx context.Context, from, to *url.URL) context.Context {
	if !IsNamed(ctx) || inOnePlace(from, to) {
		return ctx
	}
	return context.WithValue(ctx, named{}, false)
}

// IsNamed reports whether ctx has the permission that [Named] gives.
func IsNamed(ctx context.Context) bool {
	is, _ := ctx.Value(named{}).(bool)
	return is
}

// inOnePlace reports whether two addresses have one host, and one port or the default ports of their schemes.
func inOnePlace(u, v *url.URL) bool {
	a, errA := hostname.ParseAuthority(u.Host, hostname.DefaultPort(u.Scheme))
	b, errB := hostname.ParseAuthority(v.Host, hostname.DefaultPort(v.Scheme))
	usual := a.Port == hostname.DefaultPort(u.Scheme) && b.Port == hostname.DefaultPort(v.Scheme)
	return errA == nil && errB == nil && a.Host == b.Host && (a.Port == b.Port || usual)
}
