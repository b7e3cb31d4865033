package access

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"
)

// Buckets limits the rate of each of many clients, by name: each has a token bucket of its own. The number of buckets
// is bounded: the client that was unseen longest is evicted, and starts with a full bucket when it returns. It is safe
// for concurrent use.
type Buckets struct {
	limit rate.Limit
	burst int

	mu  sync.Mutex
	lru *simplelru.LRU[string, *rate.Limiter]
}

// NewBuckets returns buckets of burst tokens, refilled at perSecond, for at most clients clients.
func NewBuckets(perSecond float64, burst, clients int) *Buckets {
	lru, err := simplelru.NewLRU[string, *rate.Limiter](clients, nil)
	if err != nil {
		panic(err) // clients is not positive
	}
	return &Buckets{limit: rate.Limit(perSecond), burst: burst, lru: lru}
}

// Take takes a token of the client. Where there is none, it takes nothing and returns the time until there is one.
func (b *Buckets) Take(client string, now time.Time) (wait time.Duration, ok bool) {
	l := b.of(client)
	if l.AllowN(now, 1) {
		return 0, true
	}
	return b.until(l, now), false
}

// Peek is Take without taking a token.
func (b *Buckets) Peek(client string, now time.Time) (wait time.Duration, ok bool) {
	l := b.of(client)
	if l.TokensAt(now) >= 1 {
		return 0, true
	}
	return b.until(l, now), false
}

func (b *Buckets) until(l *rate.Limiter, now time.Time) time.Duration {
	missing := 1 - l.TokensAt(now)
	return max(0, time.Duration(missing/float64(b.limit)*float64(time.Second)))
}

func (b *Buckets) of(client string) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l, ok := b.lru.Get(client); ok {
		return l
	}
	l := rate.NewLimiter(b.limit, b.burst)
	b.lru.Add(client, l)
	return l
}
