package access

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Ports is a set of TCP ports, immutable and safe for concurrent use. The zero Ports is the default set: 80, 443, and
// the ports from 1024 on that browsers may reach too. Services on other low ports trust whoever connects, above all
// mail: abusers look for proxies that open port 25.
type Ports struct{ ranges [][2]uint16 }

// ParsePorts parses ports and ranges ("443", "8000-8999"). An empty list means the default set; any other list replaces
// it.
func ParsePorts(list []string) (Ports, error) {
	var p Ports
	for _, s := range list {
		low, high, ranged := strings.Cut(s, "-")
		if !ranged {
			high = low
		}
		from, err := strconv.ParseUint(low, 10, 16)
		to, err2 := strconv.ParseUint(high, 10, 16)
		if err != nil || err2 != nil || from == 0 || from > to {
			return Ports{}, fmt.Errorf("%q is neither a port from 1 to 65535 nor a range such as 8000-8999", s)
		}
		p.ranges = append(p.ranges, [2]uint16{uint16(from), uint16(to)})
	}
	return p, nil
}

// Contains reports whether port is in the set.
func (p Ports) Contains(port uint16) bool {
	if p.ranges == nil {
		return port == 80 || port == 443 || port >= 1024 && !slices.Contains(unsafePorts(), port)
	}
	return slices.ContainsFunc(p.ranges, func(r [2]uint16) bool { return r[0] <= port && port <= r[1] })
}

// Tunnel reports whether a tunnel may lead to port: by default to 443 alone, since what goes through it can't be seen.
func (p Ports) Tunnel(port uint16) bool {
	if p.ranges == nil {
		return port == 443
	}
	return p.Contains(port)
}

// unsafePorts are the ports from 1024 on that the Fetch standard blocks ("port blocking"): file systems, X11,
// telephony and chat.
func unsafePorts() []uint16 {
	return []uint16{1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
		6697, 10080}
}
