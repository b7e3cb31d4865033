// Package icap cleans responses for Squid and other proxies by the Internet Content Adaptation Protocol (RFC 3507). It
// answers OPTIONS and RESPMOD. A cleaned response is what a client of winnow's own proxy gets. A response that stays as
// it is costs the client no more than its header: 204 inside the preview, and outside where the client permits it.
//
// Whatever goes wrong, the client keeps the origin's bytes: winnow sends them back, or a status that makes the client
// send them on.
package icap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/accesslog"
	"github.com/winnow-proxy/winnow/proxy/limits"
)

// Options configure a [Server]. Clean, Tag and Logger are required.
type Options struct {
	// Clean cleans the answer to a request in place, as [proxy.Server.Relay] does. After an error the answer stays as it
	// is. It must be safe for concurrent use.
	Clean func(req *http.Request, resp *http.Response, who access.Identity) error
	// Tag identifies what cleans: an answer that a client has stored is good while the tag stays the same (ISTag, RFC
	// 3507 §4.7). At most 28 bytes of letters, digits, dots and dashes.
	Tag func() string
	// Admit reports whether an address may connect. Nil admits this machine alone.
	Admit func(netip.Addr) bool
	// Record, when set, is called with each request and what became of it, from several goroutines. Method and Status are
	// those of ICAP. It must be fast.
	Record func(accesslog.Entry)
	// Limits bounds connections, headers, and the time that a client may take.
	Limits limits.Limits
	// Logger gets what went wrong.
	Logger *slog.Logger
}

// Server answers ICAP requests. It is safe for concurrent use.
type Server struct {
	opts  Options
	slots chan struct{}
	// stall is how long a client may pause within a request or an answer (atomic, time.Duration).
	stall atomic.Int64

	mu   sync.Mutex
	open map[*conn]bool // the connections, and whether each has a request under way
	last bool           // connections end after the request that they have under way
}

// New returns a server that does not serve yet.
func New(opts Options) (*Server, error) {
	if opts.Clean == nil || opts.Tag == nil || opts.Logger == nil {
		return nil, errors.New("icap: Clean, Tag and Logger are required")
	}
	if opts.Admit == nil {
		opts.Admit = netip.Addr.IsLoopback
	}
	if opts.Record == nil {
		opts.Record = func(accesslog.Entry) {}
	}
	opts.Limits = opts.Limits.WithDefaults("")
	s := &Server{opts: opts, slots: make(chan struct{}, max(1, opts.Limits.Connections)), open: make(map[*conn]bool)}
	s.Stall(opts.Limits.Stall)
	return s, nil
}

// Stall sets how long a client may pause within a request or an answer, from the next one on. 0 is the default.
func (s *Server) Stall(longest time.Duration) {
	s.stall.Store(int64(limits.Limits{Stall: longest}.WithDefaults("").Stall))
}

// Serve answers what comes over the listener until ctx ends. Then it waits for the requests under way, as long as
// Limits.Grace, and returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	defer context.AfterFunc(ctx, func() { l.Close() })()
	var running sync.WaitGroup
	defer running.Wait()
	defer context.AfterFunc(ctx, s.finish)()
	for {
		nc, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && isTemporary(err):
			time.Sleep(acceptPause)
		case err != nil:
			s.finish()
			return fmt.Errorf("accept ICAP clients: %w", err)
		default:
			running.Go(func() { s.take(ctx, nc) })
		}
	}
}

// acceptPause is how long the server waits after it had no descriptor left for a client.
const acceptPause = 50 * time.Millisecond

func isTemporary(err error) bool {
	var n net.Error
	return errors.As(err, &n) && !errors.Is(err, net.ErrClosed)
}

// take serves one connection, or turns it away.
func (s *Server) take(ctx context.Context, nc net.Conn) {
	defer nc.Close()
	if addr := access.AddrOf(nc.RemoteAddr()); !s.opts.Admit(addr) {
		s.opts.Logger.Warn("ICAP client turned away", "why", "network", "client", addr)
		return // without an answer: strangers need not know what this is
	}
	c := newConn(s, nc)
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		c.begin()
		c.refuse(statusError{http.StatusServiceUnavailable, "too many connections"})
		c.record()
		return
	}
	if !s.enter(c) {
		return
	}
	defer s.leave(c)
	if err := model.Contain(func() error { c.serve(context.WithoutCancel(ctx)); return nil }); err != nil {
		s.opts.Logger.Error("panic contained", "where", "icap", "panic", err)
	}
}

// enter adds a connection, false where the server is ending.
func (s *Server) enter(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last {
		s.open[c] = false
	}
	return !s.last
}

func (s *Server) leave(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

// busy notes whether a connection has a request under way. It returns false where the connection should end.
func (s *Server) busy(c *conn, is bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[c] = is
	return !s.last
}

// finish ends idle connections at once, and all when the grace is over.
func (s *Server) finish() {
	s.end(func(busy bool) bool { return !busy })
	time.AfterFunc(s.opts.Limits.Grace, func() { s.end(func(bool) bool { return true }) })
}

func (s *Server) end(which func(busy bool) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = true
	for c, busy := range s.open {
		if which(busy) {
			c.net.Close()
		}
	}
}
