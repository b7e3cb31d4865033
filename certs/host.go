package certs

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

// errHost says that no certificate can be made for a name.
var errHost = errors.New("not a host name or IP address")

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

// parseHost brings a CONNECT target's host to the form that certificates use: lower case, A-labels (RFC 5890), no
// final dot, no brackets, no zone.
func parseHost(host string) (name, error) {
	if len(host) > 4*maxName { // the conversion below takes time quadratic in the length
		return name{}, fmt.Errorf("%.60q…: %w: too long", host, errHost)
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(bare); err == nil {
		return name{ip: ip.WithZone("").Unmap()}, nil
	}
	// The labels are checked below: the strict profile would refuse the underscores and the hyphens that real names have.
	profile := idna.New(idna.MapForLookup(), idna.StrictDomainName(false), idna.CheckHyphens(false))
	ascii, err := profile.ToASCII(strings.TrimSuffix(host, "."))
	if err == nil {
		ascii, err = profile.ToASCII(ascii) // the first pass lets characters through that the second can't read back
	}
	if err != nil {
		return name{}, fmt.Errorf("%q: %w: %w", host, errHost, err)
	}
	if len(ascii) > maxName {
		return name{}, fmt.Errorf("%.60q…: %w: longer than %d characters", host, errHost, maxName)
	}
	if ip, err := netip.ParseAddr(ascii); err == nil { // a final dot or wide digits hid an address
		return name{ip: ip}, nil
	}
	for label := range strings.SplitSeq(ascii, ".") {
		if !validLabel(label) {
			return name{}, fmt.Errorf("%q: %w", host, errHost)
		}
	}
	return name{dns: ascii}, nil
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
