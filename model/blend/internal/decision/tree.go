package decision

import (
	"slices"

	"github.com/winnow-proxy/winnow/model/page"
)

// Tree is the tree of a page's elements as the labelling sees it. Elements that hold one block, or one element and
// nothing else, are left out: they add no costs and take the label of the element above. Another page may use the
// memory of a tree.
type Tree struct {
	Parameters
	// nodes are the other elements in the order of the page, parts what is directly below each: a block, or the
	// complement of a node.
	nodes []labelNode
	parts []int32
	// over is the innermost node around each block, words the number of its words, weights its weight, blocks working
	// memory for its costs.
	over           []int32
	words, weights []float32
	blocks         [][2]float32
	// content is the number of words of each block that are expected to be content, cases how many of the cases of
	// expectedF1 have it as content.
	content []float32
	cases   []uint8
	// powers are the weights of blocks of few words.
	powers [256]float32
	// at and holds are working memory of the builder.
	at    []labelElement
	holds []page.ElementID
}

// labelNode is an element of a labelTree.
type labelNode struct {
	// up is the node above, from and to delimit the parts.
	up, from, to int32
	// costs and label are working memory.
	costs [2]float32
	label uint8
}

// labelElement is what the builder knows about an element: the number of its parts and of all blocks in it, its node or
// -1, the innermost node around it, the end of the parts that it has so far, and its only part if it has no node.
type labelElement struct{ count, blocks, node, over, end, only int32 }

// NewTree returns a tree without a page.
func (d Parameters) NewTree() *Tree {
	t := &Tree{Parameters: d}
	for n := range t.powers {
		t.powers[n] = d.weight(int32(n))
	}
	return t
}

// IsSmall reports whether there is a tree, whose memory may be kept for another page.
func (t *Tree) IsSmall() bool { return t != nil && cap(t.at) <= maxKept }

// maxKept is the most elements of a page whose tree is kept.
const maxKept = 1 << 11

// Read makes the tree that of a page. words returns the number of words of each block.
func (t *Tree) Read(p *page.Page, words func(block int) int32) {
	n := len(p.Blocks)
	t.over, t.blocks = slices.Grow(t.over[:0], n)[:n], slices.Grow(t.blocks[:0], n)[:n]
	t.words, t.weights = slices.Grow(t.words[:0], n)[:n], slices.Grow(t.weights[:0], n)[:n]
	for i := range n {
		w := words(i)
		t.words[i] = float32(w)
		if w < int32(len(t.powers)) {
			t.weights[i] = t.powers[w]
		} else {
			t.weights[i] = t.weight(w)
		}
	}
	t.at = slices.Grow(t.at[:0], len(p.Elements))[:len(p.Elements)]
	clear(t.at)
	b := labelTreeBuilder{t, p}
	b.count()
	b.addNodes()
	b.addParts()
}

// labelTreeBuilder makes a labelTree.
type labelTreeBuilder struct {
	*Tree
	p *page.Page
}

// count finds the elements that hold blocks, and counts the parts of each.
func (b *labelTreeBuilder) count() {
	for i := range b.p.Blocks {
		at := &b.at[b.p.Blocks[i].Element]
		at.count++
		at.blocks++
	}
	for e := len(b.at) - 1; e > 0; e-- {
		b.at[b.p.Elements[e].Parent].blocks += b.at[e].blocks
	}
	b.holds = b.holds[:0]
	for e := range b.at {
		if b.at[e].blocks == 0 {
			continue
		}
		b.holds = append(b.holds, page.ElementID(e))
		if e > 0 {
			b.at[b.p.Elements[e].Parent].count++
		}
	}
}

// addNodes adds the nodes without their parts.
func (b *labelTreeBuilder) addNodes() {
	room := int32(0)
	b.nodes = b.nodes[:0]
	for _, e := range b.holds {
		at, up := &b.at[e], int32(0)
		if e > 0 {
			above := &b.at[b.p.Elements[e].Parent]
			if up = above.node; up < 0 {
				up = above.over
			}
		}
		at.node, at.over = -1, up
		if e == 0 || at.count > 1 {
			at.node, at.end = int32(len(b.nodes)), room
			room += at.count
			b.nodes = append(b.nodes, labelNode{up: up, from: at.end, to: room})
		}
	}
	b.parts = slices.Grow(b.parts[:0], int(room))[:room]
}

// addParts fills in the parts: first the blocks directly in an element, then the elements in it, the last one first.
// Sums of costs depend on this order in their last bits.
func (b *labelTreeBuilder) addParts() {
	for i := range b.p.Blocks {
		e := b.p.Blocks[i].Element
		if b.over[i] = b.at[e].node; b.over[i] < 0 {
			b.over[i] = b.at[e].over
		}
		b.add(e, int32(i))
	}
	for _, e := range slices.Backward(b.holds) {
		if e == 0 {
			break
		}
		part := b.at[e].only
		if node := b.at[e].node; node >= 0 {
			part = ^node
		}
		b.add(b.p.Elements[e].Parent, part)
	}
}

// add adds a part to an element.
func (b *labelTreeBuilder) add(e page.ElementID, part int32) {
	at := &b.at[e]
	if at.node < 0 {
		at.only = part
		return
	}
	b.parts[at.end] = part
	at.end++
}
