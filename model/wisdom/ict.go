package wisdom

import (
	"math"

	"github.com/winnow-proxy/winnow/model/page"
)

// features are those of a tree node: sums over the blocks below it.
type features struct {
	// alen and clen are ALEN and CLEN, the numbers of characters inside and outside links.
	alen, clen float64
	// weight is Σ (1 − EN) over the words outside links, and words is their number.
	weight, words float64
	// api is API(N) = Σ 1/EN over the words of links, and anchors is their number.
	api, anchors float64
}

func (f features) plus(g features) features {
	return features{f.alen + g.alen, f.clen + g.clen, f.weight + g.weight, f.words + g.words, f.api + g.api, f.anchors + g.anchors}
}

func (f features) minus(g features) features {
	return features{f.alen - g.alen, f.clen - g.clen, f.weight - g.weight, f.words - g.words, f.api - g.api, f.anchors - g.anchors}
}

// node is a node of the Information Coverage Tree. It is an element with the blocks that are wholly inside it or, with
// elem None, a block between elements.
type node struct {
	elem     page.ElementID
	from, to page.BlockID
}

// leaf reports that n has no children that could be blocks.
func (n node) leaf() bool { return n.elem == page.None || n.to-n.from == 1 }

// coverage is the Information Coverage Tree of one page. It is the page's own tree without the parts that show no text.
// The blocks of a node are consecutive, so its features are differences of running sums.
type coverage struct {
	p    *page.Page
	opts *Options
	// upTo[b] sums the features of the blocks before b.
	upTo []features
}

// newCoverage aggregates the features of p's nodes. en has the entropy of each of its terms.
func newCoverage(p *page.Page, t *pageTerms, en map[term]float64, o *Options) *coverage {
	c := &coverage{p: p, opts: o, upTo: make([]features, len(p.Blocks)+1)}
	for b := range p.Blocks {
		f := features{alen: float64(t.alen[b]), clen: float64(t.clen[b])}
		for i, w := range t.words[b] {
			if t.links[b][i] {
				f.api += 1 / max(en[w], o.MinEntropy)
				f.anchors++
			} else {
				f.weight += 1 - en[w]
				f.words++
			}
		}
		c.upTo[b+1] = c.upTo[b].plus(f)
	}
	return c
}

func (c *coverage) root() node {
	return node{max(c.p.Body, 0), 0, page.BlockID(len(c.p.Blocks))}
}

func (c *coverage) features(n node) features { return c.upTo[n.to].minus(c.upTo[n.from]) }

// element returns the node of e.
func (c *coverage) element(e page.ElementID) node {
	el := &c.p.Elements[e]
	return node{e, el.BlockStart, el.BlockEnd}
}

// children calls f for the children of n that show text, in document order: elements, and blocks between them.
func (c *coverage) children(n node, f func(node)) {
	if n.leaf() {
		return
	}
	next := n.from
	bare := func(to page.BlockID) {
		for ; next < to; next++ {
			f(node{page.None, next, next + 1})
		}
	}
	for e := range c.p.Children(n.elem) {
		if child := c.element(e); child.from < child.to {
			bare(child.from)
			f(child)
			next = child.to
		}
	}
	bare(n.to)
}

// sii is SII(N, f) = −Σ w_j·log_m w_j over the m children of n, where w_j is the share of f in the j-th. It is 0 when
// one child has all of f or is the only one, and 1 when all have equal shares.
func (c *coverage) sii(n node, f func(features) float64) float64 {
	total, m := f(c.features(n)), 0
	h := 0.0
	c.children(n, func(child node) {
		m++
		if w := f(c.features(child)) / total; w > 0 {
			h -= w * math.Log(w)
		}
	})
	if m < 2 || total <= 0 {
		return 0
	}
	return h / math.Log(float64(m))
}
