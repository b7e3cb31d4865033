// Package styletree is the Site Style Tree of Yi, Liu and Li (KDD 2003, "Eliminating Noisy Information in Web Pages for
// Data Mining"), in a form that learns page by page, merges, forgets and stays within a budget.
//
// A style node is a sequence of element nodes and the number of pages that have this sequence in this position. An
// element node is a tag, its display attributes and the style nodes below it. From these follows how important a part
// of the site's pages is (importance.go) and which parts are noise (verdict.go). Mapping a page onto the tree tells
// which parts of the page are noise (mark.go).
//
// The tree stores only keyed hashes and counts, no text and no URL. Every count is an unsigned integer in fixed point,
// so that sums are equal in any order. With floats, Merge would depend on the order.
package styletree

import (
	"math"
	"sync/atomic"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
)

// Tree is the style tree of one host. Learn, Observe and Merge need exclusive access; all other methods only read and
// may run concurrently.
type Tree struct {
	base.Base
	opts Options

	// elems and styles are the two kinds of nodes, linked by index. elems[0] is the virtual root above BODY. A node
	// always comes after the nodes above it, so bottom-up passes are loops.
	elems    []elem
	styles   []style
	contents []content

	// sketches are those of the learned pages.
	sketches sketches

	// unreachable says that the tree has unreachable nodes, which the next rebuild removes.
	unreachable bool
	// verdicts caches values computed from the sums. It is nil after every change.
	verdicts atomic.Pointer[verdicts]
}

// elem is an element node E = (TAG, Attr, Ss).
type elem struct {
	// kind is the keyed hash of the tag and the display attributes.
	kind uint64
	// tag is the tag's atom, for inspection.
	tag uint32
	// styles is the first of the list of style nodes below, none when there is none.
	styles int32
}

// style is a style node S = (Es, n). Its element nodes are elems[first:first+k].
type style struct {
	// seq is the keyed hash of the sequence of kinds, or othersSeq in the node that stands for evicted ones.
	seq uint64
	// n is the number of pages.
	n fixed
	// next is the next style node below the same element node.
	next int32
	// first is none when the node is hollow: the counts are kept, the subtree is not.
	first int32
	// k is the number of element nodes; in the others node, the number of style nodes that it stands for.
	k int32
	// content indexes the content directly in the element node on the pages of this style, or is none. In the paper
	// only leaves have content. Text beside child elements is treated as one more leaf among them (ours).
	content int32
}

const (
	// none ends lists and means absence.
	none = -1
	// othersSeq marks the style node that sums up evicted style nodes.
	othersSeq = 0
)

func (s *style) hollow() bool { return s.first == none }
func (s *style) others() bool { return s.seq == othersSeq }

// count is the number of distinct child sequences that the node stands for.
func (s *style) count() int {
	if s.others() {
		return int(s.k)
	}
	return 1
}

// addCount adds k to the number of style nodes that the others node s stands for.
func (s *style) addCount(k int) { s.k = int32(min(int64(s.k)+int64(k), math.MaxInt32)) }

// New returns a tree that has learned no page. It keys its hashes with key.
func New(key model.Key, opts Options) *Tree {
	opts = base.OrDefault(opts, DefaultOptions())
	t := &Tree{Base: base.New(key, format(), opts.Limits), opts: opts}
	t.clear()
	return t
}

// clear removes everything but the learned pages.
func (t *Tree) clear() {
	t.elems, t.styles, t.contents = []elem{{styles: none}}, nil, nil
	t.sketches = newSketches(t.opts.Limits.Memory)
	t.unreachable = false
	t.verdicts.Store(nil)
}

// Pages is the number of distinct pages learned, before any decay.
func (t *Tree) Pages() int { return t.Learned.Len() }

// Stats describes the tree.
func (t *Tree) Stats() model.Stats {
	return t.StatsOf(t.bytes() - t.Learned.Bytes())
}

// pagesOf is m, the number of pages that contain element node e.
func (t *Tree) pagesOf(e int32) fixed {
	var m fixed
	for s := t.elems[e].styles; s != none; s = t.styles[s].next {
		m = m.Plus(t.styles[s].n)
	}
	return m
}

// find returns the style node with the given sequence below element node e, or none, and the number of distinct
// sequences there.
func (t *Tree) find(e int32, seq uint64) (found int32, distinct int) {
	found = none
	for s := t.elems[e].styles; s != none; s = t.styles[s].next {
		if t.styles[s].seq == seq {
			found = s
		}
		distinct += t.styles[s].count()
	}
	return found, distinct
}

// addStyle adds a hollow style node below e. Lists are in order of seq, so that sums along them are equal to the last
// bit, whatever the order of arrival.
func (t *Tree) addStyle(e int32, seq uint64) int32 {
	prev := int32(none)
	next := t.elems[e].styles
	for next != none && t.styles[next].seq < seq {
		prev, next = next, t.styles[next].next
	}
	s := int32(len(t.styles))
	t.styles = append(t.styles, style{seq: seq, next: next, first: none, content: none})
	if prev == none {
		t.elems[e].styles = s
	} else {
		t.styles[prev].next = s
	}
	return s
}

// fill gives a hollow style node k element nodes and returns the index of the first.
func (t *Tree) fill(s int32, k int) int32 {
	first := int32(len(t.elems))
	for range k {
		t.elems = append(t.elems, elem{styles: none})
	}
	t.styles[s].first, t.styles[s].k = first, int32(k)
	return first
}
