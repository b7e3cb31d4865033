// Package hostname converts host names and authorities into the one form in which winnow compares, dials and stores
// them.
//
// A canonical host is lower-case ASCII: internationalised names are A-labels (RFC 5890), addresses have the form of RFC
// 5952 without brackets and zone, and the final dot of the root is left out.
package hostname

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

// ErrInvalid says that a text is no host.
var ErrInvalid = errors.New("want a host name or an IP address")

// Portal is the host name that the proxy itself answers. It is never resolved.
const Portal = "winnow.internal"

// maxName is the length of the longest name, maxLabel that of its longest part (RFC 1035 §2.3.4).
const (
	maxName  = 253
	maxLabel = 63
)

// Canonical returns the canonical form of a host without port. It accepts addresses in brackets. Its error wraps
// [ErrInvalid].
func Canonical(host string) (string, error) {
	if isCanonicalName(host) {
		return host, nil
	}
	if len(host) > 4*maxName { // IDNA takes time quadratic in the length
		return "", fmt.Errorf("%.60q…: %w: it is too long", host, ErrInvalid)
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, ok := parseIP(bare); ok {
		return ip, nil
	}
	// As browsers do (URL standard, "domain to ASCII"): names have underscores, and hyphens anywhere.
	profile := idna.New(idna.MapForLookup(), idna.StrictDomainName(false), idna.CheckHyphens(false))
	name, err := profile.ToASCII(strings.TrimSuffix(host, "."))
	if err == nil {
		name, err = profile.ToASCII(name) // the first pass accepts characters that the second can't read back
	}
	if err != nil {
		return "", fmt.Errorf("%q: %w: %w", host, ErrInvalid, err)
	}
	if ip, ok := parseIP(name); ok { // a final dot or wide digits hid an address
		return ip, nil
	}
	if !isName(name) {
		return "", fmt.Errorf("%q: %w", host, ErrInvalid)
	}
	return name, nil
}

func parseIP(s string) (string, bool) {
	ip, err := netip.ParseAddr(s)
	if err != nil {
		return "", false
	}
	return ip.WithZone("").Unmap().String(), true
}

// IsIP reports whether a canonical host is an address.
func IsIP(host string) bool {
	_, ok := parseIP(host)
	return ok
}

// isCanonicalName reports, without allocation, that host is a name which Canonical would return unchanged. If it
// returns false, host may still be canonical.
func isCanonicalName(host string) bool {
	if strings.Contains(host, "xn--") || !isName(host) {
		return false
	}
	last := host[len(host)-1]
	return last < '0' || last > '9' // otherwise it might be an address
}

// isName reports whether s is a name in lower case. It must refuse a star: a client that sends CONNECT *.example.com
// must not get a certificate for all of example.com.
func isName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > maxLabel || strings.Trim(label, labelChars) != "" {
			return false
		}
	}
	return true
}

// labelChars are the characters of a label. Underscores are in use although RFC 952 forbids them.
const labelChars = "abcdefghijklmnopqrstuvwxyz0123456789-_"
