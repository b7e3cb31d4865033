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

// shrink forgets the older half.
func (s *seenPages) shrink() {
	s.forgotten += len(s.urls.older)
	s.urls.older, s.sketches.older = nil, nil
}

// duplicate reports whether sk is a page that is remembered.
func (s *seenPages) duplicate(sk sketch, share float64) bool {
	if share < 0 || !sk.usable() {
		return false
	}
	alike := func(known sketch) bool { return sk.duplicates(known, share) }
	return slices.ContainsFunc(s.sketches.recent, alike) || slices.ContainsFunc(s.sketches.older, alike)
}

// sketch stands for the text of one page: the hash of its title and the least hashes of its text blocks, ascending.
// Of two bottom-k sketches, the hashes up to the lesser of their two greatest are comparable: among those, each hash
// of one page's that the other has not is a block that the other has not (Broder 1997).
type sketch struct {
	title uint32
	mins  []uint32
}

// minComparable is the fewest comparable hashes that a judgement rests on.
const minComparable = 4

// usable reports whether the page has enough text to be recognised by.
func (s sketch) usable() bool { return len(s.mins) >= minComparable }

// duplicates reports whether the pages have one title, and the one with fewer blocks (a print view, say) at least
// the given share of them in common with the other. The title keeps apart the pages of a site whose template is longer
// than their content.
func (s sketch) duplicates(known sketch, share float64) bool {
	if s.title != known.title {
		return false
	}
	bound := min(s.bound(), known.bound())
	inS, inKnown, both := 0, 0, 0
	for i, j := 0, 0; i < len(s.mins) || j < len(known.mins); {
		a, b := at(s.mins, i), at(known.mins, j)
		if min(a, b) > bound {
			break
		}
		if a <= b {
			i++
			inS++
		}
		if b <= a {
			j++
			inKnown++
		}
		if a == b {
			both++
		}
	}
	fewer := min(inS, inKnown)
	return fewer >= minComparable && float64(both) >= share*float64(fewer)
}

// bound is the hash up to which the sketch knows all of its page's blocks.
func (s sketch) bound() uint64 {
	if len(s.mins) < sketchSize {
		return 1<<32 - 1
	}
	return uint64(s.mins[len(s.mins)-1])
}

// at returns the i-th hash, or more than any hash past the end.
func at(mins []uint32, i int) uint64 {
	if i < len(mins) {
		return uint64(mins[i])
	}
	return 1 << 32
}

func compareSketches(a, b sketch) int {
	return cmp.Or(cmp.Compare(a.title, b.title), slices.Compare(a.mins, b.mins))
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

func (g *generations[T]) union(a, b []T) []T {
	out := append(slices.Clone(a), b...)
	slices.SortFunc(out, g.compare)
	return slices.Clip(slices.CompactFunc(out, func(x, y T) bool { return g.compare(x, y) == 0 }))
}
