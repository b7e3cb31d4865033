// Package forest scores rows of features with boosted trees.
package forest

import (
	"math"
	"math/bits"
)

// Forest is an ensemble of boosted regression trees over rows of features. Its output is a log-odds.
//
// It scores 64 rows at once. A tree takes the set of all rows down from its root. Each node divides the set by its
// threshold, and branches without rows are skipped. That is QuickScorer (Lucchese et al. 2015) with rows instead of
// leaves: there a bit is a leaf, here it is a row.
type Forest struct {
	base float32
	// roots are the indices of the trees' roots in nodes.
	roots []int32
	nodes []node
}

// node is an inner node, which goes to the next node if the value of a feature is below the threshold with the index
// cut, otherwise to the node right. If cut is negative, it is a leaf, and right has the bits of its weight.
type node struct{ cut, right int32 }

// weight returns the weight of a leaf.
func (n node) weight() float32 { return math.Float32frombits(uint32(n.right)) }

// LogOdds returns the sum of the trees' results for each compared row.
func (f *Forest) LogOdds(c *Comparison) []float32 {
	odds := make([]float32, c.Rows)
	for i := range odds {
		odds[i] = f.base
	}
	var waiting [maxDepth]branch
	for _, root := range f.roots { // one tree after the other, so that its nodes stay near
		for start := 0; start < c.Rows; start += GroupSize {
			f.add(odds[start:min(c.Rows, start+GroupSize)], root, c.group(start), &waiting)
		}
	}
	return odds
}

// branch is a node with the rows that come to it.
type branch struct {
	node int32
	rows RowSet
}

// add adds a tree's results to the odds of up to 64 rows. waiting is working memory.
func (f *Forest) add(odds []float32, root int32, over []RowSet, waiting *[maxDepth]branch) {
	depth, nodes := 0, f.nodes
	at, rows := root, ^RowSet(0)>>(GroupSize-len(odds))
	for {
		n := nodes[at]
		if n.cut >= 0 {
			right := rows & over[n.cut]
			if right == rows {
				at = n.right
				continue
			}
			if right != 0 {
				waiting[depth&(maxDepth-1)] = branch{n.right, right}
				depth++
			}
			rows &^= right
			at++
			continue
		}
		weight := n.weight()
		for ; rows != 0; rows &= rows - 1 {
			odds[bits.TrailingZeros64(rows)] += weight
		}
		if depth == 0 {
			return
		}
		depth--
		next := waiting[depth&(maxDepth-1)]
		at, rows = next.node, next.rows
	}
}

// Probability turns a log-odds into a probability.
func Probability(logOdds float32) float32 { return float32(1 / (1 + math.Exp(-float64(logOdds)))) }

// maxDepth is the most steps from the root of a tree to a leaf.
const maxDepth = 16

// Probabilities turns log-odds into probabilities.
func Probabilities(odds []float32) []float32 {
	out := make([]float32, len(odds))
	for i, o := range odds {
		out[i] = Probability(o)
	}
	return out
}
