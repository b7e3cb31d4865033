// Package proxy is the forward proxy: the server that takes requests and CONNECTs from clients and wires the packages
// below it, from the listener to a reload and the shutdown.
//
// A request goes through handler.go and roundtrip.go, a CONNECT through package intercept. goproxy serves dispatch and
// the plain path, and is used in goproxy.go alone.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/intercept"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/portal"
	"github.com/winnow-proxy/winnow/proxy/problem"
	"github.com/winnow-proxy/winnow/proxy/site"
)

// Server is a forward proxy. Make it with [New]; it is safe for concurrent use.
type Server struct {
	*shared
	opts      Options
	log       *slog.Logger
	metrics   *metrics.Metrics
	admission *admission
	// requests are those under way.
	requests *access.Shares[string]
	// rates is nil where clients may ask as often as they like.
	rates       *access.Buckets
	pages       *failure.Pages
	interceptor *intercept.Interceptor
	portal      http.Handler
	// site serves the pages about single sites; nil where nobody can teach.
	site http.Handler
	// feedHosts are the hosts whose feeds are completed.
	feedHosts hostname.Set
	// engine is goproxy.
	engine   http.Handler
	openable []door
	dialer   *dial.Dialer
}

// state is where a server is in its life.
type state uint8

const (
	stateNew state = iota
	stateServing
	stateStopping
)

// Errors of Server.Ready.
var (
	errStarting = errors.New("the proxy is not listening yet")
	errStopping = errors.New("the proxy is shutting down")
)

// Ready returns nil while the server takes connections, else an error that says why it does not.
func (s *Server) Ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.state {
	case stateNew:
		return errStarting
	case stateStopping:
		return errStopping
	}
	return nil
}

// advance moves on to a later state and reports whether it did; a server never goes back.
func (s *Server) advance(to state) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state >= to {
		return false
	}
	s.state = to
	return true
}

// New makes a server. It fails on options that can't be right, and names them.
func New(o Options) (*Server, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s, err := build(o, newShared(o.Listen, o.Logger))
	if err != nil {
		return nil, err
	}
	for _, addr := range o.Own {
		s.addSelf(addr)
	}
	s.outer = s.newHTTPServer(s.handle((*Server).serveOuter))
	s.outer.ConnContext = connContext
	s.inner = s.newHTTPServer(s.handle((*Server).serveIntercepted))
	s.inner.ConnContext = intercept.ConnContext
	s.inner.ConnState = func(c net.Conn, state http.ConnState) { s.live.Load().interceptor.ConnState(c, state) }
	s.publish()
	s.live.Store(s)
	return s, nil
}

// build makes what depends on o, whose defaults are filled in. It starts nothing, so that what it returns can be thrown
// away.
func build(o Options, l *shared) (s *Server, err error) {
	s = &Server{shared: l, opts: o, log: o.Logger, metrics: o.Metrics}
	if s.dialer, err = dial.New(dial.Options{Private: o.AllowPrivate, Local: access.LoopbackOnly(o.Listen), Targets: o.AllowTargets,
		Ports: o.AllowPorts, Self: s.ownAddrs, Roots: o.UpstreamRoots, Upstream: o.Upstream, Resolver: o.Resolver, Via: l.via,
		Limits: o.Limits, Alone: access.LoopbackOnly(o.Listen)}); err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	if s.admission, err = newAdmission(o); err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	s.rates = newRates(o.Limits)
	s.requests = access.NewShares[string](int64(o.Limits.Requests), int64(o.Limits.ClientRequests), access.LoopbackOnly(o.Listen))
	count := func(r failure.Reason) { o.Metrics.Failures.WithLabelValues(string(r)).Inc() }
	if s.pages, err = failure.NewPages(count); err != nil {
		return nil, fmt.Errorf("proxy: error pages: %w", err)
	}
	if s.feedHosts, err = hostname.ParseSet(o.Feeds); err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	if s.interceptor, err = intercept.New(intercept.Options{Authority: o.Authority, Bypass: o.Bypass, BypassToo: o.BypassToo, Only: o.Intercept,
		Passthrough: o.Passthrough, Dialer: s.dialer, Tunnels: l.tunnels, Listener: l.intercepted, Pages: s.pages, Ready: s.Ready,
		Logger: o.Logger, Metrics: o.Metrics, Limits: o.Limits, Now: o.Now, Handshakes: handshakeTurns(o.Listen)}); err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	own := portal.Options{Listen: o.Listen, CA: o.CA, Forget: func(client string) { s.interceptor.ForgetPassthrough(client, "") }}
	if o.Devices != nil {
		own.Devices = o.Devices
	}
	if o.Lessons != nil && o.Pipeline != nil {
		if s.site, err = site.New(site.Options{Examine: s.Examine, Lessons: o.Lessons, Rules: o.Rules, Choices: o.Choices, Logger: o.Logger, Now: o.Now}); err != nil {
			return nil, fmt.Errorf("proxy: %w", err)
		}
		own.Site = s.site
	}
	if s.portal, err = portal.New(own); err != nil {
		return nil, fmt.Errorf("proxy: portal: %w", err)
	}
	s.engine, s.openable = newEngine(s), s.doors()
	return s, nil
}

// handshakeTurns returns the turns of clients at the work of TLS handshakes, four at a time for each processor, since
// all else works beside them: hundreds of clients that do nothing else would have all of its time. Where only this
// machine can connect there are none.
func handshakeTurns(listen string) *access.Turns {
	if access.LoopbackOnly(listen) {
		return nil
	}
	return access.NewTurns(4*runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0), time.Now)
}

// publish shows the limits that are in force.
func (s *Server) publish() {
	s.metrics.Publish(s.opts.Limits.Named(""))
	if s.opts.Pipeline != nil {
		s.metrics.Publish(s.opts.Pipeline.Limits())
	}
}

// newHTTPServer makes one of the two servers. Bodies have no total timeout, since a download may take hours: what
// stalls is cut by the exchange and its client. net/http complains of clients, which is of use in debugging alone.
func (s *Server) newHTTPServer(h http.Handler) *http.Server {
	l := s.opts.Limits
	return &http.Server{
		Handler:                      h,
		ReadHeaderTimeout:            l.Header,
		IdleTimeout:                  l.Idle,
		MaxHeaderBytes:               int(l.HeaderBytes),
		DisableGeneralOptionsHandler: true, // OPTIONS * inside an intercepted connection is for the origin
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		HTTP2:                        &http.HTTP2Config{MaxConcurrentStreams: 250, SendPingTimeout: l.Idle},
	}
}

// Serve takes connections from ln until ctx ends or Shutdown is called, and then returns nil once all is closed: when
// ctx ends, requests and tunnels get Limits.Grace to finish. ln is closed in any case. A server serves once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if !s.advance(stateServing) {
		ln.Close()
		return errors.New("proxy: a server serves once")
	}
	s.addSelf(ln.Addr().String())
	bounded := newBoundedListener(ln, s.live.Load, s.opts.Limits.Connections, s.metrics.Connections.WithLabelValues("client"))
	served := make(chan error, 2)
	go func() { served <- s.inner.Serve(s.intercepted) }()
	go func() { served <- s.outer.Serve(bounded) }()
	var failed error
	ended := func(err error) {
		if failed == nil && !errors.Is(err, http.ErrServerClosed) {
			failed = fmt.Errorf("proxy: listener %s: %w", ln.Addr(), err)
		}
	}
	pending := 2
	select {
	case <-ctx.Done():
	case err := <-served:
		ended(err)
		pending--
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Limits.Grace)
	defer cancel()
	s.Shutdown(grace)
	for ; pending > 0; pending-- {
		ended(<-served)
	}
	return failed
}

// Shutdown stops taking connections, waits for requests under way, lets tunnels end that are silent, and cuts what is
// left when ctx ends. It may be called more than once and side by side; each call returns when all is closed.
func (s *Server) Shutdown(ctx context.Context) {
	s.advance(stateStopping)
	var wg sync.WaitGroup
	for _, srv := range []*http.Server{s.outer, s.inner} {
		wg.Go(func() {
			if err := srv.Shutdown(ctx); err != nil {
				srv.Close()
			}
		})
	}
	wg.Wait()
	// Only now is it certain that no request turns into a tunnel any more.
	if cut := s.tunnels.Drain(ctx, time.Second); cut > 0 {
		s.log.Info("tunnels cut at shutdown", "count", cut)
	}
	s.stop.Do(func() { s.live.Load().hangUp() })
}

// addSelf adds one of the proxy's own addresses to those that the guard refuses.
func (s *Server) addSelf(addr string) {
	ta, err := net.ResolveTCPAddr("tcp", addr)
	if addr == "" || err != nil {
		return
	}
	ap := ta.AddrPort()
	if !ap.Addr().IsValid() { // ":8080"
		ap = netip.AddrPortFrom(netip.IPv6Unspecified(), ap.Port())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.self = append(s.self, ap)
}

func (s *Server) ownAddrs() []netip.AddrPort {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.self
}

// ServeSite serves the pages about single sites, below /site/, to the operator, who may always teach.
func (s *Server) ServeSite(w http.ResponseWriter, r *http.Request) {
	h := s.live.Load().site
	if h == nil {
		problem.Write(w, http.StatusNotFound, "this proxy cleans no pages")
		return
	}
	const name = "operator"
	v := site.Visitor{Name: name, Who: access.Identity{User: name}, Teacher: true, Operator: true}
	h.ServeHTTP(w, r.WithContext(site.WithVisitor(r.Context(), v)))
}

// Passthrough lists the hosts that pass through because a client refuses their certificates.
func (s *Server) Passthrough() []*intercept.Entry { return s.live.Load().interceptor.Passthrough() }

// ForgetPassthrough has interception tried again for a client and a host, where an empty name stands for all. It
// returns how many entries that ended.
func (s *Server) ForgetPassthrough(client, host string) int {
	return s.live.Load().interceptor.ForgetPassthrough(client, host)
}
