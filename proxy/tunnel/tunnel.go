// Package tunnel moves bytes between a client and an origin. It tracks the connections that net/http has handed over,
// so that a shutdown can end them.
package tunnel

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/metrics"
)

// halfClosed is how long one direction of a tunnel may go on after the other has ended.
const halfClosed = time.Minute

// Set tracks connections that net/http has handed over, so that a shutdown can end them: raw tunnels, upgraded
// connections, and clients between CONNECT and the end of their handshake.
type Set struct {
	// start is the base of the tunnels' clocks.
	start   time.Time
	buffers *wire.Buffers
	ctx     context.Context
	cut     context.CancelFunc

	mu      sync.Mutex
	open    map[*Tunnel]struct{}
	closed  bool
	pending sync.WaitGroup
}

// NewSet returns an empty set. Its tunnels use the buffers of b.
func NewSet(b *wire.Buffers) *Set {
	ctx, cut := context.WithCancel(context.Background())
	return &Set{start: time.Now(), buffers: b, ctx: ctx, cut: cut, open: map[*Tunnel]struct{}{}}
}

// Context ends when the tunnels are closed.
func (s *Set) Context() context.Context { return s.ctx }

// Add tracks the connections of one tunnel until the tunnel's End is called. It returns nil, and closes them, when the
// server has shut down.
func (s *Set) Add(ends ...io.Closer) *Tunnel {
	t := &Tunnel{owner: s, ends: ends}
	t.touch()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		t.closeEnds()
		return nil
	}
	s.open[t] = struct{}{}
	s.pending.Add(1)
	return t
}

// Drain closes tunnels that have been silent for quiet, until none is left or ctx ends; then it closes the rest. It
// returns how many it closed.
func (s *Set) Drain(ctx context.Context, quiet time.Duration) int {
	tick := time.NewTicker(quiet / 4)
	defer tick.Stop()
	for s.Count() > 0 && ctx.Err() == nil {
		s.each(func(t *Tunnel) {
			if t.idle() >= quiet {
				t.closeEnds()
			}
		})
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	left := s.closeAll()
	s.pending.Wait()
	return left
}

// closeAll closes every tunnel, now and from now on, and returns how many there were.
func (s *Set) closeAll() int {
	s.mu.Lock()
	s.closed = true
	n := len(s.open)
	s.mu.Unlock()
	s.cut()
	s.each((*Tunnel).closeEnds)
	return n
}

// Count returns how many tunnels are open.
func (s *Set) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

func (s *Set) each(f func(*Tunnel)) {
	s.mu.Lock()
	open := make([]*Tunnel, 0, len(s.open))
	for t := range s.open {
		open = append(open, t)
	}
	s.mu.Unlock()
	for _, t := range open {
		f(t)
	}
}

// Tunnel is one tracked connection or pair of connections.
type Tunnel struct {
	owner *Set
	ends  []io.Closer
	// last is when bytes last moved, in nanoseconds after owner.start.
	last atomic.Int64
	once sync.Once
}

// End closes the tunnel's connections and stops tracking it. After Release it does nothing.
func (t *Tunnel) End() {
	t.once.Do(func() {
		t.closeEnds()
		t.untrack()
	})
}

// Release stops tracking the connections without closing them; the caller must close them.
func (t *Tunnel) Release() { t.once.Do(t.untrack) }

func (t *Tunnel) untrack() {
	t.owner.mu.Lock()
	delete(t.owner.open, t)
	t.owner.mu.Unlock()
	t.owner.pending.Done()
}

func (t *Tunnel) closeEnds() {
	for _, c := range t.ends {
		c.Close()
	}
}

func (t *Tunnel) touch() { t.last.Store(int64(time.Since(t.owner.start))) }
func (t *Tunnel) idle() time.Duration {
	return time.Since(t.owner.start) - time.Duration(t.last.Load())
}

// Relay moves bytes between client and origin until either is done, and counts them in m; why is the reason for not
// intercepting them. before has tracked client so far. Relay returns the bytes sent to the client.
func (s *Set) Relay(before *Tunnel, why string, client, origin io.ReadWriteCloser, l limits.Limits, m *metrics.Metrics) (sent int64) {
	t := s.Add(client, origin)
	before.Release()
	if t == nil {
		return 0
	}
	open := m.Connections.WithLabelValues("tunnel")
	open.Inc()
	defer open.Dec()
	m.Tunnels.WithLabelValues(why).Inc()
	overdue := time.AfterFunc(l.Total, t.closeEnds)
	defer overdue.Stop()
	up, down := t.relay(client, origin, l.TunnelIdle)
	m.TunnelBytes.WithLabelValues("up").Add(float64(up))
	m.TunnelBytes.WithLabelValues("down").Add(float64(down))
	return down
}

// relay copies between client and origin until both directions have ended, one fails, or no byte moves for idle. It
// closes both and returns the bytes sent up and down.
func (t *Tunnel) relay(client, origin io.ReadWriteCloser, idle time.Duration) (up, down int64) {
	defer t.End()
	var limit atomic.Int64
	limit.Store(int64(idle))
	quit, done := make(chan struct{}), make(chan struct{})
	defer close(quit)
	go t.watch(&limit, min(idle, halfClosed)/4, quit)
	go func() {
		defer close(done)
		down = t.copy(client, origin, &limit)
	}()
	up = t.copy(origin, client, &limit)
	<-done
	return up, down
}

// watch closes the tunnel when it has been idle for *limit, which may shrink meanwhile.
func (t *Tunnel) watch(limit *atomic.Int64, every time.Duration, quit <-chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-quit:
			return
		case <-tick.C:
			if t.idle() >= time.Duration(limit.Load()) {
				t.closeEnds()
				return
			}
		}
	}
}

// copy moves bytes from src to dst. At the end of src it half-closes dst, so that the other direction can finish. If
// dst can't be half-closed, or copying fails, it closes the tunnel.
func (t *Tunnel) copy(dst io.ReadWriteCloser, src io.Reader, limit *atomic.Int64) int64 {
	buf := t.owner.buffers.Get()
	defer t.owner.buffers.Put(buf)
	var total int64
	for {
		n, err := src.Read(*buf)
		if n > 0 {
			t.touch()
			if _, werr := dst.Write((*buf)[:n]); werr != nil {
				t.closeEnds()
				return total
			}
			total += int64(n)
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, io.EOF) || wire.CloseWrite(dst) != nil {
			t.closeEnds()
		}
		limit.Store(min(limit.Load(), int64(halfClosed)))
		return total
	}
}
