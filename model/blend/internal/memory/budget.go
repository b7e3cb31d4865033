package memory

import (
	"math"
	"slices"

	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
)

// The bytes of one entry of a hashTable, including its share of the free slots.
const (
	sightingBytes = 44
	placeBytes    = 88
	memoryBytes   = 256
)

// horizon is the number of pages after which old evidence has half its weight: when the memory stands for twice as
// many, all counts are halved. The horizon need not be short, because what appears with a redesign is compared only
// with the pages since then (rate).
const horizon = 128

// Bytes is the size of the memory.
func (m *Memory) Bytes() int {
	return memoryBytes + m.Seen.Len()*sightingBytes + m.Places.Len()*placeBytes
}

// Settle applies decay and budget after the memory has grown.
func (m *Memory) Settle() {
	if m.Pages < 2*horizon && m.Bytes() <= m.Budget {
		return
	}
	for m.Pages >= 2*horizon {
		m.decay()
	}
	if m.Bytes() > m.Budget {
		m.Evict(m.Budget * 7 / 8)
	}
}

// decay halves all sums. It forgets what only one page showed.
func (m *Memory) decay() {
	m.Seen.Drop(func(_ uint64, s *sighting) bool {
		s.Count, s.Age = s.Count/2, Age{(s.on(m.Pages) + 1) / 2, m.Pages / 2}
		return s.Count == 0
	})
	m.Places.Drop(func(_ uint64, p *PlaceSums) bool {
		p.Age = Age{(p.on(m.Pages) + 1) / 2, m.Pages / 2}
		for _, sum := range []*uint32{&p.Visits, &p.Finds, &p.Novel, &p.Score, &p.Links, &p.Words, &p.Fresh, &p.Mass} {
			*sum /= 2
		}
		return p.Visits == 0
	})
	m.Pages /= 2
}

// Evict removes the rarest entries, and of these the oldest, until the memory fits into the bytes.
func (m *Memory) Evict(bytes int) {
	spare := max(0, m.Bytes()-bytes)
	placeShare := spare * m.Places.Len() * placeBytes / max(1, m.Bytes())
	dropRarest(&m.Places, placeShare/placeBytes+1, func(p *PlaceSums) (uint32, uint32) { return p.Visits, p.on(m.Pages) })
	dropRarest(&m.Seen, (spare-placeShare)/sightingBytes+1, func(s *sighting) (uint32, uint32) { return s.Count, s.on(m.Pages) })
}

// dropRarest deletes n entries: those with the lowest count first, among equals the oldest, then by key, so that the
// result does not depend on the order of the table. It sorts numbers rather than entries, because a full memory drops
// some at every few pages.
func dropRarest[T any](entries *hashes.Table[T], n int, rank func(*T) (count, age uint32)) {
	if n = min(n, entries.Len()); n <= 0 {
		return
	}
	order := func(e *T) uint64 {
		count, age := rank(e)
		return uint64(count)<<32 | uint64(math.MaxUint32-age)
	}
	ranks := make([]uint64, 0, entries.Len())
	for _, e := range entries.All() {
		ranks = append(ranks, order(e))
	}
	slices.Sort(ranks)
	last := ranks[n-1]
	first, _ := slices.BinarySearch(ranks, last)
	var equals []uint64 // of which only some go
	for k, e := range entries.All() {
		if order(e) == last {
			equals = append(equals, k)
		}
	}
	slices.Sort(equals)
	equals = equals[:n-first]
	entries.Drop(func(k uint64, e *T) bool {
		r := order(e)
		return r < last || r == last && k <= equals[len(equals)-1]
	})
}
