// Package savings counts what cleaning saves, by host and by day. It keeps the sums in memory only, so that nothing on
// disk reveals when somebody read a site.
package savings

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Bounds on hosts and days. The host that was cleaned least recently is dropped first.
const (
	maxHosts = 4096
	maxDays  = 60
)

// Sum is what cleaning saved on a number of pages.
type Sum struct {
	// Pages is the number of cleaned pages, Blocks the number of blocks removed from them.
	Pages, Blocks int64
	// Pictures is the number of pictures made smaller.
	Pictures int64
	// In and Out are the bytes of the pages before and after, without content coding.
	In, Out int64
	// Characters counts the removed text without white space.
	Characters int64
}

// Saved is the number of bytes that clients did not receive, at least 0.
func (s Sum) Saved() int64 { return max(0, s.In-s.Out) }

// Share is the saved part of the bytes, in [0,1].
func (s Sum) Share() float64 { return float64(s.Saved()) / float64(max(s.In, 1)) }

// charactersPerMinute is how fast people read: 238 words a minute (Brysbaert 2019) of five characters.
const charactersPerMinute = 238 * 5

// Reading is the time that people need to read the removed text.
func (s Sum) Reading() time.Duration {
	return time.Duration(float64(s.Characters) / charactersPerMinute * float64(time.Minute)).Round(time.Minute)
}

func (s Sum) plus(o Sum) Sum {
	return Sum{s.Pages + o.Pages, s.Blocks + o.Blocks, s.Pictures + o.Pictures, s.In + o.In, s.Out + o.Out, s.Characters + o.Characters}
}

// Named is the sum of a host, or of a day ("2026-11-22", UTC).
type Named struct {
	Name string
	Sum
}

// Book keeps the sums. It is safe for concurrent use.
type Book struct {
	now func() time.Time

	mu    sync.Mutex
	all   Sum
	hosts *simplelru.LRU[string, *Sum]
	days  map[string]Sum
}

// NewBook returns an empty book; now nil means time.Now.
func NewBook(now func() time.Time) *Book {
	if now == nil {
		now = time.Now
	}
	hosts, err := simplelru.NewLRU[string, *Sum](maxHosts, nil)
	if err != nil {
		panic(err) // only a size below 1 does that
	}
	return &Book{now: now, hosts: hosts, days: map[string]Sum{}}
}

// Add adds what cleaning saved on a page of host.
func (b *Book) Add(host string, s Sum) {
	day := b.now().UTC().Format(time.DateOnly)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = b.all.plus(s)
	if before, ok := b.hosts.Get(host); ok {
		*before = before.plus(s)
	} else {
		b.hosts.Add(host, &s)
	}
	b.days[day] = b.days[day].plus(s)
	if len(b.days) > maxDays {
		delete(b.days, slices.Min(slices.Collect(maps.Keys(b.days))))
	}
}

// All returns the total.
func (b *Book) All() Sum {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all
}

// Host returns the sum of a host.
func (b *Book) Host(host string) Sum {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s, ok := b.hosts.Peek(host); ok {
		return *s
	}
	return Sum{}
}

// Days lists the days with cleaned pages, the newest first.
func (b *Book) Days() []Named {
	b.mu.Lock()
	defer b.mu.Unlock()
	var days []Named
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(b.days))) {
		days = append(days, Named{name, b.days[name]})
	}
	return days
}

// Forget removes the sum of a host.
func (b *Book) Forget(host string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hosts.Remove(host)
}
