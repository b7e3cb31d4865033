package proxy

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Hosts is a set of host patterns, immutable and safe for concurrent use. The zero Hosts holds none.
type Hosts struct {
	exact  map[string]bool
	suffix map[string]bool
}

// ParseHosts reads host patterns: "example.org" matches that host alone, ".example.org" and "*.example.org" match its
// subdomains (and ".example.org" itself too), an IP address matches itself. Ports are not part of a pattern. Suffixes under
// which registries hand out names, such as "com" and ".co.uk", are refused: half the web was hardly meant.
func ParseHosts(patterns []string) (Hosts, error) {
	h := Hosts{exact: map[string]bool{}, suffix: map[string]bool{}}
	for _, p := range patterns {
		name, wild := strings.CutPrefix(p, "*")
		name, dot := strings.CutPrefix(name, ".")
		if wild && !dot {
			return Hosts{}, fmt.Errorf("host pattern %q: a star must be followed by a dot, as in *.example.org", p)
		}
		norm := normalizeHost(name)
		if norm == "" {
			return Hosts{}, fmt.Errorf("host pattern %q: want a host name or an IP address, without scheme, port or path", p)
		}
		if publicSuffix(norm) {
			return Hosts{}, fmt.Errorf("host pattern %q: %s is where anybody can register names; name the sites that you mean, "+
				"as in .example.%s", p, norm, norm)
		}
		if dot {
			h.suffix[norm] = true
		}
		if !wild {
			h.exact[norm] = true
		}
	}
	return h, nil
}

// Match reports whether host, with or without a port, is in the set.
func (h Hosts) Match(host string) bool {
	if len(h.exact) == 0 && len(h.suffix) == 0 {
		return false
	}
	host = normalizeHost(stripPort(host))
	if h.exact[host] {
		return true
	}
	for {
		_, rest, ok := strings.Cut(host, ".")
		if !ok {
			return false
		}
		if h.suffix[rest] {
			return true
		}
		host = rest
	}
}

// publicSuffix reports whether a normalized host, or all there is right below it, is a registry's suffix (publicsuffix.org).
// The list's other half, suffixes of hosting companies such as github.io, may well be meant.
func publicSuffix(host string) bool {
	for _, name := range []string{host, "any." + host} { // *.kawasaki.jp
		if suffix, registry := publicsuffix.PublicSuffix(name); registry && suffix == name {
			return true
		}
	}
	return false
}

// normalizeHost brings a host without port into the one form used for comparing: lower case, ASCII, no trailing dot,
// IP addresses in their canonical text without brackets or zone. It returns an empty string for what is no host.
func normalizeHost(host string) string {
	bare := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(strings.TrimSuffix(bare, ".")); err == nil {
		return ip.WithZone("").Unmap().String()
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".") // IDNA forbids underscores, which are in use all the same
	if strings.Trim(host, hostChars) != "" || strings.HasPrefix(host, ".") || strings.HasSuffix(host, ".") {
		return ""
	}
	return host
}

// hostChars are the characters of a host name in ASCII.
const hostChars = "abcdefghijklmnopqrstuvwxyz0123456789.-_"

// authority is a host and port that a request or a CONNECT names.
type authority struct {
	// host is normalized, port is decimal.
	host, port string
}

// parseAuthority reads "host", "host:port" or "[v6]:port"; port takes the place of one that is missing. It fails on
// an empty host and on a port that is not a number from 1 to 65535.
func parseAuthority(s, port string) (authority, error) {
	host := s
	if h, p, err := net.SplitHostPort(s); err == nil {
		host = h
		if p != "" {
			port = p
		}
	} else if strings.Contains(s, ":") && !isIP(strings.Trim(s, "[]")) {
		return authority{}, fmt.Errorf("%q is not a host and port", s)
	}
	host = normalizeHost(host)
	if host == "" {
		return authority{}, fmt.Errorf("%q names no host", s)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return authority{}, fmt.Errorf("%q has no valid port", s)
	}
	return authority{host: host, port: strconv.FormatUint(n, 10)}, nil
}

// String returns host:port, ready to dial.
func (a authority) String() string { return net.JoinHostPort(a.host, a.port) }

// urlHost returns the authority as it stands in a URL of scheme: its default port left out.
func (a authority) urlHost(scheme string) string {
	if a.port != defaultPort(scheme) {
		return a.String()
	}
	if strings.Contains(a.host, ":") {
		return "[" + a.host + "]"
	}
	return a.host
}

func defaultPort(scheme string) string {
	if scheme == "https" || scheme == "wss" {
		return "443"
	}
	return "80"
}

func stripPort(s string) string {
	if h, _, err := net.SplitHostPort(s); err == nil {
		return h
	}
	return s
}

func isIP(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}
