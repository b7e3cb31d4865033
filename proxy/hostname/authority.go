package hostname

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Authority is a host with a port.
type Authority struct {
	// Host is canonical, Port is decimal, from 1 to 65535.
	Host, Port string
}

// ParseAuthority parses "host", "host:port" or "[v6]:port". port replaces a missing port. It refuses what [Canonical]
// refuses, and a port that is not a number from 1 to 65535.
func ParseAuthority(s, port string) (Authority, error) {
	host, own, err := split(s)
	if err != nil {
		return Authority{}, err
	}
	if own != "" {
		port = own
	}
	if host, err = Canonical(host); err != nil {
		return Authority{}, err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return Authority{}, fmt.Errorf("%q has no valid port", s)
	}
	return Authority{Host: host, Port: strconv.FormatUint(n, 10)}, nil
}

// split separates a host from its port, which is empty if s has none.
func split(s string) (host, port string, err error) {
	if h, p, err := net.SplitHostPort(s); err == nil {
		return h, p, nil
	}
	if _, err := netip.ParseAddr(strings.Trim(s, "[]")); err != nil && strings.Contains(s, ":") {
		return "", "", fmt.Errorf("%q is not a host and port", s)
	}
	return s, "", nil
}

// String returns host:port, ready to dial.
func (a Authority) String() string { return net.JoinHostPort(a.Host, a.Port) }

// In returns the authority as in a URL of scheme: without the scheme's default port.
func (a Authority) In(scheme string) string {
	if a.Port != DefaultPort(scheme) {
		return a.String()
	}
	return bracketed(a.Host)
}

func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// DefaultPort returns the default port of a scheme: 443 for https and wss, otherwise 80.
func DefaultPort(scheme string) string {
	if scheme == "https" || scheme == "wss" {
		return "443"
	}
	return "80"
}

// WithoutPort returns the host of "host:port", or s if it has no port.
func WithoutPort(s string) string {
	if h, _, err := net.SplitHostPort(s); err == nil {
		return h
	}
	return s
}

// SiteOf returns the name of the model of a URL's host: the canonical host, with the port unless that is the default of
// the URL's scheme. IPv6 addresses are in brackets.
func SiteOf(u *url.URL) (string, error) {
	a, err := ParseAuthority(u.Host, DefaultPort(u.Scheme))
	if err != nil {
		return "", err
	}
	return a.In(u.Scheme), nil
}

// Site parses such a name as people write it: "example.org" or "example.org:8080". It keeps the ports 80 and 443 too:
// example.org:80 is the model of https://example.org:80. It refuses a URL.
func Site(s string) (string, error) {
	host, port, err := split(s)
	if err != nil || strings.Contains(s, "/") {
		return "", fmt.Errorf("%q: %w, with a port or without, and neither scheme nor path", s, ErrInvalid)
	}
	if port != "" {
		a, err := ParseAuthority(s, "")
		if err != nil {
			return "", err
		}
		return a.String(), nil
	}
	host, err = Canonical(host)
	return bracketed(host), err
}
