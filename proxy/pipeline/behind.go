package pipeline

import (
	"sync"

	"github.com/winnow-proxy/winnow/model"
)

// behind is work that nobody waits for: it is done after the answer, one piece after the other. The zero value is
// ready. It is safe for concurrent use.
type behind struct {
	mu      sync.Mutex
	waiting []func()
	busy    bool
}

// maxBehind is how many pieces of work may wait.
const maxBehind = 64

// add has f done later, or returns false where too much waits. failed gets the panic of an f, if there is one.
func (b *behind) add(f func(), failed func(error)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) >= maxBehind {
		return false
	}
	b.waiting = append(b.waiting, func() {
		if err := model.Contain(func() error { f(); return nil }); err != nil {
			failed(err)
		}
	})
	if !b.busy {
		b.busy = true
		go b.work()
	}
	return true
}

// work does what waits, and ends with it.
func (b *behind) work() {
	for {
		b.mu.Lock()
		if len(b.waiting) == 0 {
			b.waiting, b.busy = nil, false
			b.mu.Unlock()
			return
		}
		f := b.waiting[0]
		b.waiting = b.waiting[1:]
		b.mu.Unlock()
		f()
	}
}
