// Package sampler thins out log lines that would repeat.
package sampler

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Sampler lets one event of each key through per interval, so that a site that fails on every page does not fill the
// log.
type Sampler struct {
	interval time.Duration
	mu       sync.Mutex
	seen     *lru.Cache[string, *sample]
}

type sample struct {
	last time.Time
	// dropped counts the events held back since.
	dropped int
}

// New returns a Sampler that remembers the latest keys, up to a number of them; one that is forgotten starts anew.
func New(interval time.Duration, keys int) (*Sampler, error) {
	seen, err := lru.New[string, *sample](keys)
	return &Sampler{interval: interval, seen: seen}, err
}

// Allow reports whether an event goes through, and how many of its key were held back before.
func (s *Sampler) Allow(key string, now time.Time) (dropped int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, known := s.seen.Get(key)
	if !known {
		e = &sample{}
		s.seen.Add(key, e)
	} else if now.Sub(e.last) < s.interval {
		e.dropped++
		return 0, false
	}
	dropped, *e = e.dropped, sample{last: now}
	return dropped, true
}

// What a Sampler of warnings is made with.
const (
	Interval = time.Minute
	Keys     = 1024
)
