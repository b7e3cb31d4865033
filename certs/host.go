package certs

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// errHost says that no certificate can be made for a name.
var errHost = errors.New("not a host name or IP address in canonical form")

// maxName is the length of the longest DNS name (RFC 1035, section 2.3.4, without the length octets).
const maxName = 253

// name is what a leaf certificate is made for: an IP address or, where that is not valid, a DNS name.
type name struct {
	ip  netip.Addr
	dns string
}

// String returns the canonical form, the key of the leaf cache.
func (n name) String() string {
	if n.ip.IsValid() {
		return n.ip.String()
	}
	return n.dns
}

// parseHost takes a host in canonical form, as the caller has checked and compared it: a name in lower case and ASCII
// (A-labels, RFC 5890) without a final dot, or an address without brackets and zone (RFC 5952). Every other form is
// refused, so that no certificate is made for a name that the caller has not seen.
func parseHost(host string) (name, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.WithZone("").Unmap().String() != host {
			return name{}, fmt.Errorf("%q: %w: want the address as %s", host, errHost, ip.WithZone("").Unmap())
		}
		return name{ip: ip}, nil
	}
	if len(host) > maxName {
		return name{}, fmt.Errorf("%.60q…: %w: it is longer than %d characters", host, errHost, maxName)
	}
	for label := range strings.SplitSeq(host, ".") {
		if !validLabel(label) {
			return name{}, fmt.Errorf("%q: %w", host, errHost)
		}
	}
	return name{dns: host}, nil
}

// validLabel allows letters, digits, hyphens and underscores. A star above all is refused: a client that sends CONNECT
// *.example.com must not get a wildcard certificate.
func validLabel(s string) bool {
	if s == "" || len(s) > 63 {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
