package forest

import (
	"math"
	"slices"
	"sync"
)

// Trees ask whether a feature of a row is below a threshold, and most trees ask about the same few thresholds. So each
// threshold is compared with all rows before any tree runs, and for all forests at once.

// CutTable has the thresholds of all forests.
type CutTable struct {
	// cuts are the ranks of the thresholds of each feature in ascending order. Those of feature f are from first[f] to
	// first[f+1].
	cuts  []int32
	first []int32
	// maxCuts is the greatest number of thresholds of a feature.
	maxCuts int
	// released has comparisons for reuse.
	released sync.Pool
}

// NewCutTable collects the thresholds of forests over rows of the given width.
func NewCutTable(width int, forests ...EncodedForest) *CutTable {
	byFeature := make([][]int32, width)
	for _, f := range forests {
		for _, t := range f.trees {
			for i := range t.size() {
				if feature, _, _, threshold := t.node(i); feature >= 0 {
					byFeature[feature] = append(byFeature[feature], rankOf(threshold))
				}
			}
		}
	}
	t := &CutTable{first: make([]int32, width+1)}
	for feature, cuts := range byFeature {
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		t.cuts, t.maxCuts = append(t.cuts, cuts...), max(t.maxCuts, len(cuts))
		t.first[feature+1] = int32(len(t.cuts))
	}
	return t
}

// index returns the index of a threshold.
func (t *CutTable) index(feature int, threshold float32) int32 {
	i, _ := slices.BinarySearch(t.cuts[t.first[feature]:t.first[feature+1]], rankOf(threshold))
	return t.first[feature] + int32(i)
}

// Grow makes a forest from an encoded one whose thresholds are in the table.
func (t *CutTable) Grow(e EncodedForest) *Forest {
	f := &Forest{base: e.base}
	for _, tree := range e.trees {
		f.roots = append(f.roots, int32(len(f.nodes)))
		t.plant(f, tree, 0)
	}
	return f
}

// plant adds the i-th node of a tree and all below it. The left child follows its parent.
func (t *CutTable) plant(f *Forest, tree encodedTree, i int) {
	feature, left, right, value := tree.node(i)
	if feature < 0 {
		f.nodes = append(f.nodes, node{-1, int32(math.Float32bits(value))})
		return
	}
	at := len(f.nodes)
	f.nodes = append(f.nodes, node{cut: t.index(feature, value)})
	t.plant(f, tree, left)
	f.nodes[at].right = int32(len(f.nodes))
	t.plant(f, tree, right)
}
