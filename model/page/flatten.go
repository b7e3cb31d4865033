package page

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page/htmltree"
)

// flatten copies elements, attributes and texts from a tree, in document order.
func (p *Page) flatten(t *htmltree.Tree) {
	p.Elements = slices.Grow(p.Elements[:0], t.Elements)
	p.Texts = slices.Grow(p.Texts[:0], t.Texts)
	p.attrs, p.fragile = slices.Clone(t.Attrs), t.Fragile
	f := flattener{p: p, t: t, open: make([]opened, 0, 64)}
	if t.Moved {
		f.placed = make([]int32, len(t.Nodes)+1)
		f.nodes = make([]htmltree.ID, 0, t.Elements)
	}
	for id := t.Root; id != htmltree.None; id = f.next(id) {
		f.node(id)
	}
	f.closeTo(0)
	if t.Moved {
		f.verify()
	}
}

// flattener walks a tree in document order.
type flattener struct {
	p *Page
	t *htmltree.Tree
	// open are the current element of the walk and those around it.
	open []opened
	// pieces is working memory for a text that is made of several.
	pieces []byte
	// For a tree in which nodes were moved: placed[i+1] is 1 if node i is in the tree and has a place in the source.
	// nodes are the nodes of the elements.
	placed []int32
	nodes  []htmltree.ID
}

// opened is an element and its node.
type opened struct {
	id htmltree.ID
	e  ElementID
}

// next returns the node after id in document order.
func (f *flattener) next(id htmltree.ID) htmltree.ID {
	nodes := f.t.Nodes
	if !f.t.Moved {
		if int(id)+1 < len(nodes) {
			return id + 1
		}
		return htmltree.None
	}
	if first := nodes[id].First; first != htmltree.None {
		return first
	}
	for id != htmltree.None && nodes[id].Next == htmltree.None {
		id = nodes[id].Parent
	}
	if id == htmltree.None {
		return htmltree.None
	}
	return nodes[id].Next
}

func (f *flattener) node(id htmltree.ID) {
	n := &f.t.Nodes[id]
	depth := len(f.open)
	for depth > 0 && f.open[depth-1].id != n.Parent {
		depth--
	}
	f.closeTo(depth)
	if f.placed != nil && n.End > 0 {
		f.placed[id+1] = 1
	}
	switch {
	case n.Kind == htmltree.Element:
		f.element(id, n)
	case n.Kind == htmltree.Text && !n.Joined:
		f.text(n)
	}
}

// closeTo ends the elements from index n on.
func (f *flattener) closeTo(n int) {
	for _, o := range f.open[n:] {
		el := &f.p.Elements[o.e]
		el.Sub, el.TextEnd = ElementID(len(f.p.Elements)), int32(len(f.p.Texts))
	}
	f.open = f.open[:n]
}

func (f *flattener) element(id htmltree.ID, n *htmltree.Node) {
	p := f.p
	e := ElementID(len(p.Elements))
	el := Element{Tag: n.Tag, Name: f.t.Data(n), Parent: None, Depth: int32(len(f.open)), TextStart: int32(len(p.Texts)),
		attrStart: n.AttrStart, attrEnd: n.AttrEnd}
	if len(f.open) > 0 {
		el.Parent = f.open[len(f.open)-1].e
	}
	if n.End > 0 {
		el.StartTag, el.Outer, el.EndTag = Span{n.Start, n.End}, Span{n.Start, n.Close}, n.EndTag
	}
	p.Elements = append(p.Elements, el)
	f.open = append(f.open, opened{id, e})
	if f.placed != nil {
		f.nodes = append(f.nodes, id)
	}
	if (n.Tag == atom.Body || n.Tag == atom.Frameset) && p.Body == None {
		p.Body = e
	}
}

// text appends a text, or several if the rules have joined several of the source. White space at the start of a later
// one belongs to the one before.
func (f *flattener) text(n *htmltree.Node) {
	cur := Text{Parent: f.open[len(f.open)-1].e, Block: None, Data: f.t.Data(n), Span: Span{n.Start, n.End}}
	if n.Next == htmltree.None || !f.t.Nodes[n.Next].Joined {
		f.p.Texts = append(f.p.Texts, cur)
		return
	}
	f.pieces = append(f.pieces[:0], cur.Data...)
	for id := n.Next; id != htmltree.None && f.t.Nodes[id].Joined; id = f.t.Nodes[id].Next {
		piece := &f.t.Nodes[id]
		data, span := f.t.Data(piece), Span{piece.Start, piece.End}
		switch {
		case !span.Known():
		case !cur.Span.Known():
			cur.Span = span
		default:
			own := strings.TrimLeft(data, " \t\r\n\f")
			f.pieces = append(f.pieces, data[:len(data)-len(own)]...)
			cur.Data = string(f.pieces)
			f.p.Texts = append(f.p.Texts, cur)
			f.pieces, cur.Span, data = f.pieces[:0], span, own
		}
		f.pieces = append(f.pieces, data...)
	}
	cur.Data = string(f.pieces)
	f.p.Texts = append(f.p.Texts, cur)
}

// verify removes the place of every element whose range of the source is not exactly its subtree.
func (f *flattener) verify() {
	for i := 1; i < len(f.placed); i++ {
		f.placed[i] += f.placed[i-1]
	}
	p := f.p
	// last and count are, for each element, the last node of its subtree that has a place, and the number of them.
	last, count := make([]htmltree.ID, len(p.Elements)), make([]int32, len(p.Elements))
	f.eachText(func(e ElementID, id htmltree.ID) {
		last[e] = max(last[e], id)
		count[e]++
	})
	for e := len(p.Elements) - 1; e >= 0; e-- {
		el, id := &p.Elements[e], f.nodes[e]
		if el.StartTag.Known() {
			last[e] = max(last[e], id)
			count[e]++
			if after := f.t.Nodes[id].After; last[e] >= after || f.placed[after]-f.placed[id] != count[e] {
				el.Outer, el.EndTag = Span{}, 0
			}
		}
		if el.Parent != None {
			last[el.Parent] = max(last[el.Parent], last[e])
			count[el.Parent] += count[e]
		}
	}
	f.nest()
}

// nest removes the place of elements that end after one around them.
func (f *flattener) nest() {
	p := f.p
	ends := make([]int32, len(p.Elements))
	for e := range p.Elements {
		el := &p.Elements[e]
		ends[e] = math.MaxInt32
		if el.Parent != None {
			ends[e] = ends[el.Parent]
		}
		if el.Outer.End > ends[e] {
			el.Outer, el.EndTag = Span{}, 0
		}
		if el.Outer.Known() {
			ends[e] = el.Outer.End
		}
	}
	f.nestStarts()
}

// nestStarts removes the place of elements that begin after one within them. That happens if the only tag of body comes
// late.
func (f *flattener) nestStarts() {
	p := f.p
	starts := slices.Repeat([]int32{math.MaxInt32}, len(p.Elements))
	for e := len(p.Elements) - 1; e >= 0; e-- {
		el := &p.Elements[e]
		if el.StartTag.Known() {
			starts[e] = min(starts[e], el.StartTag.Start)
		}
		if el.Outer.Known() && starts[e] < el.Outer.Start {
			el.Outer, el.EndTag = Span{}, 0
		}
		if el.Parent != None {
			starts[el.Parent] = min(starts[el.Parent], starts[e])
		}
	}
}

// eachText calls f with every text node that has a place, and its element.
func (f *flattener) eachText(do func(ElementID, htmltree.ID)) {
	for e, id := range f.nodes {
		for c := f.t.Nodes[id].First; c != htmltree.None; c = f.t.Nodes[c].Next {
			if n := &f.t.Nodes[c]; n.Kind == htmltree.Text && n.End > 0 {
				do(ElementID(e), c)
			}
		}
	}
}
