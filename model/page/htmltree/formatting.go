package htmltree

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// addFormatting opens a formatting element. At most three equal ones may wait to be reopened (§13.2.4.3). Its
// attributes are sorted for the comparison, as in x/net/html.
func (b *builder) addFormatting() {
	b.addElement()
	n := b.open[len(b.open)-1]
	attrs := b.attrs(n)
	if len(attrs) > 1 {
		slices.SortFunc(attrs, func(x, y Attr) int {
			if x.Key != y.Key {
				return strings.Compare(x.Key, y.Key)
			}
			return strings.Compare(x.Val, y.Val)
		})
	}
	alike := 0
	for i := len(b.active) - 1; i >= 0 && b.active[i] != marker; i-- {
		if o := b.active[i]; b.node(o).Tag == b.node(n).Tag && slices.Equal(b.attrs(o), attrs) {
			if alike++; alike >= 3 {
				b.active = slices.Delete(b.active, i, i+1)
			}
		}
	}
	b.active = append(b.active, n)
}

// reopen reopens the active formatting elements that have ended without an end tag of their own (§13.2.4.3).
func (b *builder) reopen() {
	i := len(b.active)
	for i > 0 && b.active[i-1] != marker && !b.isOpen(b.active[i-1]) {
		i--
	}
	for ; i < len(b.active) && b.err == nil; i++ {
		n := b.clone(b.active[i])
		b.add(n)
		b.active[i] = n
	}
}

// isOpen reports whether an element is open. Most that are asked for opened late.
func (b *builder) isOpen(n ID) bool {
	for i := len(b.open) - 1; i >= 0; i-- {
		if b.open[i] == n {
			return true
		}
	}
	return false
}

// clearActive drops the active formatting elements up to the last marker.
func (b *builder) clearActive() {
	for len(b.active) > 0 {
		last := b.active[len(b.active)-1]
		if b.active = b.active[:len(b.active)-1]; last == marker {
			return
		}
	}
}

func (b *builder) addMarker() { b.active = append(b.active, marker) }

// dropActive removes an element from the active formatting elements.
func (b *builder) dropActive(n ID) {
	if i := slices.Index(b.active, n); i >= 0 {
		b.active = slices.Delete(b.active, i, i+1)
	}
}

// activeOf returns the last active formatting element of a tag after the last marker, or None.
func (b *builder) activeOf(tag atom.Atom) ID {
	for i := len(b.active) - 1; i >= 0 && b.active[i] != marker; i-- {
		if b.node(b.active[i]).Tag == tag {
			return b.active[i]
		}
	}
	return None
}

// endFormatting ends the formatting element of the current tag by the adoption agency algorithm (§13.2.6.4.7).
func (b *builder) endFormatting(tag atom.Atom) {
	if top := b.open[len(b.open)-1]; b.data(b.node(top)) == tag.String() && !slices.Contains(b.active, top) {
		b.pop()
		return
	}
	for range 8 {
		f := b.activeOf(tag)
		if f == None {
			b.endOther(tag, 0)
			return
		}
		at := slices.Index(b.open, f)
		if at < 0 {
			b.dropActive(f)
			return
		}
		if !b.inScope(defaultScope, tag) {
			return
		}
		furthest := slices.IndexFunc(b.open[at:], func(n ID) bool { return b.node(n).props&special != 0 })
		if furthest < 0 {
			b.popTo(at)
			b.dropActive(f)
			return
		}
		b.adopt(at, at+furthest)
	}
}

// adopt is one round of the adoption agency algorithm: the formatting element at index at of the stack ends before the
// block at index far, and a clone of it takes over the contents of that block.
func (b *builder) adopt(at, far int) {
	b.tree.Moved = true
	f, block, ancestor := b.open[at], b.open[far], b.open[at-1]
	bookmark := slices.Index(b.active, f)
	last := block
	for x, round := far-1, 1; b.open[x] != f; x, round = x-1, round+1 {
		n := b.open[x]
		i := slices.Index(b.active, n)
		if i >= 0 && round > 3 {
			b.active = slices.Delete(b.active, i, i+1)
			if i <= bookmark {
				bookmark--
			}
			continue // x/net/html leaves it open
		}
		if i < 0 {
			b.removeOpen(n)
			continue
		}
		b.end(n, false)
		c := b.clone(n)
		b.active[i], b.open[x] = c, c
		if last == block {
			bookmark = i + 1
		}
		b.tree.detach(last)
		b.tree.append(c, last)
		last = c
	}
	b.tree.detach(last)
	if b.node(ancestor).props&tablePart != 0 {
		b.foster(last)
	} else {
		b.tree.append(ancestor, last)
	}
	b.takeOver(f, block, bookmark)
}

// takeOver puts a clone of a formatting element around the contents of a block, and the clone at the position of the
// original.
func (b *builder) takeOver(f, block ID, bookmark int) {
	c := b.clone(f)
	for n := b.node(block).First; n != None; n = b.node(block).First {
		b.tree.detach(n)
		b.tree.append(c, n)
	}
	b.tree.append(block, c)
	if old := slices.Index(b.active, f); old >= 0 && old < bookmark {
		bookmark--
	}
	b.dropActive(f)
	b.active = slices.Insert(b.active, bookmark, c)
	b.removeOpen(f)
	b.open = slices.Insert(b.open, slices.Index(b.open, block)+1, c)
}

// endOther ends an element without a rule of its own (§13.2.6.4.7, "any other end tag").
func (b *builder) endOther(tag atom.Atom, id nameID) {
	for i := len(b.open) - 1; i >= 0; i-- {
		n := b.node(b.open[i])
		if n.Namespace == HTML && n.Tag == tag && (tag != 0 || n.name == id) {
			b.popTo(i)
			return
		}
		if n.props&special != 0 {
			return
		}
	}
}
