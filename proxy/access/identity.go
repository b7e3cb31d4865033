package access

import "net/netip"

// Identity is who a request comes from.
type Identity struct {
	Client Client
	// User is empty where no password is asked for.
	User string
}

// Name is who counts as one: a user, wherever they are, or a client where no password is asked for.
func (id Identity) Name() string {
	if id.User != "" {
		return "user " + id.User
	}
	return id.String()
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
