package wisdom

import (
	"slices"
	"sort"

	"github.com/winnow-proxy/winnow/model/page"
)

// run is a merged block: consecutive children of one element, given by their blocks.
type run struct {
	parent   page.ElementID
	from, to page.BlockID
}

// blocks finds the blocks of a class, disjoint and in page order: those of the search, merged.
//
// The slides give only the purpose of the two merging steps: to join what belongs to one object, such as an article's
// title, date and author. The method is ours. Direct Sibling Tree Merging grows a block over adjacent siblings that fit
// its class. Collateral Sibling Tree Merging joins blocks in sibling elements of one tag, such as cells of two rows, if
// these elements and everything between them fit the class as a whole.
func (c *coverage) blocks(cl class) []run {
	var runs []run
	for _, n := range c.mib(cl) {
		runs = append(runs, c.growOverSiblings(n, cl))
	}
	for merged := true; merged; {
		runs = disjoint(runs)
		runs, merged = c.joinCollateral(runs, cl)
	}
	return runs
}

// growOverSiblings is Direct Sibling Tree Merging for one block.
func (c *coverage) growOverSiblings(n node, cl class) run {
	r := run{c.parent(n), n.from, n.to}
	if n.elem == c.root().elem {
		return r
	}
	siblings := c.childrenOf(r.parent)
	at := slices.Index(siblings, n)
	for i := at - 1; i >= 0 && cl.fits(c.features(siblings[i]), c.opts); i-- {
		r.from = siblings[i].from
	}
	for i := at + 1; i < len(siblings) && cl.fits(c.features(siblings[i]), c.opts); i++ {
		r.to = siblings[i].to
	}
	return r
}

// parent returns the parent element of n. The root is its own parent.
func (c *coverage) parent(n node) page.ElementID {
	switch {
	case n.elem == page.None:
		return c.p.Blocks[n.from].Element
	case n.elem == c.root().elem:
		return n.elem
	}
	return c.p.Elements[n.elem].Parent
}

func (c *coverage) childrenOf(e page.ElementID) (nodes []node) {
	c.children(c.element(e), func(n node) { nodes = append(nodes, n) })
	return nodes
}

// joinCollateral joins the first two runs that Collateral Sibling Tree Merging joins, and reports whether there were
// any.
func (c *coverage) joinCollateral(runs []run, cl class) ([]run, bool) {
	for i, a := range runs {
		for j := i + 1; j < len(runs); j++ {
			if joined, ok := c.collateral(a, runs[j], cl); ok {
				runs[i] = joined
				return slices.Delete(runs, j, j+1), true
			}
		}
	}
	return runs, false
}

// collateral joins two runs, where a precedes b.
func (c *coverage) collateral(a, b run, cl class) (run, bool) {
	first, last, root := &c.p.Elements[a.parent], &c.p.Elements[b.parent], c.root().elem
	if a.parent == b.parent || a.parent == root || b.parent == root || first.Parent != last.Parent || first.Name != last.Name {
		return run{}, false
	}
	r := run{first.Parent, first.BlockStart, last.BlockEnd}
	for _, n := range c.childrenOf(r.parent) {
		if r.from <= n.from && n.to <= r.to && !cl.fits(c.features(n), c.opts) {
			return run{}, false
		}
	}
	return r, true
}

// disjoint returns the runs in page order. It drops runs inside others and joins those that overlap. Two runs overlap
// in part only if they have the same parent.
func disjoint(runs []run) []run {
	sort.Slice(runs, func(i, j int) bool {
		a, b := runs[i], runs[j]
		return a.from < b.from || a.from == b.from && a.to > b.to
	})
	var out []run
	for _, r := range runs {
		if n := len(out); n > 0 && r.from < out[n-1].to {
			out[n-1].to = max(out[n-1].to, r.to)
			continue
		}
		out = append(out, r)
	}
	return out
}

// extent returns the extent of the run. A run that is the whole content of its parent has the outermost element with no
// other content.
func (c *coverage) extent(r run) page.Extent {
	whole := page.ElementID(page.None)
	for e := r.parent; e != page.None && e != c.root().elem && c.element(e).from == r.from && c.element(e).to == r.to; e = c.p.Elements[e].Parent {
		whole = e
	}
	if whole != page.None {
		return c.p.Siblings(whole, whole)
	}
	x := page.Bare(r.from, r.to)
	for _, n := range c.childrenOf(r.parent) {
		if n.elem == page.None || n.from < r.from || n.to > r.to {
			continue
		}
		if x.First == page.None {
			x.First = n.elem
		}
		x.End = c.p.Elements[n.elem].Sub
	}
	return x
}
