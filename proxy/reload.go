package proxy

import (
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/winnow-proxy/winnow/proxy/hop"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// lasting is what a Server keeps over a Reload: the listener's side, and all that has connections in it. What is made
// from Options alone stands in Server itself, of which there is one for each configuration; requests stay with the one
// that they began with.
type lasting struct {
	// live is the server of the configuration that is in force.
	live    atomic.Pointer[Server]
	via     hop.Via
	buffers *wire.Buffers
	tunnels *tunnels
	// outer serves the proxy's listener, inner the connections that were intercepted.
	outer, inner *http.Server
	intercepted  *connListener

	mu        sync.Mutex
	self      []netip.AddrPort
	state     state
	stop      sync.Once
	reloading sync.Mutex
}

func newLasting() *lasting {
	l := &lasting{via: hop.NewVia(), buffers: wire.NewBuffers(), intercepted: newConnListener()}
	l.tunnels = newTunnels(l.buffers)
	return l
}

// byLive returns a handler that serves each request by the configuration that is in force when it comes.
func (l *lasting) byLive(serve func(*Server, http.ResponseWriter, *http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := l.live.Load()
		h := s.contained(func(w http.ResponseWriter, r *http.Request) { serve(s, w, r) })
		s.recorded(h.ServeHTTP)(w, r)
	})
}

// Reload puts o in force for the requests and tunnels that come from now on; those under way end as they began, and no
// connection is dropped. Where o can't be right, Reload returns an error and changes nothing. Listen, Admin and Metrics
// stay as they are, and so do the limits that belong to the listener: Connections, HeaderBytes, Header and Idle.
func (s *Server) Reload(o Options) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	old := s.live.Load()
	o.Listen, o.Admin, o.Metrics = old.opts.Listen, old.opts.Admin, old.opts.Metrics
	fixed := old.opts.Limits
	o.Limits.Connections, o.Limits.HeaderBytes = fixed.Connections, fixed.HeaderBytes
	o.Limits.Header, o.Limits.Idle = fixed.Header, fixed.Idle
	o, err := o.withDefaults()
	if err != nil {
		return fmt.Errorf("reload: %w", err)
	}
	next, err := build(o, s.lasting)
	if err != nil {
		return fmt.Errorf("reload: %w", err)
	}
	next.inherit(old)
	next.publish()
	s.live.Store(next)
	old.hangUp()
	return nil
}

// hangUp closes the connections to origins that nobody uses.
func (s *Server) hangUp() {
	s.dialer.CloseIdle()
}

// outlived hangs up at the end of a request that has outlived its configuration: nobody will use its connection again.
func (s *Server) outlived() {
	if s != s.live.Load() {
		s.hangUp()
	}
}

// inherit takes over what old knows of its clients, as far as it means the same.
func (s *Server) inherit(old *Server) {
	if s.opts.Limits.ClientRate == old.opts.Limits.ClientRate {
		s.rates = old.rates
	}
	if s.opts.Limits.ClientConnections == old.opts.Limits.ClientConnections {
		s.door.open = old.door.open
	}
	if s.passthrough.lasts == old.passthrough.lasts {
		s.passthrough = old.passthrough
	}
	if s.opts.Users != nil && old.opts.Users != nil && s.opts.Users != old.opts.Users {
		s.opts.Users.Inherit(old.opts.Users)
	}
	if s.opts.Rewriter != nil && old.opts.Rewriter != nil {
		s.opts.Rewriter.Inherit(old.opts.Rewriter)
	}
}
