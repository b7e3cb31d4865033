// Package savings counts what cleaning saves, by host, by hour and by day. It keeps the sums in memory only, so that
// nothing on disk reveals when somebody read a site.
package savings

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Bounds on hosts, and on hours and days each. The host that was cleaned least recently is dropped first.
const (
	maxHosts = 4096
	maxSpans = 60
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

// Span is the sum of an hour or a day, in UTC.
type Span struct {
	From time.Time
	Sum
}

// Book keeps the sums. It is safe for concurrent use.
type Book struct {
	now func() time.Time

	mu    sync.Mutex
	all   Sum
	hosts *simplelru.LRU[string, *Sum]
	// hours and days are the sums by when they began.
	hours, days map[time.Time]Sum
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
	return &Book{now: now, hosts: hosts, hours: map[time.Time]Sum{}, days: map[time.Time]Sum{}}
}

// Add adds what cleaning saved on a page of host.
func (b *Book) Add(host string, s Sum) {
	now := b.now().UTC()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = b.all.plus(s)
	if before, ok := b.hosts.Get(host); ok {
		*before = before.plus(s)
	} else {
		b.hosts.Add(host, &s)
	}
	addTo(b.hours, now, hour, s)
	addTo(b.days, now, day, s)
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

// addTo adds to the sum of the span that now is in, and drops those that are too old.
func addTo(spans map[time.Time]Sum, now time.Time, long time.Duration, s Sum) {
	from := now.Truncate(long)
	spans[from] = spans[from].plus(s)
	for other := range spans {
		if from.Sub(other) >= maxSpans*long {
			delete(spans, other)
		}
	}
}

const (
	hour = time.Hour
	day  = 24 * time.Hour
)

// Hours lists the last n hours, those without pages too, the newest last.
func (b *Book) Hours(n int) []Span { return b.last(n, hour, b.hours) }

// Days is the same for days.
func (b *Book) Days(n int) []Span { return b.last(n, day, b.days) }

func (b *Book) last(n int, long time.Duration, sums map[time.Time]Sum) []Span {
	b.mu.Lock()
	defer b.mu.Unlock()
	newest := b.now().UTC().Truncate(long)
	spans := make([]Span, n)
	for i := range spans {
		from := newest.Add(-long * time.Duration(n-1-i))
		spans[i] = Span{from, sums[from]}
	}
	return spans
}

// Forget removes the sum of a host.
func (b *Book) Forget(host string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hosts.Remove(host)
}
