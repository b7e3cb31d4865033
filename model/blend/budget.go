package blend

import (
	"math"
	"slices"
)

// Approximate bytes of one entry in a map, including its share of the map's spare room. The tables of a map double all
// at once. The budget allows as many sightings as fit into 16 full tables; a few more would take twice the room.
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
	return memoryBytes + len(m.seen)*sightingBytes + len(m.places)*placeBytes
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
	m.seen, m.places = compacted(m.seen), compacted(m.places)
}

// compacted returns a copy of entries that takes no more memory than necessary, because a map never shrinks. It grows
// an empty map, because a map with a size hint rounds its room up to a power of two.
func compacted[T any](entries map[uint64]T) map[uint64]T {
	fresh := map[uint64]T{}
	for k, e := range entries {
		fresh[k] = e
	}
	return fresh
}

// decay halves all sums. It forgets what only one page showed.
func (m *memory) decay() {
	for k, s := range m.seen {
		s.count, s.age = s.count/2, age{(s.on(m.pages) + 1) / 2, m.pages / 2}
		if s.count == 0 {
			delete(m.seen, k)
			continue
		}
		m.seen[k] = s
	}
	for k, p := range m.places {
		p.age = age{(p.on(m.pages) + 1) / 2, m.pages / 2}
		for _, sum := range []*uint32{&p.visits, &p.finds, &p.novel, &p.score, &p.links, &p.words, &p.fresh} {
			*sum /= 2
		}
		if p.visits == 0 {
			delete(m.places, k)
			continue
		}
		m.places[k] = p
	}
	m.pages /= 2
}

// evict removes the rarest entries, and of these the oldest, until the memory fits into the bytes.
func (m *memory) evict(bytes int) {
	spare := max(0, m.bytes()-bytes)
	placeShare := spare * len(m.places) * placeBytes / max(1, m.bytes())
	dropRarest(m.places, placeShare/placeBytes+1, func(p placeStat) (uint32, uint32) { return p.visits, p.on(m.pages) })
	dropRarest(m.seen, (spare-placeShare)/sightingBytes+1, func(s sighting) (uint32, uint32) { return s.count, s.on(m.pages) })
}

// dropRarest deletes n entries: those with the lowest count first, among equals the oldest, then by key, so that the
// result does not depend on the order of a map. It sorts numbers rather than entries, because a full memory drops some
// at every few pages.
func dropRarest[T any](entries map[uint64]T, n int, rank func(T) (count, age uint32)) {
	if n = min(n, len(entries)); n <= 0 {
		return
	}
	order := func(e T) uint64 {
		count, age := rank(e)
		return uint64(count)<<32 | uint64(math.MaxUint32-age)
	}
	ranks := make([]uint64, 0, len(entries))
	for _, e := range entries {
		ranks = append(ranks, order(e))
	}
	slices.Sort(ranks)
	last := ranks[n-1]
	first, _ := slices.BinarySearch(ranks, last)
	var equals []uint64 // of which only some go
	for k, e := range entries {
		if r := order(e); r < last {
			delete(entries, k)
		} else if r == last {
			equals = append(equals, k)
		}
	}
	slices.Sort(equals)
	for _, k := range equals[:n-first] {
		delete(entries, k)
	}
}
