package proxy

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/feed"
	"github.com/winnow-proxy/winnow/proxy/hop"
	"github.com/winnow-proxy/winnow/proxy/intercept"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/tunnel"
)

// shared is what outlives a Reload: the listener's side, and all that has connections in it. What is made from Options
// alone is in Server. There is one Server for each configuration, and a request stays with the one that it began with.
type shared struct {
	// live is the server of the configuration that is in force.
	live    atomic.Pointer[Server]
	via     hop.Via
	buffers *wire.Buffers
	tunnels *tunnel.Set
	// outer serves the proxy's listener, inner the connections that were intercepted.
	outer, inner *http.Server
	intercepted  *intercept.Listener
	feeds        *feed.Restorer

	mu        sync.Mutex
	self      []netip.AddrPort
	state     state
	stop      sync.Once
	reloading sync.Mutex
}

func newShared(listen string, log *slog.Logger) *shared {
	l := &shared{via: hop.NewVia(), buffers: wire.NewBuffers(), intercepted: intercept.NewListener()}
	l.tunnels = tunnel.NewSet(l.buffers)
	l.feeds = feed.New(func(req *http.Request, who access.Identity) (*http.Response, error) {
		return l.live.Load().fetchOnce(req, who)
	}, access.LoopbackOnly(listen), log)
	return l
}

// Reload puts o in force for new requests and tunnels. Those under way keep the old options, and no connection is
// dropped. If o can't be right, Reload returns an error and changes nothing. Listen, Own and Metrics stay as they are,
// and so do the limits that belong to the listener: Connections, HeaderBytes, Header and Idle.
func (s *Server) Reload(o Options) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	old := s.live.Load()
	o.Listen, o.Own, o.Metrics = old.opts.Listen, old.opts.Own, old.opts.Metrics
	o.Limits.Keep(old.opts.Limits)
	o, err := o.withDefaults()
	if err != nil {
		return fmt.Errorf("reload: %w", err)
	}
	next, err := build(o, s.shared)
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
	if s.opts.Limits.Requests == old.opts.Limits.Requests && s.opts.Limits.ClientRequests == old.opts.Limits.ClientRequests {
		s.requests = old.requests
	}
	if s.opts.Limits.ClientConnections == old.opts.Limits.ClientConnections {
		s.admission.open = old.admission.open
	}
	s.interceptor.Inherit(old.interceptor)
	if s.opts.Users != nil && old.opts.Users != nil && s.opts.Users != old.opts.Users {
		s.opts.Users.Inherit(old.opts.Users)
	}
	if s.opts.Pipeline != nil && old.opts.Pipeline != nil {
		s.opts.Pipeline.Inherit(old.opts.Pipeline)
	}
}
