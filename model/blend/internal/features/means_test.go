package features

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

// The means are over all blocks, also where neighbours share the values of a part, and beyond the first 64 blocks.
func TestMeansAreOverAllBlocks(t *testing.T) {
	v := viewtest.ViewOf(t, viewtest.SitePage(3)+strings.Repeat(`<ul class=menu><li><a href="/a">A</a><li>$ 3.00</ul><p>Longer text, and more of it.`, 40))
	in := &Input{Page: v}
	in.StartSums()
	c := forest.NewCutTable(len(All().Names[0])).NewComparison(len(v.Blocks))
	FindStarts(c, v)
	for n := range All().Page {
		All().Page[n].Compare(c, in)
	}
	got, names := in.Means(), All().Host[len(All().Host)-1].Names
	if len(got) != len(names) || len(v.Blocks) <= 2*forest.GroupSize {
		t.Fatalf("%d means of %d features over %d blocks", len(got), len(names), len(v.Blocks))
	}
	varied := 0
	for k, name := range names {
		column := slices.Index(All().Names[0], strings.TrimPrefix(name, "mean."))
		var sum, weights float64
		for i := range v.Blocks {
			w := math.Sqrt(float64(v.Blocks[i].Words) + 2)
			sum, weights = sum+w*float64(in.PageRow(i)[column]), weights+w
		}
		if want := sum / weights; math.Abs(want-float64(got[k])) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("%s is %v, want %v", name, got[k], want)
		}
		if got[k] != in.PageRow(0)[column] {
			varied++
		}
	}
	if varied < len(names)/3 {
		t.Errorf("only %d means differ from the values of the first block", varied)
	}
}
