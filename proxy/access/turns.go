package access

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// servedHalfLife is how long it takes until half of what a client was served is forgotten.
const servedHalfLife = time.Minute

// clientsServed bounds the clients whose service is remembered. A client that is evicted starts from zero.
const clientsServed = 16384

// modest is up to how much service of late, in seconds, a client need not wait for those that have had more.
const modest = 0.5

// Turns gives a few places to many clients: of those that wait, the one goes first that was served the least, in time,
// of late ("least attained service"; Nuyens and Wierman, "The foreground-background queue: a survey", Performance
// Evaluation 65, 2008). Beyond these places there may be some for clients that have had next to nothing.
// However many a greedy client has waiting, one that asks now and then hardly waits. It is safe for concurrent use.
type Turns struct {
	now func() time.Time
	// kept is how many places there are beyond the free ones for clients that have had next to nothing.
	kept int

	mu sync.Mutex
	// free are the free places, below 0 where kept ones are taken.
	free    int
	waiting []*turn
	served  *simplelru.LRU[string, *served]
	active  map[string]int // places that a client holds
}

// turn is one that waits.
type turn struct {
	client string
	ready  chan struct{}
}

// served is what a client was served until a moment, in seconds that decay.
type served struct {
	seconds float64
	at      time.Time
}

// NewTurns returns turns at so many places, and at kept ones for clients that have had next to nothing, by the given
// clock.
func NewTurns(places, kept int, now func() time.Time) *Turns {
	lru, err := simplelru.NewLRU[string, *served](clientsServed, nil)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &Turns{now: now, free: places, kept: kept, served: lru, active: map[string]int{}}
}

// Enter waits for a place until ctx ends, and then returns ctx's error. With a place, leave must be called once.
func (t *Turns) Enter(ctx context.Context, client string) (leave func(), err error) {
	t.mu.Lock()
	if t.open(t.had(client, t.now())) {
		t.free--
		t.active[client]++
		t.mu.Unlock()
		return t.leaver(client), nil
	}
	w := &turn{client: client, ready: make(chan struct{})}
	t.waiting = append(t.waiting, w)
	t.mu.Unlock()
	select {
	case <-w.ready:
		return t.leaver(client), nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.waiting, w); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
		return nil, ctx.Err()
	}
	return t.leaver(client), nil // the place came in the same moment
}

// leaver returns the function that ends a turn that begins now.
func (t *Turns) leaver(client string) func() {
	began := t.now()
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		now := t.now()
		t.served.Add(client, &served{t.servedUntil(client, now) + max(0, now.Sub(began).Seconds()), now})
		if t.active[client]--; t.active[client] <= 0 {
			delete(t.active, client)
		}
		t.free++
		t.next(now)
	}
}

// open reports whether there is a place for a client that has had so much.
func (t *Turns) open(had float64) bool { return t.free > 0 || t.free > -t.kept && had < modest }

// had is what a client was served of late. A turn under way counts as a second, as nobody knows yet how long it takes.
func (t *Turns) had(client string, now time.Time) float64 {
	return t.servedUntil(client, now) + float64(t.active[client])
}

// next gives the free place to who comes first.
func (t *Turns) next(now time.Time) {
	if len(t.waiting) == 0 {
		return
	}
	first, least := 0, math.Inf(1)
	known := map[string]float64{}
	for i, w := range t.waiting {
		s, ok := known[w.client]
		if !ok {
			s = t.had(w.client, now)
			known[w.client] = s
		}
		if cmp.Less(s, least) {
			first, least = i, s
		}
	}
	if !t.open(least) {
		return
	}
	w := t.waiting[first]
	t.waiting = slices.Delete(t.waiting, first, first+1)
	t.free--
	t.active[w.client]++
	close(w.ready)
}

func (t *Turns) servedUntil(client string, now time.Time) float64 {
	s, ok := t.served.Get(client)
	if !ok {
		return 0
	}
	return s.seconds * math.Exp2(-max(0, now.Sub(s.at).Seconds())/servedHalfLife.Seconds())
}
