package styletree

import (
	"slices"

	"github.com/winnow-proxy/winnow/model/internal/seen"
)

// seenPages remembers which pages a tree has learned: their URLs, so that a page counts once however often it is
// fetched, and sketches of their text, so that it counts once under other URLs too (query noise, session ids, print
// views).
type seenPages struct {
	pages    seen.Pages
	sketches seen.Set[sketch]
}

// newSeenPages returns a memory that takes about a sixteenth of the tree's budget: half for URLs, half for sketches.
// A set grows to three times its limit, see rotate.
func newSeenPages(memory int) seenPages {
	return seenPages{
		pages:    seen.NewPages(memory),
		sketches: seen.New(memory/96/sketchBytes, compareSketches),
	}
}

const sketchBytes = 32 + 4*sketchSize

func (s *seenPages) bytes() int { return s.pages.Bytes() + s.sketches.Len()*sketchBytes }

// add remembers a learned page.
func (s *seenPages) add(url uint64, sk sketch) {
	s.pages.Add(url)
	if sk.usable() {
		s.sketches.Add(sketch{title: sk.title, mins: sk.mins})
	}
}

// merge adds what other remembers. Pages that both remember count once.
func (s *seenPages) merge(other *seenPages) {
	s.pages.Merge(&other.pages)
	s.sketches.Merge(&other.sketches)
}

// shrink forgets a part: the older URLs and sketches where there are some, and else half of them.
func (s *seenPages) shrink() {
	s.pages.Shrink()
	s.sketches.Shrink()
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
	for _, known := range [][]sketch{s.sketches.Recent(), s.sketches.Older()} {
		for _, k := range known {
			if k.title == sk.title && k.contains(own, sk.long, share) {
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
	for _, known := range [][]sketch{s.sketches.Recent(), s.sketches.Older()} {
		for _, k := range known {
			if _, ok := slices.BinarySearch(k.mins, h); ok {
				n++
			}
		}
	}
	return n
}
