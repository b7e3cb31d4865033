package dial

import (
	"context"
	"errors"
	"net"
	"sync"
	"syscall"

	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// ErrBusy says that the client, or all clients together, have as many connections to origins as are permitted.
var ErrBusy = errors.New("too many connections to origins are open")

// clientSockets is how many connections to origins a client may have for each request that it may have under way. Idle
// connections and those of cancelled requests count as the client's too.
const clientSockets = 2

// dialSockets is how many descriptors a dial takes: beside the connection, those of the queries for both kinds of
// address.
const dialSockets = 3

// connect connects to a. The client that ctx names is charged for the connection until it is closed. control is called
// before each attempt.
func (d *Dialer) connect(ctx context.Context, a hostname.Authority, control func(string, string, syscall.RawConn) error) (net.Conn, error) {
	client := exchange.Name(ctx)
	if !d.sockets.Take(client, dialSockets) {
		d.CloseIdle() // idle connections may use up the client's share, or all there are
		if !d.sockets.Take(client, dialSockets) {
			return nil, ErrBusy
		}
	}
	nd := d.net
	nd.Control = control
	conn, err := nd.DialContext(ctx, "tcp", a.String())
	if err != nil {
		d.sockets.Give(client, dialSockets)
		return nil, err
	}
	d.sockets.Give(client, dialSockets-1)
	return &chargedConn{Conn: conn, closed: sync.OnceFunc(func() { d.sockets.Give(client, 1) })}, nil
}

// chargedConn is a connection that a client is charged for until it is closed.
type chargedConn struct {
	net.Conn
	closed func()
}

// Close implements net.Conn.
func (c *chargedConn) Close() error {
	defer c.closed()
	return c.Conn.Close()
}

// CloseWrite ends the stream to the peer while the peer may still send.
func (c *chargedConn) CloseWrite() error { return wire.CloseWrite(c.Conn) }
