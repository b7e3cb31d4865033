package dial

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// DeniedError says that a destination is one that the proxy does not connect to.
type DeniedError struct {
	// Host is the name or address that the client asked for, without port.
	Host string
	// Why says in a few words what the destination is ("a private address").
	Why string
	// Followed says that a request by [Named] may go there.
	Followed bool
}

// Error implements error.
func (e *DeniedError) Error() string {
	return fmt.Sprintf("destination %s refused: it is %s", e.Host, e.Why)
}

// guard decides which destinations may be connected to. It is immutable but for self and safe for concurrent use.
type guard struct {
	// private permits loopback and private destinations; local permits them where they are named by their address, or as
	// localhost.
	private, local bool
	// followed says that there is a guard which permits more, for requests by Named.
	followed bool
	hosts    hostname.Set
	ports    access.Ports
	ranges   []netip.Prefix
	// self returns the proxy's own addresses.
	self func() []netip.AddrPort
	// interfaces returns the addresses of this machine's interfaces.
	interfaces func() ([]net.Addr, error)
}

func newGuard(o Options) (*guard, error) {
	g := &guard{private: o.Private, local: o.Local, self: o.Self, interfaces: net.InterfaceAddrs}
	var names []string
	for _, t := range o.Targets {
		if p, err := netip.ParsePrefix(t); err == nil {
			g.ranges = append(g.ranges, p.Masked())
		} else if ip, err := netip.ParseAddr(t); err == nil {
			ip = plainAddr(ip)
			g.ranges = append(g.ranges, netip.PrefixFrom(ip, ip.BitLen()))
		} else {
			names = append(names, t)
		}
	}
	var err error
	if g.hosts, err = hostname.ParseSet(names); err != nil {
		return nil, fmt.Errorf("allowed target: %w", err)
	}
	if g.ports, err = access.ParsePorts(o.Ports); err != nil {
		return nil, fmt.Errorf("allowed port: %w", err)
	}
	return g, nil
}

// strict returns the guard without the permission for private addresses.
func (g *guard) strict() *guard {
	s := *g
	s.private, s.local, s.followed = false, false, g.private || g.local
	return &s
}

// name checks a destination before its name is looked up: the port, metadata services by name, and addresses in place
// of names.
func (g *guard) name(a hostname.Authority) error {
	if port, err := strconv.ParseUint(a.Port, 10, 16); err != nil || !g.ports.Contains(uint16(port)) {
		return &DeniedError{Host: a.String(), Why: WhyPort}
	}
	if g.hosts.Match(a.Host) {
		return nil
	}
	if isMetadataName(a.Host) {
		return &DeniedError{Host: a.Host, Why: WhyMetadata}
	}
	if ip, err := netip.ParseAddr(a.Host); err == nil {
		return g.addr(a.Host, ip, a.Port)
	}
	if looksNumeric(a.Host) {
		return &DeniedError{Host: a.Host, Why: WhySpelling}
	}
	return nil
}

// addr checks the address that host resolved to.
func (g *guard) addr(host string, ip netip.Addr, port string) error {
	ip = plainAddr(ip)
	if g.isSelf(ip, port) {
		return &DeniedError{Host: host, Why: WhySelf}
	}
	if g.allowed(host, ip) {
		return nil
	}
	if isMetadataAddr(ip) {
		return &DeniedError{Host: host, Why: WhyMetadata}
	}
	why := specialAddr(ip)
	if why == "" || why != whyLinkLocal && (g.private || g.local && isLocalName(host)) {
		return nil
	}
	return &DeniedError{Host: host, Why: why, Followed: g.followed && why != whyLinkLocal}
}

// isLocalName reports whether a host is named by an address, or is localhost (RFC 6761 §6.3): no name server decides
// where it leads to.
func isLocalName(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// tunnel is name for a CONNECT. A tunnel can carry anything, so it may only lead to the port of HTTPS unless ports are
// listed. Clients of this machine may reach addresses on this machine and its network on any port.
func (g *guard) tunnel(a hostname.Authority) error {
	port, err := strconv.ParseUint(a.Port, 10, 16)
	if err != nil || !g.ports.Tunnel(uint16(port)) && !g.inside(a.Host) {
		return &DeniedError{Host: a.String(), Why: WhyPort}
	}
	return g.name(a)
}

// inside reports whether the name alone says that host is on this machine or its network, and clients may go there.
func (g *guard) inside(host string) bool {
	ip, err := netip.ParseAddr(host)
	return g.local && isLocalName(host) && (err != nil || specialAddr(plainAddr(ip)) != "")
}

func (g *guard) allowed(host string, ip netip.Addr) bool {
	if g.hosts.Match(host) {
		return true
	}
	for _, p := range g.ranges {
		if p.Contains(ip) {
			return true
		}
	}
	return false
}

// isSelf reports whether a connection to ip and port would reach one of the proxy's own listeners.
func (g *guard) isSelf(ip netip.Addr, port string) bool {
	for _, own := range g.self() {
		if port != fmt.Sprint(own.Port()) {
			continue
		}
		ownIP := own.Addr().Unmap()
		if ip == ownIP {
			return true
		}
		// A connection to the unspecified address reaches this machine, and a listener on it accepts on all addresses.
		if ip.IsUnspecified() && (ownIP.IsLoopback() || ownIP.IsUnspecified()) || ownIP.IsUnspecified() && g.isLocal(ip) {
			return true
		}
	}
	return false
}

// isOwnPort reports whether the proxy itself listens on a port.
func (g *guard) isOwnPort(port string) bool {
	for _, own := range g.self() {
		if port == fmt.Sprint(own.Port()) {
			return true
		}
	}
	return false
}

func (g *guard) isLocal(ip netip.Addr) bool {
	if ip.IsLoopback() || ip.IsUnspecified() {
		return true
	}
	addrs, err := g.interfaces()
	if err != nil {
		return false
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Unmap() == ip {
			return true
		}
	}
	return false
}

// control returns the hook of a dial to host: it checks the resolved address just before connecting. A name that
// resolves to another address the second time (DNS rebinding) is refused like one that was private from the start.
func (g *guard) control(host string) func(network, address string, c syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("destination %s: address %q can't be checked: %w", host, address, err)
		}
		return g.addr(host, ap.Addr(), fmt.Sprint(ap.Port()))
	}
}
