package fragments

import (
	"math"
	"slices"
)

// cluster is a set of pages with one service part.
type cluster struct {
	// pages are in the order in which they joined.
	pages []int32
	// nav are the hashes of the chains that all pages share, ascending. They are the service part.
	nav []uint64
	// least is min_nav_length: a page joins only if it has at least this many bytes of the service part.
	least float64
}

// find clusters the documents by the paper's steps 2 to 4. Documents in no cluster are left over.
func find(docs []document, o Options) []cluster {
	x := newIndex(docs)
	free, left := make([]bool, len(docs)), len(docs)
	for i := range free {
		free[i] = true
	}
	var found []cluster
	share := o.NavShare
	seeds := newSeeker(x, free, o.Duplicate)
	first, ok := seeds.next()
	for ok && left >= o.ClusterPages {
		c := x.grow(first, free, share)
		if len(c.pages) < o.ClusterPages {
			// With the same share, the next first pair would be the same.
			if share = lower(share, o.NavStep); share < o.NavLeast {
				break
			}
			continue
		}
		found = append(found, c)
		left -= len(c.pages)
		for _, p := range c.pages {
			free[p] = false
		}
		first, ok = seeds.next()
	}
	return found
}

// lower subtracts shares and rounds, so that 80 % minus 20 % equals 60 % exactly.
func lower(share, step float64) float64 { return math.Round((share-step)*1e6) / 1e6 }

// grow builds the cluster of a first pair. The free page that matches the service part best joins; among equals, the
// first. This continues while it matches at least the given share of the first length.
func (x *index) grow(first pair, free []bool, share float64) cluster {
	g := grower{x: x, matches: make([]int64, len(free)), out: make([]bool, len(free))}
	g.c = cluster{pages: []int32{first.a, first.b}, least: share * float64(first.bytes)}
	for _, c := range x.of[first.a] {
		if _, common := slices.BinarySearch(x.of[first.b], c); common {
			g.nav = append(g.nav, c)
			g.count(c, 1)
		}
	}
	for p := range free {
		g.out[p] = !free[p] || int32(p) == first.a || int32(p) == first.b
	}
	for p := g.next(); p >= 0; p = g.next() {
		g.join(p)
	}
	for _, c := range g.nav {
		g.c.nav = append(g.c.nav, x.classes[c].chains...)
	}
	slices.Sort(g.c.nav)
	return g.c
}

// grower is a growing cluster. A class leaves the service part at most once, and then the matches of its pages are
// updated. So no page is ever compared twice.
type grower struct {
	x *index
	c cluster
	// nav are the classes of the service part. matches is how much of it each page has.
	nav     []int32
	matches []int64
	// out marks the pages that can't join.
	out []bool
}

// count updates the matches for a class that enters the service part (1) or leaves it (-1).
func (g *grower) count(class int32, sign int64) {
	c := g.x.classes[class]
	for _, p := range c.pages {
		g.matches[p] += sign * c.bytes
	}
}

// next returns the page that joins next, or -1 when there is none.
func (g *grower) next() int32 {
	best := int32(-1)
	for p, out := range g.out {
		if !out && (best < 0 || g.matches[p] > g.matches[best]) {
			best = int32(p)
		}
	}
	if best < 0 || float64(g.matches[best]) < g.c.least {
		return -1
	}
	return best
}

func (g *grower) join(p int32) {
	g.c.pages = append(g.c.pages, p)
	g.out[p] = true
	g.nav = slices.DeleteFunc(g.nav, func(c int32) bool {
		_, has := slices.BinarySearch(g.x.of[p], c)
		if !has {
			g.count(c, -1)
		}
		return !has
	})
}
