package styletree

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Observe learns the page; see [Tree.Learn].
func (t *Tree) Observe(p *page.Page, v model.Visit) { t.Learn(p, v) }

// Learn adds the page to the tree. It returns false for a page without body, for a URL that was learned before, and for
// a learned page under a new URL.
func (t *Tree) Learn(p *page.Page, v model.Visit) bool {
	if p.Body == page.None {
		return false
	}
	if t.Base.Knows(v) { // nothing of it need be read
		t.Learned.Saw(v.At)
		return false
	}
	return t.LearnReading(Read(p, t.Hasher(), t.opts), v)
}

// Knows reports whether the page was learned, under this or another URL.
func (t *Tree) Knows(p *page.Page, v model.Visit) bool {
	return t.Base.Knows(v) || t.sketches.duplicate(sketchPage(p, t.Hasher()), t.opts.DuplicateShare)
}

// insert adds one page to the sums.
func (t *Tree) insert(o *outline) {
	p := o.p
	l := learner{
		t:        t,
		page:     o,
		features: newFeatureReader(p, t.Hasher()),
		// Until Settle runs, one page may exceed the tree's budget by a quarter. Of a larger page only a part is
		// copied.
		room: t.opts.Limits.Memory*5/4 - t.bytes(),
	}
	s := l.see(0, l.page.rootSeq(t.Hasher()), 1)
	if first := t.styles[s].first; first != none {
		t.elems[first].kind, t.elems[first].tag = l.page.kind[p.Body], uint32(p.Elements[p.Body].Tag)
		l.element(first, p.Body)
	}
}

// learner adds one page to a tree, top down.
type learner struct {
	t        *Tree
	page     *outline
	features *featureReader
	// room is the number of bytes that the page may still take.
	room int
}

// element adds the page's element e to its partner, the element node at. The style node of its child sequence counts
// one more page, and the children continue below it. For a new sequence, the same steps copy the subtree.
func (l *learner) element(at int32, e page.ElementID) {
	s := l.see(at, l.page.seq[e], l.page.size(e))
	first := l.t.styles[s].first
	if first == none {
		return
	}
	l.learnContent(s, l.features.read(e))
	for i, c := range l.page.children(e) {
		node := &l.t.elems[first+i]
		node.kind, node.tag = l.page.kind[c], uint32(l.page.p.Elements[c].Tag)
		l.element(first+i, c)
	}
}

// see counts one page for the sequence seq of k elements below the element node at, and returns its style node. The
// style node stays hollow when the element node is too diverse or the room is used up.
func (l *learner) see(at int32, seq uint64, k int) int32 {
	t := l.t
	s, distinct := t.find(at, seq)
	if s == none {
		s = t.addStyle(at, seq)
		l.room -= styleBytes
		distinct++
	}
	before := t.styles[s].n
	t.styles[s].n = before.Plus(one)
	if t.diverse(distinct) {
		t.thin(at)
		if before < one {
			return s
		}
	}
	if need := k * (elemBytes + styleBytes); t.styles[s].hollow() && need <= l.room {
		l.room -= need
		t.fill(s, k)
	}
	return s
}

// learnContent adds features to the content of style node s.
func (l *learner) learnContent(s int32, features []feature) {
	if len(features) == 0 {
		return
	}
	t := l.t
	if t.styles[s].content == none {
		t.styles[s].content = int32(len(t.contents))
		t.contents = append(t.contents, content{})
		l.room -= contentBytes
	}
	c := &t.contents[t.styles[s].content]
	before := len(c.features)
	c.add(features)
	c.trim(t.opts.MaxFeatures)
	l.room -= (len(c.features) - before) * featureBytes
}

// maxList bounds the style nodes below one element node, because they are searched one by one.
const maxList = 128

// diverse reports whether an element node with so many distinct sequences is too diverse to keep all subtrees.
func (t *Tree) diverse(distinct int) bool {
	return t.opts.MaxStyles >= 0 && distinct > t.opts.MaxStyles
}

// thin makes the style nodes below e that only one page uses hollow. Their subtrees are unreachable until the next
// rebuild.
func (t *Tree) thin(e int32) {
	length := 0
	for i := t.elems[e].styles; i != none; i = t.styles[i].next {
		if length++; length > maxList {
			t.unreachable = true
		}
		if s := &t.styles[i]; s.n <= one && !s.hollow() {
			s.first, s.k, s.content = none, 0, none
			t.unreachable = true
		}
	}
}
