package proxy

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// halfClosed is how long one direction of a tunnel may go on after the other has ended.
const halfClosed = time.Minute

// tunnels keeps track of connections that net/http knows nothing of any more, so that a shutdown can end them: raw
// tunnels, upgraded connections, and clients that are between CONNECT and the end of their handshake.
type tunnels struct {
	// start is the base of the tunnels' clocks.
	start   time.Time
	buffers *wire.Buffers
	// ctx ends when the tunnels are cut.
	ctx context.Context
	cut context.CancelFunc

	mu      sync.Mutex
	open    map[*tunnel]struct{}
	closed  bool
	pending sync.WaitGroup
}

func newTunnels(b *wire.Buffers) *tunnels {
	ctx, cut := context.WithCancel(context.Background())
	return &tunnels{start: time.Now(), buffers: b, ctx: ctx, cut: cut, open: map[*tunnel]struct{}{}}
}

// add tracks the connections of one tunnel until the tunnel's end is called. It returns nil, and closes them, when the
// server has shut down.
func (ts *tunnels) add(ends ...io.Closer) *tunnel {
	t := &tunnel{owner: ts, ends: ends}
	t.touch()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.closed {
		t.closeEnds()
		return nil
	}
	ts.open[t] = struct{}{}
	ts.pending.Add(1)
	return t
}

// drain closes tunnels that have been silent for quiet, until none is left or ctx ends; then it closes all. It returns
// how many were cut.
func (ts *tunnels) drain(ctx context.Context, quiet time.Duration) int {
	tick := time.NewTicker(quiet / 4)
	defer tick.Stop()
	for ts.count() > 0 && ctx.Err() == nil {
		ts.each(func(t *tunnel) {
			if t.idle() >= quiet {
				t.closeEnds()
			}
		})
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	left := ts.closeAll()
	ts.pending.Wait()
	return left
}

// closeAll closes every tunnel and all that will be added, and returns how many there were.
func (ts *tunnels) closeAll() int {
	ts.mu.Lock()
	ts.closed = true
	n := len(ts.open)
	ts.mu.Unlock()
	ts.cut()
	ts.each((*tunnel).closeEnds)
	return n
}

func (ts *tunnels) count() int {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return len(ts.open)
}

func (ts *tunnels) each(f func(*tunnel)) {
	ts.mu.Lock()
	open := make([]*tunnel, 0, len(ts.open))
	for t := range ts.open {
		open = append(open, t)
	}
	ts.mu.Unlock()
	for _, t := range open {
		f(t)
	}
}

// tunnel is one tracked connection or pair of connections.
type tunnel struct {
	owner *tunnels
	ends  []io.Closer
	// last is when bytes last moved, in nanoseconds after owner.start.
	last atomic.Int64
	once sync.Once
}

// end closes the tunnel's connections and stops tracking it.
func (t *tunnel) end() {
	t.closeEnds()
	t.release()
}

// release stops tracking the connections without closing them.
func (t *tunnel) release() {
	t.once.Do(func() {
		t.owner.mu.Lock()
		delete(t.owner.open, t)
		t.owner.mu.Unlock()
		t.owner.pending.Done()
	})
}

func (t *tunnel) closeEnds() {
	for _, c := range t.ends {
		c.Close()
	}
}

func (t *tunnel) touch() { t.last.Store(int64(time.Since(t.owner.start))) }
func (t *tunnel) idle() time.Duration {
	return time.Since(t.owner.start) - time.Duration(t.last.Load())
}

// relay copies between client and origin until both directions have ended, one fails, or nothing moves for idle. It
// closes both and returns the bytes that went up and down.
func (t *tunnel) relay(client, origin io.ReadWriteCloser, idle time.Duration) (up, down int64) {
	defer t.end()
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

// watch closes the tunnel once it has been idle for *limit, which may shrink meanwhile.
func (t *tunnel) watch(limit *atomic.Int64, every time.Duration, quit <-chan struct{}) {
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

// copy moves bytes from src to dst. At the end of src it ends the stream to dst, so that the other direction can
// finish; where dst can't be half-closed, or copying failed, it closes the whole tunnel.
func (t *tunnel) copy(dst io.ReadWriteCloser, src io.Reader, limit *atomic.Int64) int64 {
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
