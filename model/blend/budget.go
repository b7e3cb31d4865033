package blend

import (
	"math"
	"slices"
)

// The bytes of one entry of a hashTable, including its share of the free slots.
const (
	sightingBytes = 44
	placeBytes    = 84
	memoryBytes   = 256
)

// horizon is the number of pages after which old evidence has half its weight: when the memory stands for twice as
// many, all counts are halved. The horizon need not be short, because what appears with a redesign is compared only
// with the pages since then (rate).
const horizon = 128

func (m *memory) bytes() int {
	return memoryBytes + m.seen.len()*sightingBytes + m.places.len()*placeBytes
}

// settle applies decay and budget after the memory has grown.
func (m *memory) settle() {
	if m.pages < 2*horizon && m.bytes() <= m.budget {
		return
	}
	for m.pages >= 2*horizon {
		m.decay()
	}
	if m.bytes() > m.budget {
		m.evict(m.budget * 7 / 8)
	}
}

// decay halves all sums. It forgets what only one page showed.
func (m *memory) decay() {
	m.seen.drop(func(_ uint64, s *sighting) bool {
		s.count, s.age = s.count/2, age{(s.on(m.pages) + 1) / 2, m.pages / 2}
		return s.count == 0
	})
	m.places.drop(func(_ uint64, p *placeStat) bool {
		p.age = age{(p.on(m.pages) + 1) / 2, m.pages / 2}
		for _, sum := range []*uint32{&p.visits, &p.finds, &p.novel, &p.score, &p.links, &p.words, &p.fresh} {
			*sum /= 2
		}
		return p.visits == 0
	})
	m.pages /= 2
}

// evict removes the rarest entries, and of these the oldest, until the memory fits into the bytes.
func (m *memory) evict(bytes int) {
	spare := max(0, m.bytes()-bytes)
	placeShare := spare * m.places.len() * placeBytes / max(1, m.bytes())
	dropRarest(&m.places, placeShare/placeBytes+1, func(p *placeStat) (uint32, uint32) { return p.visits, p.on(m.pages) })
	dropRarest(&m.seen, (spare-placeShare)/sightingBytes+1, func(s *sighting) (uint32, uint32) { return s.count, s.on(m.pages) })
}

// dropRarest deletes n entries: those with the lowest count first, among equals the oldest, then by key, so that the
// result does not depend on the order of the table. It sorts numbers rather than entries, because a full memory drops
// some at every few pages.
func dropRarest[T any](entries *hashTable[T], n int, rank func(*T) (count, age uint32)) {
	if n = min(n, entries.len()); n <= 0 {
		return
	}
	order := func(e *T) uint64 {
		count, age := rank(e)
		return uint64(count)<<32 | uint64(math.MaxUint32-age)
	}
	ranks := make([]uint64, 0, entries.len())
	for _, e := range entries.all() {
		ranks = append(ranks, order(e))
	}
	slices.Sort(ranks)
	last := ranks[n-1]
	first, _ := slices.BinarySearch(ranks, last)
	var equals []uint64 // of which only some go
	for k, e := range entries.all() {
		if order(e) == last {
			equals = append(equals, k)
		}
	}
	slices.Sort(equals)
	equals = equals[:n-first]
	entries.drop(func(k uint64, e *T) bool {
		r := order(e)
		return r < last || r == last && k <= equals[len(equals)-1]
	})
}
