package features

import (
	"math"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
)

// A block alone does not tell what kind of page it is on: whether that sells one product or lists many, whether it has
// an article beside its menus or menus alone. The means of features over all blocks do. They are for the full forest:
// what a list of products is on a page depends on them, and the page forest learned hosts by heart with them.

// sums are of the features of a page.
type sums struct {
	// weights has the sum of the weights of the blocks before each block, and at its end that of all.
	weights []float64
	// values are the weighted sums of the averaged features.
	values []float64
}

// averaged are the groups of features whose means are features, too.
func averaged() []string {
	return []string{"text", "shape", "name", "leaning", "section", "kin", "list0", "label", "like"}
}

// sumUp has the averaged groups sum up their values, and returns the group of their means.
func sumUp(groups []forest.Group[*Input]) forest.Group[*Evidence] {
	means := forest.Group[*Evidence]{Fill: (*Evidence).meansRow, Part: wholePage}
	for n := range groups {
		g := &groups[n]
		if name, _, _ := strings.Cut(g.Names[0], "."); !slices.Contains(averaged(), name) {
			continue
		}
		first := len(means.Names)
		g.Add = func(v *Input, values []float32, from, to int) {
			w := v.sums.weights[to] - v.sums.weights[from]
			for k, x := range values {
				v.sums.values[first+k] += w * float64(x)
			}
		}
		for _, name := range g.Names {
			means.Names = append(means.Names, "mean."+name)
		}
	}
	return means
}

// StartSums makes ready for the features of all blocks. A long text weighs more than a short one, but a menu of fifty
// links more than a single link.
func (v *Input) StartSums() {
	v.sums.weights = append(make([]float64, 0, len(v.Blocks)+1), 0)
	for i := range v.Blocks {
		v.sums.weights = append(v.sums.weights, v.sums.weights[i]+math.Sqrt(float64(v.Blocks[i].Words)+2))
	}
	host := All().Host
	v.sums.values = make([]float64, len(host[len(host)-1].Names))
}

// Means returns the means of the averaged features over all blocks, whose features have been computed.
func (v *Input) Means() []float32 {
	means := make([]float32, len(v.sums.values))
	for k, sum := range v.sums.values {
		means[k] = float32(sum / v.sums.weights[len(v.Blocks)])
	}
	return means
}

func (ev *Evidence) meansRow(row []float32, _ int) []float32 { return append(row, ev.means...) }
