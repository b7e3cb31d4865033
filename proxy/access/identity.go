package access

// Identity is the sender of a request.
type Identity struct {
	Client Client
	// User is empty when no password is required.
	User string
}

// Name is the key of limits: a user, from any address, or a client when no password is required.
func (id Identity) Name() string {
	if id.User != "" {
		return "user " + id.User
	}
	return id.String()
}

// String names a client for the operator: its address, or its IPv6 network, after the user's name if there is one.
func (id Identity) String() string {
	if id.User != "" {
		return id.User + "@" + id.Client.String()
	}
	return id.Client.String()
}
