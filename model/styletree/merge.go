package styletree

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
)

// Merge adds what other, a tree of the same key, has learned; see [base.Merge].
//
// Statistics add up. For pages that both trees have learned see [base.Overlap]. Merging is associative and commutative
// as long as no page counts twice, nothing decays and no budget evicts.
func (t *Tree) Merge(other model.Host) error { return base.Merge(t, other) }

// State implements [base.State].
func (t *Tree) State() *Tree { return t }

// MergeBody implements [base.State].
func (t *Tree) MergeBody(other *Tree, pages base.Overlap) {
	switch pages {
	case base.Known:
		return
	case base.Covered:
		t.clear()
	case base.Partial:
	}
	t.mergeElem(0, other, 0)
	t.sketches.Merge(&other.sketches.Set)
	for e := range t.elems {
		if _, distinct := t.find(int32(e), othersSeq); t.diverse(distinct) {
			t.thin(int32(e))
		}
	}
}

// mergeElem adds other's element node from to the element node at.
func (t *Tree) mergeElem(at int32, other *Tree, from int32) {
	for i := other.elems[from].styles; i != none; i = other.styles[i].next {
		o := &other.styles[i]
		s, _ := t.find(at, o.seq)
		if s == none {
			s = t.addStyle(at, o.seq)
		}
		t.styles[s].n = t.styles[s].n.Plus(o.n)
		switch {
		case o.others():
			t.styles[s].addCount(o.count())
		case !o.hollow():
			t.mergeStyle(s, other, o)
		}
	}
}

// mergeStyle adds the subtree of other's style node o to the style node s.
func (t *Tree) mergeStyle(s int32, other *Tree, o *style) {
	if t.styles[s].hollow() {
		t.fill(s, int(o.k))
	}
	first := t.styles[s].first
	if o.content != none {
		t.mergeContent(s, &other.contents[o.content])
	}
	for j := range o.k {
		old := &other.elems[o.first+j]
		t.elems[first+j].kind, t.elems[first+j].tag = old.kind, old.tag
		t.mergeElem(first+j, other, o.first+j)
	}
}

func (t *Tree) mergeContent(s int32, o *content) {
	if t.styles[s].content == none {
		t.styles[s].content = int32(len(t.contents))
		t.contents = append(t.contents, content{})
	}
	c := &t.contents[t.styles[s].content]
	c.add(o.features)
	c.rest += o.rest
	c.trim(t.opts.MaxFeatures)
}

// clone returns a copy that shares no mutable state with t.
func (t *Tree) clone() *Tree {
	c := New(t.Key(), t.opts)
	c.mergeElem(0, t, 0)
	c.Learned.Merge(&t.Learned)
	c.sketches.Merge(&t.sketches.Set)
	return c
}
