package feed

import (
	"context"
	"sync"
	"time"
)

// maxSites is of how many sites something is remembered.
const maxSites = 2048

// sites lets one request at a time go to each site. It is safe for concurrent use.
type sites struct {
	mu    sync.Mutex
	table map[string]*site
}

// site is what is known of one site. Whoever has its turn may read and change it.
type site struct {
	turn chan struct{}
	// waiting is how many have the turn or wait for it. The lock of sites guards it.
	waiting int
	// until is when the site may be asked again.
	until time.Time
}

func newSites() *sites { return &sites{table: map[string]*site{}} }

// enter waits for the turn at a site. leave ends it.
func (s *sites) enter(ctx context.Context, host string) (at *site, leave func(), err error) {
	s.mu.Lock()
	at, ok := s.table[host]
	if !ok {
		s.makeRoom()
		at = &site{turn: make(chan struct{}, 1)}
		s.table[host] = at
	}
	at.waiting++
	s.mu.Unlock()
	done := func() {
		s.mu.Lock()
		at.waiting--
		s.mu.Unlock()
	}
	select {
	case at.turn <- struct{}{}:
		return at, func() { <-at.turn; done() }, nil
	case <-ctx.Done():
		done()
		return nil, nil, ctx.Err()
	}
}

// makeRoom forgets a site that nobody asks, any of them, where there are too many.
func (s *sites) makeRoom() {
	if len(s.table) < maxSites {
		return
	}
	for host, at := range s.table {
		if at.waiting == 0 {
			delete(s.table, host)
			return
		}
	}
}
