// Package access decides who may use a proxy: the networks of clients, their names and passwords, how much each may
// request, and which ports they may reach. It works with addresses and times, without HTTP.
package access

import (
	"fmt"
	"net"
	"net/netip"
)

// Networks is a set of addresses, immutable and safe for concurrent use. The zero Networks is empty.
type Networks struct{ prefixes []netip.Prefix }

// ParseNetworks parses networks ("192.168.0.0/16", "2001:db8::/32") and single addresses.
func ParseNetworks(list []string) (Networks, error) {
	var n Networks
	for _, s := range list {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			ip, aerr := netip.ParseAddr(s)
			if aerr != nil {
				return Networks{}, fmt.Errorf("%q is neither an address nor a network such as 192.168.0.0/16", s)
			}
			p = netip.PrefixFrom(ip.Unmap().WithZone(""), ip.Unmap().BitLen())
		}
		if p.Addr().Is4In6() {
			return Networks{}, fmt.Errorf("%q: write IPv4 networks in IPv4 notation", s)
		}
		n.prefixes = append(n.prefixes, p.Masked())
	}
	return n, nil
}

// Empty reports whether no address is in the set.
func (n Networks) Empty() bool { return len(n.prefixes) == 0 }

// Admit reports whether a set of allowed clients admits ip. An empty set admits everybody.
func (n Networks) Admit(ip netip.Addr) bool { return n.Empty() || n.Contains(ip) }

// Contains reports whether ip is in one of the networks. IPv4 addresses from an IPv6 socket count as IPv4.
func (n Networks) Contains(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	for _, p := range n.prefixes {
		if p.Contains(ip) {
			return true
		}
	}
	return false
}

// LoopbackOnly reports whether a listen address (host:port) accepts connections from this machine only. Every name but
// localhost counts as reachable by others, whatever it resolves to.
func LoopbackOnly(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		host = listen
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// Client identifies a client by its address: an IPv4 address, or an IPv6 /64, because a single machine can use any
// address of its /64.
type Client netip.Prefix

// String is the address, or the network of an IPv6 address.
func (c Client) String() string {
	if p := netip.Prefix(c); !p.IsSingleIP() {
		return p.String()
	}
	return netip.Prefix(c).Addr().String()
}

// ClientOf returns the client of ip. All invalid addresses share the zero Client.
func ClientOf(ip netip.Addr) Client {
	ip = ip.Unmap().WithZone("")
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64
	}
	p, err := ip.Prefix(bits)
	if err != nil {
		return Client{}
	}
	return Client(p)
}

// AddrOf returns the IP address of a network address such as net.Conn.RemoteAddr, or an invalid one where it has none.
func AddrOf(a net.Addr) netip.Addr {
	if a == nil {
		return netip.Addr{}
	}
	return ParseAddr(a.String())
}

// ParseAddr returns the IP address of "host:port", or an invalid one where it has none.
func ParseAddr(hostPort string) netip.Addr {
	ap, err := netip.ParseAddrPort(hostPort)
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap().WithZone("")
}
