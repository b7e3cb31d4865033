package intercept

import (
	"net"
	"sync"
)

// Listener is a net.Listener for intercepted connections.
type Listener struct {
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
}

// NewListener returns an open listener.
func NewListener() *Listener {
	return &Listener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// serve passes c to the server that accepts from l, or closes c if l is closed.
func (l *Listener) serve(c net.Conn) {
	select {
	case l.conns <- c:
	case <-l.done:
		c.Close()
	}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	l.close.Do(func() { close(l.done) })
	return nil
}

// Addr implements net.Listener. It has no address, because nobody can connect.
func (l *Listener) Addr() net.Addr { return &net.UnixAddr{Name: "intercepted", Net: "unix"} }
