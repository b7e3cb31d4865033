// Package decision labels the blocks of a page as a whole, given their log-odds of noise.
package decision

import (
	"math"
	"slices"

	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
)

// A page is decided as a whole. Each block has a cost for each label, content and noise. Each element takes the label
// of most of its contents, and a price is paid wherever a child's label differs from its parent's. One pass up and one
// down find the cheapest labelling of the tree exactly. So a label inside an article, or a link inside a menu, follows
// its surroundings unless its own evidence is strong.

// Parameters has the parameters of the labelling. They are fitted with the weights.
type Parameters struct {
	// Price is the cost of a label that differs from the parent's, in nats of a block of one word.
	Price float32
	// Lean is added to the log-odds of noise. Below 0 it prefers to keep.
	Lean float32
	// Power sets how the weight of a block grows with its words: words^power.
	Power float32
}

const (
	content = 0
	noise   = 1
)

// Decide labels the page so that the expected F1 of the kept words is greatest: the optimal threshold of a page is
// about half the F1 that is possible on it (Lipton, Elkan, Naryanaswamy 2014), so it is lower where little is certain.
// It returns for each block whether it is noise, and the expected F1.
func (t *Tree) Decide(odds []float32) (_ []bool, highest float32) {
	highest = -1
	n := len(odds)
	t.content, t.cases = slices.Grow(t.content[:0], n)[:n], slices.Grow(t.cases[:0], n)[:n]
	for i, o := range odds {
		p := 1 - forest.Probability(o)
		t.content[i], t.cases[i] = t.words[i]*p, uint8(p*cases+.5)
	}
	best, noisy := make([]bool, n), make([]bool, n)
	for _, off := range [...]float32{-2, -1.5, -1, -.75, -.5, -.25, 0, .25, .5} {
		d := t.Parameters
		d.Lean += off
		d.labels(t, odds, noisy)
		if f := t.expectedF1(noisy); f > highest {
			highest = f
			best, noisy = noisy, best
		}
	}
	return best, highest
}

// The blocks of a page are not content independently of one another: either all items of a long list are, or none.
// Taken for independent, a list of which each item is content with a probability of .2 seems to hold much content, and
// is kept whole. So F1 is expected for both: blocks apart from each other, and all together, where a block is content
// in as many of the cases as is probable, and in them everything is that is more probable.
const (
	cases = 32
	// together is the weight of the second.
	together = .75
)

// expectedF1 returns the F1 that a labelling is expected to have.
func (t *Tree) expectedF1(noisy []bool) float32 {
	var hit, kept, all float32
	var hits, words [cases + 1]float32
	for i, w := range t.words {
		all += t.content[i]
		words[t.cases[i]] += w
		if !noisy[i] {
			hit += t.content[i]
			kept += w
			hits[t.cases[i]] += w
		}
	}
	apart := f1(hit, kept, all)
	mean := float32(0)
	hit, all = 0, 0
	for n := cases; n > 0; n-- {
		hit += hits[n]
		all += words[n]
		mean += f1(hit, kept, all) / cases
	}
	return (1-together)*apart + together*mean
}

// f1 is that of kept words, of which some hit the content, where all is the number of words of content.
func f1(hit, kept, all float32) float32 {
	if kept+all == 0 {
		return 0
	}
	return 2 * hit / (kept + all)
}

// labels decides for each block whether it is noise, from the log-odds.
func (d Parameters) labels(t *Tree, odds []float32, noisy []bool) {
	d.blockCosts(t.blocks, odds, t.weights)
	for n := len(t.nodes) - 1; n >= 0; n-- {
		node, costs := &t.nodes[n], [2]float32{}
		for _, part := range t.parts[node.from:node.to] {
			if part >= 0 {
				d.charge(&costs, t.blocks[part])
			} else {
				d.charge(&costs, t.nodes[^part].costs)
			}
		}
		node.costs = costs
	}
	for n := range t.nodes {
		node := &t.nodes[n]
		if node.label = cheaper(node.costs); n > 0 {
			node.label = d.follow(node.costs, t.nodes[node.up].label)
		}
	}
	for i := range noisy {
		noisy[i] = d.follow(t.blocks[i], t.nodes[t.over[i]].label) == noise
	}
}

// weight returns the weight of a block.
func (d Parameters) weight(words int32) float32 {
	return float32(math.Pow(float64(words)+1, float64(d.Power)))
}

// blockCosts fills in the cost of calling each block content and noise.
func (d Parameters) blockCosts(costs [][2]float32, odds, weights []float32) {
	for i, o := range odds {
		o = max(-maxOdds, min(o+d.Lean, maxOdds))
		plus := softplus(o)
		costs[i][content] = weights[i] * plus
		costs[i][noise] = weights[i] * (plus - o) // softplus(-o)
	}
}

// maxOdds bounds the log-odds of a block in both directions.
const maxOdds = 8

// charge adds a child's costs to its parent's: for each label of the parent, the cheaper of the same label and of
// paying the price.
func (d Parameters) charge(parent *[2]float32, child [2]float32) {
	parent[content] += min(child[content], child[noise]+d.Price)
	parent[noise] += min(child[noise], child[content]+d.Price)
}

// follow picks a child's label given its parent's.
func (d Parameters) follow(costs [2]float32, parent uint8) uint8 {
	if costs[1-parent]+d.Price < costs[parent] {
		return 1 - parent
	}
	return parent
}

func cheaper(costs [2]float32) uint8 {
	if costs[noise] < costs[content] {
		return noise
	}
	return content
}
