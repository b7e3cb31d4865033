package pipeline

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// Pages are of two classes, so that those that are quickly cleaned do not wait for the others. A large page gives its
// place back as soon as it is known to be one, and waits for one of the few places for large pages. There is one
// fewer than processors, so that one of these is left for everything else. Without the classes, eight large pages that
// wait for their turn would keep all places.
//
// Measured with 16 bombs of 16 MiB at a time on two processors: of those who read small pages beside them, one in a
// hundred waits for 47 to 53 ms, 29 to 31 ms where the bombs pass untouched, and 3 ms without bombs.

// places are the places of the pages that are cleaned.
type places struct {
	// small are for all pages, large for those that cost more than largeCost in memory or unpack to more than largeSize.
	small, large *access.Turns
	largeCost    int64
}

// largeSize is the unpacked size from which a packed page counts as large. The rest is unpacked when it has its place.
const largeSize = 1 << 20

// newPlaces returns so many places for pages of which the largest costs most.
func newPlaces(n int, most int64) places {
	return places{
		small:     access.NewTurns(n, max(1, n/4), time.Now),
		large:     access.NewTurns(max(1, runtime.GOMAXPROCS(0)-1), 0, time.Now),
		largeCost: most / 16,
	}
}

// place is the place of one page. It is for one goroutine.
type place struct {
	pl      *Pipeline
	account account
	large   bool
	free    func() // nil while there is none
}

// enter waits for a place.
func (pl *Pipeline) enter(ctx context.Context, a account) (*place, Reason) {
	p := &place{pl: pl, account: a}
	return p, p.take(ctx, pl.places.small)
}

func (p *place) take(ctx context.Context, turns *access.Turns) Reason {
	defer p.pl.timed("wait", time.Now())
	waiting, cancel := context.WithTimeout(ctx, p.pl.opts.Limits.Wait)
	defer cancel()
	free, err := turns.Enter(waiting, p.account.client)
	switch {
	case err == nil:
		p.pl.working.Add(1)
		p.free = free
		return ""
	case ctx.Err() != nil:
		return ReasonCanceled
	}
	return ReasonBusy
}

// leave gives the place back, where there is one.
func (p *place) leave() {
	if p.free != nil {
		p.pl.working.Add(-1)
		p.free()
		p.free = nil
	}
}

// enlarge changes a place for one of a large page. n bytes are held while it waits, beside the page as it came: they
// are charged to the client, as any number of pages may wait.
func (p *place) enlarge(ctx context.Context, n int) Reason {
	if p.large {
		return ""
	}
	if !p.account.take(int64(n)) {
		return ReasonBusy
	}
	defer p.account.give(int64(n))
	p.large = true
	p.leave()
	return p.take(ctx, p.pl.places.large)
}

// afford waits until a page of a cost, in bytes ([page.Cost]), may be parsed.
func (pl *Pipeline) afford(ctx context.Context, cost int64) (release func(), err error) {
	charged := max(0, cost-pl.exempt)
	if err := acquire(ctx, pl.parsing, charged); err != nil {
		return nil, fmt.Errorf("other pages have the memory: %w", err)
	}
	return func() { pl.parsing.Release(charged) }, nil
}

// acquire acquires n of s. Acquire(0) must not queue behind waiters.
func acquire(ctx context.Context, s *semaphore.Weighted, n int64) error {
	if n == 0 {
		return nil
	}
	return s.Acquire(ctx, n)
}
