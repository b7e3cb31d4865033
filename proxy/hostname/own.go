package hostname

import (
	"net/netip"
	"strings"
)

// IsOwn reports whether the Host field of a request names a server at one of the addresses or names in own, or this
// machine: by a loopback address or as localhost. DNS rebinding makes browsers name others.
func IsOwn(host string, own ...string) bool {
	host, err := Canonical(WithoutPort(host))
	if err != nil {
		return false
	}
	for _, name := range own {
		if name, err := Canonical(WithoutPort(name)); err == nil && name == host {
			return true
		}
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}
