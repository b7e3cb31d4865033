// Package sampler suppresses repeated log lines.
package sampler

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Sampler permits one event of each key per interval, so that a site that fails on every page does not fill the log.
type Sampler struct {
	interval time.Duration
	mu       sync.Mutex
	seen     *lru.Cache[string, *sample]
}

type sample struct {
	last time.Time
	// dropped counts the events suppressed since then.
	dropped int
}

// New returns a Sampler that remembers a limited number of recent keys. A forgotten key starts from zero.
func New(interval time.Duration, keys int) (*Sampler, error) {
	seen, err := lru.New[string, *sample](keys)
	return &Sampler{interval: interval, seen: seen}, err
}

// Allow reports whether to log an event, and how many events of its key were suppressed before.
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

// The interval and the number of keys for warnings.
const (
	Interval = time.Minute
	Keys     = 1024
)
