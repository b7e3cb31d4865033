package wisdom

import (
	"cmp"
	"container/heap"

	"github.com/winnow-proxy/winnow/model/page"
)

// class is a type of blocks to search.
type class struct {
	kind page.Kind
	// feature is f_A: blocks of the class have much of it.
	feature func(features) float64
	// fits is the type's constraint.
	fits func(features, *Options) bool
}

// articles have more text outside links than inside (ours), of a high mean weight.
func articles() class {
	return class{page.KindArticle, func(f features) float64 { return f.clen }, func(f features, o *Options) bool {
		return f.clen > f.alen && f.weight >= o.MinWeight*f.words
	}}
}

// tocs have more text inside links than outside (ours), of a high mean API.
func tocs() class {
	return class{page.KindTOC, func(f features) float64 { return f.alen }, func(f features, o *Options) bool {
		return f.alen > f.clen && f.api >= o.MinAPI*f.anchors
	}}
}

// mib searches the k most informative blocks of a class, from the root down. The node with the most of the class's
// feature is a block if it is a leaf or spreads the feature evenly over its children. Otherwise the search continues
// with its children.
func (c *coverage) mib(cl class) []node {
	var found []node
	h := &nodeHeap{}
	push := func(n node) { heap.Push(h, ranked{n, cl.feature(c.features(n))}) }
	push(c.root())
	for h.Len() > 0 && len(found) < c.opts.Blocks {
		top := heap.Pop(h).(ranked)
		switch {
		case top.f <= 0:
			return found // all other nodes have none
		case top.leaf() || c.sii(top.node, cl.feature) > c.opts.Threshold:
			if cl.fits(c.features(top.node), c.opts) {
				found = append(found, top.node)
			}
		default:
			c.children(top.node, push)
		}
	}
	return found
}

// ranked is a node with its rank f.
type ranked struct {
	node
	f float64
}

// nodeHeap has the node of the greatest f on top; among equals, the first in the page.
type nodeHeap []ranked

func (h nodeHeap) Len() int { return len(h) }
func (h nodeHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[j].f, h[i].f), cmp.Compare(h[i].from, h[j].from)) < 0
}
func (h nodeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *nodeHeap) Push(x any)   { *h = append(*h, x.(ranked)) }
func (h *nodeHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
