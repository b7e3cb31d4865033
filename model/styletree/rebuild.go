package styletree

import "slices"

// fate says what a rebuild does with a style node.
type fate uint8

const (
	keep   fate = iota
	hollow      // keep the counts, drop the subtree
	fold        // add the counts to the node that stands for the rest
	drop
)

// fateIf returns f if cond holds, otherwise keep.
func fateIf(cond bool, f fate) fate {
	if cond {
		return f
	}
	return keep
}

func keepAll(*style, int) fate { return keep }

// rebuild copies the tree to slices of exact size, breadth first. decide chooses the fate of each style node, given the
// number of style nodes below the same element node.
func (t *Tree) rebuild(decide func(s *style, beside int) fate) {
	b := rebuilder{old: t, from: []int32{0}, decide: decide}
	b.tree.elems = []elem{{styles: none}}
	for e := int32(0); int(e) < len(b.tree.elems); e++ {
		b.element(e)
	}
	t.elems = slices.Clone(b.tree.elems)
	t.styles = slices.Clone(b.tree.styles)
	t.contents = slices.Clone(b.tree.contents)
	t.unreachable = false
}

// rebuilder copies a tree.
type rebuilder struct {
	old    *Tree
	tree   Tree
	decide func(s *style, beside int) fate
	// from is the old index of each new element node.
	from []int32
	// below are the style nodes that list has returned.
	below []int32
}

// element copies the style nodes below the new element node e, and makes room for the element nodes below them.
func (b *rebuilder) element(e int32) {
	list := b.list(b.from[e])
	floor := b.crowded(list)
	for _, i := range list {
		s := &b.old.styles[i]
		f := b.decide(s, len(list))
		switch {
		case f == drop:
		case f == fold || s.others() || s.n <= floor:
			b.fold(e, s)
		default:
			b.style(e, s, f == hollow || s.hollow())
		}
	}
}

// list returns the style nodes below the old element node e. The slice is valid until the next call.
func (b *rebuilder) list(e int32) []int32 {
	b.below = b.below[:0]
	for i := b.old.elems[e].styles; i != none; i = b.old.styles[i].next {
		b.below = append(b.below, i)
	}
	return b.below
}

// crowded returns the number of pages up to which style nodes are folded because their element node has too many: the
// median, so that at least half of them go. It returns 0 where there are not too many.
func (b *rebuilder) crowded(list []int32) fixed {
	if len(list) <= maxList || b.old.opts.MaxStyles < 0 {
		return 0
	}
	pages := make([]fixed, len(list))
	for i, s := range list {
		pages[i] = b.old.styles[s].n
	}
	slices.Sort(pages)
	return pages[len(pages)/2]
}

// style copies style node s below e.
func (b *rebuilder) style(e int32, s *style, hollow bool) {
	i := b.tree.addStyle(e, s.seq)
	b.tree.styles[i].n = s.n
	if hollow {
		return
	}
	first := b.tree.fill(i, int(s.k))
	for j := range s.k {
		old := &b.old.elems[s.first+j]
		b.tree.elems[first+j].kind, b.tree.elems[first+j].tag = old.kind, old.tag
		b.from = append(b.from, s.first+j)
	}
	if c := s.content; c != none {
		b.tree.styles[i].content = int32(len(b.tree.contents))
		b.tree.contents = append(b.tree.contents, b.old.contents[c])
	}
}

// fold adds the counts of s to the others node below e.
func (b *rebuilder) fold(e int32, s *style) {
	i, _ := b.tree.find(e, othersSeq)
	if i == none {
		i = b.tree.addStyle(e, othersSeq)
	}
	n := &b.tree.styles[i]
	n.n = n.n.Plus(s.n)
	n.addCount(s.count())
}
