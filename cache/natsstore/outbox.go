package natsstore

import (
	"slices"
	"sync"

	"github.com/winnow-proxy/winnow/cache"
)

// unsent is a change that the server has not acknowledged.
type unsent struct {
	// id is unique, so that the server recognises a message that is sent again.
	id      string
	subject string
	kind    cache.ChangeKind
	// data is the sealed message.
	data []byte
}

// unsentBytes is the size of an unsent change in memory beside its data.
const unsentBytes = 160

func (u unsent) bytes() int64 { return int64(len(u.data)) + unsentBytes }

// inOrder reports whether messages before and after u must not change places with it. Pages and lessons may: they add
// up to the same in any order.
func (u unsent) inOrder() bool { return u.kind != cache.Learned && u.kind != cache.Merged }

// outbox is a queue of unsent changes, bounded by bytes. It is safe for concurrent use.
type outbox struct {
	most int64
	// wake gets a value when the queue is no longer empty.
	wake chan struct{}

	mu      sync.Mutex
	queue   []unsent
	bytes   int64
	dropped uint64
	// version changes with the queue.
	version uint64
}

func newOutbox(most int64) *outbox { return &outbox{most: most, wake: make(chan struct{}, 1)} }

// put queues u, or drops it where there is no room.
func (o *outbox) put(u unsent) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bytes+u.bytes() > o.most {
		o.dropped++
		return
	}
	o.queue = append(o.queue, u)
	o.bytes += u.bytes()
	o.version++
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// next returns the oldest changes that may be sent at once, at most n.
func (o *outbox) next(n int) []unsent {
	o.mu.Lock()
	defer o.mu.Unlock()
	n = min(n, len(o.queue))
	for i := range n {
		if o.queue[i].inOrder() {
			n = max(i, 1)
			break
		}
	}
	return slices.Clone(o.queue[:n])
}

// remove removes the changes with these IDs.
func (o *outbox) remove(ids map[string]bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = slices.DeleteFunc(o.queue, func(u unsent) bool {
		if !ids[u.id] {
			return false
		}
		o.bytes -= u.bytes()
		return true
	})
	o.version++
}

// drop removes a change that can never be sent, and counts it.
func (o *outbox) drop(id string) {
	o.remove(map[string]bool{id: true})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dropped++
}

// of returns the queued changes with this subject.
func (o *outbox) of(subject string) (found []unsent) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, u := range o.queue {
		if u.subject == subject {
			found = append(found, u)
		}
	}
	return found
}

// all returns all queued changes, and the version of the queue.
func (o *outbox) all() ([]unsent, uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.queue), o.version
}

// size returns the number of queued changes, their bytes, and how many were dropped.
func (o *outbox) size() (n int, bytes int64, dropped uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue), o.bytes, o.dropped
}
