package proxy

import (
	"context"
	"net"
	"sync"

	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
)

// boundedListener accepts a limited number of connections at once. Each has a deadline on writing, so that a client
// that stops reading does not keep its connection forever. A connection counts until it is closed, also after it was
// hijacked.
type boundedListener struct {
	net.Listener
	live  func() *Server // that of the configuration in force
	slots chan struct{}
	done  chan struct{}
	close sync.Once
	open  *prom.Gauge
}

func newBoundedListener(ln net.Listener, live func() *Server, connections int, open *prom.Gauge) *boundedListener {
	return &boundedListener{Listener: ln, live: live, slots: make(chan struct{}, connections), done: make(chan struct{}), open: open}
}

// Accept implements net.Listener.
func (l *boundedListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			<-l.slots
			return nil, err
		}
		s := l.live()
		if leave := s.admission.enter(c); leave != nil {
			l.open.Inc()
			return exchange.NewClient(c, s.opts.Limits.Stall, s.buffers, func() { l.open.Dec(); leave(); <-l.slots }), nil
		}
	}
}

// Close implements net.Listener.
func (l *boundedListener) Close() error {
	l.close.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// connContext is the hook of the outer server: requests know their connection.
func connContext(ctx context.Context, c net.Conn) context.Context {
	return c.(*exchange.Client).On(ctx)
}
