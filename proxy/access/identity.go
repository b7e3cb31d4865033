package access

import "net/netip"

// Identity is who a request comes from.
type Identity struct {
	Client Client
	// User is empty where no password is asked for.
	User string
}

// String names a client to the operator: its address, or its network in IPv6, after the user's name where there is one.
func (id Identity) String() string {
	p := netip.Prefix(id.Client)
	text := p.String()
	if p.IsSingleIP() {
		text = p.Addr().String()
	}
	if id.User != "" {
		text = id.User + "@" + text
	}
	return text
}
