package styletree

import (
	"iter"
	"slices"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// Partner is what the tree knows about the position of one element of a page. Detectors combine this evidence with
// other evidence. For an Unseen element all other fields but Importance are zero.
type Partner struct {
	// Importance is the composite importance in [0,1], or -1 for an unseen element.
	Importance float32
	// Pages is the number of pages that contain the element node, halved by each decay.
	Pages float32
	// Styles is the number of different child sequences of the element node, up to 255.
	Styles uint8
	// Verdict is the tree's own verdict.
	Verdict Verdict
}

// Partners returns the partner of every element of the page, indexed by ElementID. It maps the page onto the tree from
// the root down, as far as its child sequences are known. Elements outside BODY and those that the outline leaves out
// have no partner. The result uses dst if it is large enough; nil is allowed.
func (t *Tree) Partners(p *page.Page, dst []Partner) []Partner {
	if p.Body == page.None || t.elems[0].styles == none {
		return noPartners(p, dst)
	}
	return t.partners(newOutline(p, t.Hasher(), t.opts.Attrs), dst)
}

// PartnersOf is [Tree.Partners] for a page p that was read.
func (t *Tree) PartnersOf(r *Reading, p *page.Page, dst []Partner) []Partner {
	if r.outline == nil || t.elems[0].styles == none {
		return noPartners(p, dst)
	}
	return t.partners(r.outline, dst)
}

// noPartners returns partners that are all unseen.
func noPartners(p *page.Page, dst []Partner) []Partner {
	dst = slices.Grow(dst[:0], len(p.Elements))[:len(p.Elements)]
	for i := range dst {
		dst[i] = Partner{Importance: -1, Verdict: Unseen}
	}
	return dst
}

func (t *Tree) partners(o *outline, dst []Partner) []Partner {
	dst = noPartners(o.p, dst)
	w := mapper{t: t, page: o, v: t.currentVerdicts(), out: dst}
	if s, _ := t.find(0, w.page.rootSeq(t.Hasher())); s != none && !t.styles[s].hollow() {
		w.element(t.styles[s].first, o.p.Body)
	}
	return dst
}

// mapper maps a page onto a tree.
type mapper struct {
	t    *Tree
	page *outline
	v    *verdicts
	out  []Partner
}

// element records the element node at as the partner of e and continues below.
func (w *mapper) element(at int32, e page.ElementID) {
	s, distinct := w.t.find(at, w.page.seq[e])
	w.out[e] = Partner{
		Importance: w.v.importance[at],
		Pages:      float32(w.t.pagesOf(at).Float()),
		Styles:     uint8(min(distinct, 255)),
		Verdict:    w.v.verdict[at],
	}
	if s == none || w.t.styles[s].hollow() {
		return
	}
	first := w.t.styles[s].first
	for i, c := range w.page.children(e) {
		w.element(first+i, c)
	}
}

// Node is an element node, for inspection.
type Node struct {
	// Tag is the name of the tag, empty for the virtual root and for tags that HTML does not know.
	Tag string
	// Kind is the keyed hash of the tag and the display attributes.
	Kind uint64
	// Pages is the number of pages that contain the node, halved by each decay.
	Pages float64
	// NodeImp and CompImp are the node and the composite importance, in [0,1].
	NodeImp, CompImp float64
	// Features is the number of content features directly in the node.
	Features int
	// Verdict is the tree's verdict on the node.
	Verdict Verdict

	t  *Tree
	at int32
}

// Style is a style node, for inspection.
type Style struct {
	// Seq is the keyed hash of the sequence of child elements. It is 0 in the node that stands for Count evicted ones.
	Seq uint64
	// Count is the number of sequences that the node stands for: 1, or more in the node of the evicted ones.
	Count int
	// Pages is the number of pages that have the sequence, halved by each decay.
	Pages float64
	// Hollow says that the subtree was dropped and only the counts remain.
	Hollow bool
	// Len is the number of element nodes, 0 where Hollow.
	Len int

	t  *Tree
	at int32
}

// Root returns the virtual root above BODY. The view is valid until the tree changes.
func (t *Tree) Root() Node { return t.node(0) }

func (t *Tree) node(at int32) Node {
	v := t.currentVerdicts()
	imp, m, _ := t.nodeImp(at)
	e := t.elems[at]
	n := Node{Tag: atom.Atom(e.tag).String(), Kind: e.kind, Pages: m.Float(), NodeImp: imp, CompImp: float64(v.importance[at]),
		Verdict: v.verdict[at], t: t, at: at}
	for s := e.styles; s != none; s = t.styles[s].next {
		if c := t.content(s); c != nil {
			n.Features += len(c.features) + int(c.rest)
		}
	}
	return n
}

// Styles yields the style nodes below the node.
func (n Node) Styles() iter.Seq[Style] {
	return func(yield func(Style) bool) {
		for i := n.t.elems[n.at].styles; i != none; i = n.t.styles[i].next {
			s := &n.t.styles[i]
			v := Style{Seq: s.seq, Count: s.count(), Pages: s.n.Float(), Hollow: s.hollow(), t: n.t, at: i}
			if !v.Hollow {
				v.Len = int(s.k)
			}
			if !yield(v) {
				return
			}
		}
	}
}

// Nodes yields the element nodes of the style node, in their order.
func (s Style) Nodes() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		st := s.t.styles[s.at]
		if st.hollow() {
			return
		}
		for i := range st.k {
			if !yield(s.t.node(st.first + i)) {
				return
			}
		}
	}
}
