package blend

import (
	"math"

	"github.com/winnow-proxy/winnow/model/page"
)

// A page is decided as a whole: each block has a cost for being called content or noise, each element takes the label
// of most of what is in it, and a price is paid wherever a child's label differs from its parent's. The cheapest
// labelling of the tree is found exactly, by one walk up and one down. So a label inside an article, or a link inside
// a menu, goes with its surroundings unless its own evidence is strong.

// decision holds the parameters of the labelling. They are fitted with the weights.
type decision struct {
	// price is the cost of a label that differs from the parent's, in nats of a block of one word.
	price float32
	// lean is added to the log-odds of noise: below 0 prefers to keep.
	lean float32
	// power is how a block's say grows with its words: words^power.
	power float32
}

const (
	content = 0
	noise   = 1
)

// decide labels the page so that the expected F1 of what is kept, word by word, is greatest: the optimal threshold of a
// page is about half the F1 that can be had on it (Lipton, Elkan, Naryanaswamy 2014), so that it is lower where little
// is sure. It returns for each block whether it is noise, and the F1 expected.
func (d decision) decide(v *view, odds []float32) (best []bool, most float32) {
	most = -1
	weights := d.weights(v)
	for _, off := range [...]float32{-2, -1.5, -1, -.75, -.5, -.25, 0, .25, .5} {
		try := d
		try.lean += off
		noisy := try.labels(v, odds, weights)
		if f := expectedF1(v, odds, noisy); f > most {
			most, best = f, noisy
		}
	}
	return best, most
}

// expectedF1 is 2·E|kept ∩ content| / (|kept| + E|content|) in words.
func expectedF1(v *view, odds []float32, noisy []bool) float32 {
	var hit, kept, all float32
	for i, o := range odds {
		w := float32(v.blocks[i].words)
		p := w * (1 - probability(o))
		all += p
		if !noisy[i] {
			hit += p
			kept += w
		}
	}
	if kept+all == 0 {
		return 0
	}
	return 2 * hit / (kept + all)
}

// labels returns for each block whether it is noise, given the log-odds that it is.
func (d decision) labels(v *view, odds, weights []float32) []bool {
	costs := make([][2]float32, len(v.elems))
	blocks := d.blockCosts(odds, weights)
	for i := range blocks {
		d.charge(&costs[v.p.Blocks[i].Element], blocks[i])
	}
	for e := len(costs) - 1; e > 0; e-- {
		d.charge(&costs[v.p.Elements[e].Parent], costs[e])
	}
	elems := make([]uint8, len(v.elems))
	for e := range elems {
		elems[e] = cheaper(costs[e])
		if up := v.p.Elements[e].Parent; up != page.None {
			elems[e] = d.follow(costs[e], elems[up])
		}
	}
	noisy := make([]bool, len(blocks))
	for i := range noisy {
		noisy[i] = d.follow(blocks[i], elems[v.p.Blocks[i].Element]) == noise
	}
	return noisy
}

// weights returns how much each block has to say.
func (d decision) weights(v *view) []float32 {
	w := make([]float32, len(v.blocks))
	for i := range w {
		w[i] = float32(math.Pow(float64(v.blocks[i].words)+1, float64(d.power)))
	}
	return w
}

// blockCosts returns what it costs to call each block content and noise.
func (d decision) blockCosts(odds, weights []float32) [][2]float32 {
	costs := make([][2]float32, len(odds))
	for i, o := range odds {
		o = max(-8, min(o+d.lean, 8))
		plus := softplus(o)
		costs[i][content] = weights[i] * plus
		costs[i][noise] = weights[i] * (plus - o) // softplus(-o)
	}
	return costs
}

// softplus is log(1+e^x): the negative log-probability of the label that log-odds -x speak for.
func softplus(x float32) float32 { return float32(math.Log1p(math.Exp(float64(x)))) }

// charge adds a child's costs to its parent's: for each label of the parent, the cheaper of following it and paying.
func (d decision) charge(parent *[2]float32, child [2]float32) {
	parent[content] += min(child[content], child[noise]+d.price)
	parent[noise] += min(child[noise], child[content]+d.price)
}

// follow picks a child's label given its parent's.
func (d decision) follow(costs [2]float32, parent uint8) uint8 {
	if costs[1-parent]+d.price < costs[parent] {
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
