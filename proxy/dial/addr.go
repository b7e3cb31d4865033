package dial

import (
	"net/netip"
	"slices"
	"strings"
)

// What a refused destination is, for DeniedError.Why.
const (
	WhyMetadata    = "a cloud metadata service"
	WhySelf        = "the proxy itself"
	WhyPort        = "on a port that is off limits"
	whyUnspecified = "the unspecified address"
	whyLoopback    = "a loopback address"
	WhyPrivate     = "a private address"
	whyLinkLocal   = "a link-local address"
	whyShared      = "a carrier-grade NAT address"
	whyMulticast   = "a multicast or broadcast address"
	whyReserved    = "an address of a reserved network"
	WhySpelling    = "an address in a spelling that not everybody reads alike"
)

// specialAddr says what ip is when it is not a public unicast address, empty when it is.
func specialAddr(ip netip.Addr) string {
	switch {
	case ip.IsUnspecified() || inAny(ip, thisNetwork):
		return whyUnspecified
	case ip.IsLoopback():
		return whyLoopback
	case ip.IsPrivate() || inAny(ip, siteLocal): // RFC 1918, RFC 4193
		return WhyPrivate
	case isLinkLocal(ip):
		return whyLinkLocal
	case inAny(ip, carrierNAT): // RFC 6598
		return whyShared
	case ip.IsMulticast() || ip == broadcast:
		return whyMulticast
	case inAny(ip, reserved):
		return whyReserved
	}
	return ""
}

// isMetadataAddr reports whether ip is the metadata service of a cloud, which gives credentials to every program
// inside: AWS, GCP, Azure, OpenStack and others; AWS over IPv6; ECS tasks; Alibaba; Oracle's former; Azure's agent.
func isMetadataAddr(ip netip.Addr) bool {
	switch ip.String() {
	case "169.254.169.254", "fd00:ec2::254", "169.254.170.2", "fd00:ec2::23", "169.254.170.23", "100.100.100.200",
		"192.0.0.192", "168.63.129.16", "fd20:ce::254", "fd00:42::42":
		return true
	}
	return false
}

// isMetadataName reports whether a normalized host names a metadata service.
func isMetadataName(host string) bool {
	switch host {
	case "metadata", "metadata.google.internal", "metadata.goog", "instance-data", "metadata.azure.internal",
		"metadata.tencentyun.com", "metadata.platformequinix.com":
		return true
	}
	return strings.HasPrefix(host, "instance-data.") && strings.HasSuffix(host, ".internal")
}

// isLinkLocal reports whether ip is on this machine's own link, where routers and clouds have services that trust all
// who can reach them (RFC 3927, RFC 4291 §2.5.6), or is translated to such an address by NAT64 of local use (RFC 8215).
func isLinkLocal(ip netip.Addr) bool {
	return ip.IsLinkLocalUnicast() || slices.ContainsFunc(localNAT64(ip), func(to netip.Addr) bool {
		return to.IsLinkLocalUnicast() || isMetadataAddr(to)
	})
}

// localNAT64 returns the IPv4 addresses that a translator may take ip for, which depends on the length of its prefix
// (RFC 6052 §2.2).
func localNAT64(ip netip.Addr) []netip.Addr {
	if !inAny(ip, localNAT64Net) {
		return nil
	}
	b := ip.As16()
	return []netip.Addr{
		netip.AddrFrom4([4]byte{b[6], b[7], b[9], b[10]}), // a prefix of 48 bits; byte 8 is left out
		netip.AddrFrom4([4]byte{b[7], b[9], b[10], b[11]}),
		netip.AddrFrom4([4]byte{b[9], b[10], b[11], b[12]}),
		netip.AddrFrom4([4]byte(b[12:16])), // 96 bits
	}
}

// plainAddr takes the IPv4 address out of the IPv6 forms that carry one on to it: mapped and compatible (RFC 4291),
// translated (RFC 7915), NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo (RFC 4380, which inverts it) and ISATAP (RFC 5214).
// Without this a private address could be reached under another spelling.
func plainAddr(ip netip.Addr) netip.Addr {
	ip = ip.WithZone("").Unmap()
	if !ip.Is6() {
		return ip
	}
	b := ip.As16()
	switch {
	case inAny(ip, embedLast) && !ip.IsUnspecified() && !ip.IsLoopback(), isISATAP(b):
		return netip.AddrFrom4([4]byte(b[12:16]))
	case inAny(ip, sixToFour):
		return netip.AddrFrom4([4]byte(b[2:6]))
	case inAny(ip, teredo):
		return netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]})
	}
	return ip
}

// isISATAP reports whether an address has the interface identifier of an ISATAP tunnel, [02]00:5efe and the IPv4
// address.
func isISATAP(b [16]byte) bool { return b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe }

// looksNumeric reports whether others may read a host as an address although this program does not: inet_aton, and many
// upstream proxies with it, read 2130706433, 0x7f.1 and 0177.1 as 127.0.0.1, which would get around the rules on
// addresses. The URL standard ("ends in a number checker") lets no name end like that.
func looksNumeric(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

func inAny(ip netip.Addr, nets []netip.Prefix) bool {
	return slices.ContainsFunc(nets, func(n netip.Prefix) bool { return n.Contains(ip) })
}

func prefixes(list ...string) []netip.Prefix {
	nets := make([]netip.Prefix, len(list))
	for i, s := range list {
		nets[i] = netip.MustParsePrefix(s)
	}
	return nets
}

// Networks and addresses that net/netip has no names for. They are never changed.
//
//nolint:gochecknoglobals // constant tables, parsed once
var (
	thisNetwork = prefixes("0.0.0.0/8") // reaches the machine itself on Linux
	siteLocal   = prefixes("fec0::/10") // deprecated, but routed
	carrierNAT  = prefixes("100.64.0.0/10")
	// reserved networks lead to places that only the operator of a translator or router knows: NAT64 of local use (RFC
	// 8215), protocol assignments, benchmarking (RFC 2544, in use for fake addresses too), and class E, which clouds
	// use inside.
	localNAT64Net = prefixes("64:ff9b:1::/48")
	reserved      = prefixes("64:ff9b:1::/48", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4")
	broadcast     = netip.AddrFrom4([4]byte{255, 255, 255, 255})

	// IPv6 networks that carry an IPv4 address on to it: NAT64 (RFC 6052), translated (RFC 7915) and compatible addresses
	// (RFC 4291) in the last bytes, 6to4 (RFC 3056) behind the first two, Teredo (RFC 4380) inverted in the last.
	embedLast = prefixes("64:ff9b::/96", "::ffff:0:0:0/96", "::/96")
	sixToFour = prefixes("2002::/16")
	teredo    = prefixes("2001::/32")
)
