package dial

import (
	"net"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// pacedConn is a connection to an origin, whose handshake computes when it is the turn of the client that it is for.
type pacedConn struct {
	net.Conn
	// turn is nil after the handshake.
	turn *access.Turn
}

// pace makes a handshake on the connection, which begins with work.
func (c *pacedConn) pace(handshake func() error) error {
	defer func() { c.turn.End(); c.turn = nil }()
	if err := c.turn.Begin(); err != nil {
		return err
	}
	return handshake()
}

// Read implements net.Conn.
func (c *pacedConn) Read(b []byte) (int, error) {
	if c.turn == nil {
		return c.Conn.Read(b)
	}
	c.turn.End()
	n, err := c.Conn.Read(b)
	if err == nil {
		err = c.turn.Begin()
	}
	return n, err
}
