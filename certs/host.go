package certs

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// errHost says that a name can't have a certificate.
var errHost = errors.New("not a host name or IP address in canonical form")

// maxName is the length of the longest DNS name (RFC 1035, section 2.3.4, without the length octets).
const maxName = 253

// name is the subject of a leaf certificate: an IP address or, where ip is not valid, a DNS name.
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

// parseHost parses a host in canonical form: a DNS name in lower-case ASCII (A-labels, RFC 5890) without a final dot,
// or an address without brackets and zone (RFC 5952). It refuses every other form, so that every certificate is for a
// name that the caller has checked.
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

// validLabel allows letters, digits, hyphens and underscores. It must refuse a star: a client that sends CONNECT
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
