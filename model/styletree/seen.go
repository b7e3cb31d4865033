package styletree

import (
	"cmp"
	"slices"
)

// seenPages remembers which pages a tree has learned: the keyed hashes of their URLs, so that a page counts once
// however often it is fetched, and sketches of their text, so that it counts once under other URLs too (query noise,
// session ids, print views).
type seenPages struct {
	urls     generations[uint64]
	sketches generations[sketch]
	// forgotten is the number of learned pages whose URL is no longer in urls.
	forgotten int
}

// newSeenPages returns a memory that takes about a sixteenth of the tree's budget: half for URLs, half for sketches.
// A set grows to three times its limit, see rotate.
func newSeenPages(memory int) seenPages {
	return seenPages{
		urls:     generations[uint64]{limit: max(memory/96/urlBytes, 1), compare: cmp.Compare[uint64]},
		sketches: generations[sketch]{limit: max(memory/96/sketchBytes, 1), compare: compareSketches},
	}
}

const (
	urlBytes    = 8
	sketchBytes = 32 + 4*sketchSize
)

func (s *seenPages) pages() int { return s.forgotten + s.urls.len() }
func (s *seenPages) bytes() int {
	return cap(s.urls.recent)*urlBytes + cap(s.urls.older)*urlBytes + s.sketches.len()*sketchBytes
}

// add remembers a learned page.
func (s *seenPages) add(url uint64, sk sketch) {
	s.forgotten += s.urls.add(url)
	if sk.usable() {
		s.sketches.add(sk)
	}
}

// merge adds what other remembers. Pages that both remember count once.
func (s *seenPages) merge(other *seenPages) {
	s.forgotten += other.forgotten + s.urls.merge(&other.urls)
	s.sketches.merge(&other.sketches)
}

// shrink forgets a part: the older URLs and sketches where there are some, and else half of them.
func (s *seenPages) shrink() {
	s.forgotten += s.urls.shrink()
	s.sketches.shrink()
}

// duplicate reports whether sk is a page that is remembered: one of the same title has at least the given share of its
// blocks. Blocks that more than templatePages remembered pages have are no evidence; the title keeps apart the first
// pages of a site whose template is longer than their content, when that is not yet known.
func (s *seenPages) duplicate(sk sketch, share float64) bool {
	if share < 0 || !sk.usable() {
		return false
	}
	own := slices.Clone(sk.mins)
	own = slices.DeleteFunc(own, func(h uint32) bool { return s.pagesWith(h) > templatePages })
	for _, known := range [][]sketch{s.sketches.recent, s.sketches.older} {
		for _, k := range known {
			if k.title == sk.title && k.contains(own, share) {
				return true
			}
		}
	}
	return false
}

// templatePages is the number of pages up to which a block may be one page's own, fetched under several URLs before
// the first of them was recognised.
const templatePages = 2

// pagesWith counts the remembered pages whose sketch has h.
func (s *seenPages) pagesWith(h uint32) int {
	n := 0
	for _, known := range [][]sketch{s.sketches.recent, s.sketches.older} {
		for _, k := range known {
			if _, ok := slices.BinarySearch(k.mins, h); ok {
				n++
			}
		}
	}
	return n
}

// generations is a bounded set that forgets its older half at once: when the recent part is full it becomes the older
// part, and the older part is dropped. Both are sorted.
type generations[T any] struct {
	recent, older []T
	limit         int
	compare       func(a, b T) int
}

func (g *generations[T]) len() int { return len(g.recent) + len(g.older) }

func (g *generations[T]) has(v T) bool {
	if _, ok := slices.BinarySearchFunc(g.recent, v, g.compare); ok {
		return true
	}
	_, ok := slices.BinarySearchFunc(g.older, v, g.compare)
	return ok
}

// add adds v and returns how many members were dropped for it.
func (g *generations[T]) add(v T) (dropped int) {
	if g.has(v) {
		return 0
	}
	i, _ := slices.BinarySearchFunc(g.recent, v, g.compare)
	g.recent = slices.Insert(g.recent, i, v)
	return g.rotate()
}

// merge adds the members of other, recent ones as recent, and returns how many members were dropped.
func (g *generations[T]) merge(other *generations[T]) (dropped int) {
	g.recent = g.union(g.recent, other.recent)
	older := g.union(g.older, other.older)
	g.older = slices.DeleteFunc(older, func(v T) bool {
		_, ok := slices.BinarySearchFunc(g.recent, v, g.compare)
		return ok
	})
	if spare := len(g.older) - 2*g.limit; spare > 0 {
		g.older, dropped = g.older[:2*g.limit:2*g.limit], spare
	}
	return dropped + g.rotate()
}

// load sets the members and returns how many were dropped for want of room. Both parts are sorted.
func (g *generations[T]) load(recent, older []T) (dropped int) {
	return g.merge(&generations[T]{recent: recent, older: older})
}

// rotate starts a new recent part when it is full. A merge can bring in more than one part holds: the rest is dropped.
func (g *generations[T]) rotate() (dropped int) {
	if len(g.recent) <= g.limit {
		return 0
	}
	dropped = len(g.older) + max(0, len(g.recent)-2*g.limit)
	g.older, g.recent = slices.Clip(g.recent[:min(len(g.recent), 2*g.limit)]), nil
	return dropped
}

// shrink drops the older part, or half of the recent where there is none, and returns how many members that were.
func (g *generations[T]) shrink() (dropped int) {
	if dropped = len(g.older); dropped > 0 {
		g.older = nil
		return dropped
	}
	half := len(g.recent) / 2
	dropped = len(g.recent) - half
	g.recent = slices.Clone(g.recent[:half])
	return dropped
}

func (g *generations[T]) union(a, b []T) []T {
	out := append(slices.Clone(a), b...)
	slices.SortFunc(out, g.compare)
	return slices.Clip(slices.CompactFunc(out, func(x, y T) bool { return g.compare(x, y) == 0 }))
}
