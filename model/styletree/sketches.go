package styletree

import (
	"slices"

	"github.com/winnow-proxy/winnow/model/internal/seen"
)

// sketches are those of the learned pages, so that a page counts once even under several URLs (query noise, session
// ids, print views).
type sketches struct{ seen.Set[sketch] }

// newSketches returns an empty set that takes about a thirtieth of the tree's budget, like the set of learned URLs.
func newSketches(memory int) sketches {
	return sketches{seen.New(memory/96/sketchBytes, compareSketches)}
}

const sketchBytes = 32 + 4*sketchSize

func (s *sketches) bytes() int { return s.Len() * sketchBytes }

// add stores the sketch of a learned page.
func (s *sketches) add(sk sketch) {
	if sk.usable() {
		s.Add(sketch{title: sk.title, mins: sk.mins})
	}
}

// duplicate reports whether sk is a stored page: one of the same title has at least the given share of its blocks.
// Blocks that more than templatePages stored pages have are no evidence. The title distinguishes the first pages of a
// site whose template is longer than their content, before the template is known.
func (s *sketches) duplicate(sk sketch, share float64) bool {
	if share < 0 || !sk.usable() || !s.hasTitle(sk.title) {
		return false
	}
	own := slices.Clone(sk.mins)
	own = slices.DeleteFunc(own, func(h uint32) bool { return s.pagesWith(h) > templatePages })
	for _, known := range [][]sketch{s.Recent(), s.Older()} {
		for _, k := range known {
			if k.title == sk.title && k.contains(own, sk.long, share) {
				return true
			}
		}
	}
	return false
}

// hasTitle reports whether a stored page has the title.
func (s *sketches) hasTitle(title uint32) bool {
	titled := func(k sketch) bool { return k.title == title }
	return slices.ContainsFunc(s.Recent(), titled) || slices.ContainsFunc(s.Older(), titled)
}

// templatePages is the number of stored pages up to which a block may still belong to a single page, which was fetched
// under several URLs before it was recognised.
const templatePages = 2

// pagesWith counts the stored pages whose sketch has h.
func (s *sketches) pagesWith(h uint32) int {
	n := 0
	for _, known := range [][]sketch{s.Recent(), s.Older()} {
		for _, k := range known {
			if _, ok := slices.BinarySearch(k.mins, h); ok {
				n++
			}
		}
	}
	return n
}
