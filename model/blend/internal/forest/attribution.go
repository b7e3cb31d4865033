package forest

import (
	"slices"
)

// Attribution sums up what forests owe to each aspect, row by row.
type Attribution struct {
	// aspectOf is the aspect of the feature that each threshold belongs to.
	aspectOf []int
	aspects  int
	sums     []float32
	// Bias is the part of the answer that is the same for all rows.
	Bias float32
}

// NewAttribution returns one for the given number of rows. aspectOf is the aspect of each feature.
func NewAttribution(cuts *CutTable, rows, aspects int, aspectOf []int) *Attribution {
	a := &Attribution{aspectOf: make([]int, len(cuts.cuts)), aspects: aspects, sums: make([]float32, rows*aspects)}
	for feature, of := range aspectOf {
		for cut := cuts.first[feature]; cut < cuts.first[feature+1]; cut++ {
			a.aspectOf[cut] = of
		}
	}
	return a
}

// Row returns the sums of a row by aspect.
func (a *Attribution) Row(i int) []float32 { return a.sums[i*a.aspects : (i+1)*a.aspects] }

// Add adds what a forest says of the rows that were compared.
func (a *Attribution) Add(f *Forest, c *Comparison) {
	expected := make([]float32, len(f.nodes)) // children come after their parents
	for i, n := range slices.Backward(f.nodes) {
		if n.cut < 0 {
			expected[i] = n.weight()
		} else {
			expected[i] = (expected[i+1] + expected[n.right]) / 2
		}
	}
	a.Bias += f.base
	for _, root := range f.roots {
		a.Bias += expected[root]
	}
	for i := range c.Rows {
		over, bit, sums := c.group(i/GroupSize*GroupSize), RowSet(1)<<(i%GroupSize), a.Row(i)
		for _, root := range f.roots {
			for at := root; f.nodes[at].cut >= 0; {
				n := &f.nodes[at]
				next := at + 1
				if over[n.cut]&bit != 0 {
					next = n.right
				}
				sums[a.aspectOf[n.cut]] += expected[next] - expected[at]
				at = next
			}
		}
	}
}
