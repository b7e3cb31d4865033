package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// budget bounds the bytes that all responses together hold back.
type budget struct {
	limit int64
	used  atomic.Int64
}

// take charges n bytes, or nothing and returns false where that is over the limit.
func (b *budget) take(n int64) bool {
	if b.used.Add(n) > b.limit {
		b.used.Add(-n)
		return false
	}
	return true
}

// give returns n bytes.
func (b *budget) give(n int64) { b.used.Add(-n) }

// held is an origin's body that is held back while it is decided what becomes of it. Its bytes are read ahead by a goroutine
// of its own, so that waiting for them can end at any time: read from, it gives all bytes from the first on and then what
// the origin gives, errors included, as if it had never been held.
//
// Wait and Read are for one goroutine; Close may come from any.
type held struct {
	body   io.ReadCloser
	limit  int64
	budget *budget
	stop   atomic.Bool
	done   chan struct{} // closed when the goroutine reads no more

	mu      sync.Mutex
	buf     []byte
	charged int64
	closed  bool
	// reason and err say why reading ahead ended: err alone is the origin's own end.
	reason Reason
	err    error

	off int // into buf
}

// hold starts to read a body ahead, up to limit bytes. declared is the length that the origin promises, -1 for none.
func hold(body io.ReadCloser, declared, limit int64, b *budget) *held {
	h := &held{body: body, limit: limit, budget: b, done: make(chan struct{})}
	// One byte more, so that the end is seen without growing.
	go h.readAhead(make([]byte, 0, min(max(declared+1, minRoom), maxRoom, limit+1)))
	return h
}

// Bounds of the room for the first read: most of a small page, and little to lose on an origin that sends nothing.
const (
	minRoom = 16 << 10
	maxRoom = 256 << 10
)

// readAhead fills buf. Only it writes there; readers look at buf[:len] alone, so that reading into the room behind needs
// no lock.
func (h *held) readAhead(room []byte) {
	defer close(h.done)
	defer func() {
		if v := recover(); v != nil {
			h.end("", fmt.Errorf("reading the body panicked: %v", v))
		}
	}()
	for !h.stop.Load() {
		if len(room) == cap(room) {
			room = slices.Grow(room, int(min(int64(len(room)), h.limit+1-int64(len(room)))))
		}
		n, err := h.body.Read(room[len(room):cap(room)])
		room = room[:len(room)+n]
		if !h.took(room, n) {
			h.end(ReasonBusy, err)
			return
		}
		if err != nil {
			h.end("", err)
			return
		}
		if int64(len(room)) > h.limit {
			h.end(ReasonTooLarge, nil)
			return
		}
	}
}

// took shows n more bytes to readers. It returns false where the budget ends; the bytes are kept all the same.
func (h *held) took(buf []byte, n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.buf = buf
	if h.closed || !h.budget.take(int64(n)) {
		return false
	}
	h.charged += int64(n)
	return true
}

func (h *held) end(reason Reason, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reason, h.err = reason, err
}

// wait waits until the whole body is there and returns it. Where it does not come, or not in time, or is too large, wait
// returns the reason; the body can then be read as usual.
func (h *held) wait(ctx context.Context, timeout time.Duration) ([]byte, Reason, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-h.done:
	case <-timer.C:
		h.stop.Store(true)
		return nil, ReasonSlow, nil
	case <-ctx.Done():
		h.stop.Store(true)
		if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
			return nil, ReasonTruncated, cause // the origin stalled, or our caller ran out of patience
		}
		return nil, ReasonCanceled, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.reason != "":
		return nil, h.reason, nil
	case int64(len(h.buf)) > h.limit:
		return nil, ReasonTooLarge, nil
	case !errors.Is(h.err, io.EOF):
		return nil, ReasonTruncated, h.err
	}
	return h.buf, "", nil
}

// Read implements io.Reader.
func (h *held) Read(p []byte) (int, error) {
	if n := h.readHeld(p); n > 0 || len(p) == 0 {
		return n, nil
	}
	h.stop.Store(true)
	<-h.done
	if n := h.readHeld(p); n > 0 {
		return n, nil
	}
	h.release()
	h.mu.Lock()
	err, closed := h.err, h.closed
	h.mu.Unlock()
	switch {
	case closed:
		return 0, errClosedBody
	case err != nil:
		return 0, err
	}
	return h.body.Read(p)
}

var errClosedBody = errors.New("read on a closed response body")

func (h *held) readHeld(p []byte) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.off >= len(h.buf) {
		return 0
	}
	n := copy(p, h.buf[h.off:])
	h.off += n
	return n
}

// release lets the held bytes go.
func (h *held) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.budget.give(h.charged)
	h.buf, h.off, h.charged = nil, 0, 0
}

// Close implements io.Closer.
func (h *held) Close() error {
	h.stop.Store(true)
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.release()
	return h.body.Close()
}

// pageBody is a cleaned page on its way out, charged to the budget until it is closed.
type pageBody struct {
	bytes.Reader
	once sync.Once
	give func()
}

// newPageBody charges body without asking: the page it replaces has just been given back.
func newPageBody(body []byte, b *budget) *pageBody {
	n := int64(len(body))
	b.used.Add(n)
	p := &pageBody{give: func() { b.give(n) }}
	p.Reset(body)
	return p
}

// Close implements io.Closer.
func (p *pageBody) Close() error {
	p.once.Do(p.give)
	return nil
}
