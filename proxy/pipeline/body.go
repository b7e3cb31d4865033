package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/proxy/access"
)

// account is a client's share of the memory for bodies that are held back, in bytes.
type account struct {
	shares *access.Shares[string]
	client string
	// alone says that the client may hold everything: only this machine can connect.
	alone bool
}

// take charges n bytes and returns true, or charges nothing and returns false if the client's share is used up.
func (a account) take(n int64) bool {
	if a.alone {
		return a.shares.TakeAlone(a.client, n)
	}
	return a.shares.Take(a.client, n)
}

// charge charges n bytes that exist already.
func (a account) charge(n int64) { a.shares.Charge(a.client, n) }

// give returns n bytes.
func (a account) give(n int64) { a.shares.Give(a.client, n) }

// held is an origin's body that is buffered until the pipeline decides about it. A goroutine reads it ahead, so that
// waiting for it can end at any time. Reading from held gives all bytes from the first on, then the rest from the
// origin, errors included.
//
// Wait and Read are for one goroutine; Close may come from any.
type held struct {
	body    io.ReadCloser
	limit   int64
	account account
	stop    atomic.Bool
	done    chan struct{} // closed when the goroutine reads no more

	mu  sync.Mutex
	buf []byte
	// charged is the capacity of buf that was charged.
	charged int64
	closed  bool
	// reason and err say why reading ahead ended. err without reason is the origin's own end.
	reason Reason
	err    error

	off  int // into buf
	pace mover
}

// hold starts to read a body ahead, up to limit bytes. declared is its Content-Length, -1 for none. If the account has
// no capacity, it reads nothing.
func hold(body io.ReadCloser, declared, limit int64, a account) *held {
	h := &held{body: body, limit: limit, account: a, done: make(chan struct{})}
	room := min(max(declared+1, minRoom), maxRoom, limit+1) // one more byte, to see the end without growing
	if !a.take(room) {
		h.reason = ReasonBusy
		close(h.done)
		return h
	}
	h.charged = room
	go h.readAhead(make([]byte, 0, room))
	return h
}

// Bounds of the capacity for the first read: enough for most small pages, and a small loss if an origin sends nothing.
const (
	minRoom = 16 << 10
	maxRoom = 256 << 10
)

// readAhead fills buf. Only it writes there; readers use buf[:len] alone, so it can read into the capacity behind
// without a lock.
func (h *held) readAhead(room []byte) {
	defer close(h.done)
	if err := model.Contain(func() error { h.fill(room); return nil }); err != nil {
		h.end("", fmt.Errorf("reading the body panicked: %w", err))
	}
}

// fill is readAhead without containment of panics.
func (h *held) fill(room []byte) {
	var pace mover
	for !h.stop.Load() {
		if len(room) == cap(room) {
			more := min(int64(len(room)), h.limit+1-int64(len(room)))
			if !h.grow(more) {
				h.end(ReasonBusy, nil)
				return
			}
			room = pace.grown(room, int64(cap(room))+more)
		}
		n, err := h.body.Read(room[len(room):min(cap(room), len(room)+paceBytes)])
		room = room[:len(room)+n]
		pace.moved(n)
		if !h.took(room) {
			h.end("", err)
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

// grow charges n more bytes before they are allocated.
func (h *held) grow(n int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || !h.account.take(n) {
		return false
	}
	h.charged += n
	return true
}

// took shows more bytes to readers, and reports whether to read on.
func (h *held) took(buf []byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.buf = buf
	return true
}

func (h *held) end(reason Reason, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reason, h.err = reason, err
}

// wait returns the whole body when it has arrived. If it fails, takes too long or is too large, wait returns the
// reason, and the body can be read as usual.
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
			return nil, ReasonTruncated, cause // the origin stalled, or the caller gave up
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
		h.pace.moved(n)
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

// release frees the buffer.
func (h *held) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.account.give(h.charged)
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

// pageBody is the body of a cleaned page, charged to its client until it is closed.
type pageBody struct {
	bytes.Reader
	once sync.Once
	give func()
}

// newPageBody charges body unconditionally, because the page that it replaces has just been released.
func newPageBody(body []byte, a account) *pageBody {
	n := int64(cap(body))
	a.charge(n)
	p := &pageBody{give: func() { a.give(n) }}
	p.Reset(body)
	return p
}

// Close implements io.Closer.
func (p *pageBody) Close() error {
	p.once.Do(p.give)
	return nil
}
