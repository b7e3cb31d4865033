package blend

import (
	"sort"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
	"github.com/winnow-proxy/winnow/model/page"
)

// Explain implements model.Explainer. Each step of a row down a tree changes what the tree is expected to answer; the
// change is put down to the feature that the step asks about (Saabas 2014, "Interpreting random forests"), and features
// are summed up by what they mean to people. Weights do not say how many rows went each way, so that both ways count
// alike, as for Banzhaf values (Karczmarz et al. 2022).
func (h *Host) Explain(p *page.Page, visit model.Visit) [][]model.Evidence {
	if len(p.Blocks) == 0 || h.d.w.Page == nil {
		return nil
	}
	read := h.read(p, visit)
	j := h.weigh(read, h.tree.KnowsReading(read.tree, visit))
	defer j.Release()
	aspects := features.Aspects()
	weights := forest.NewAttribution(h.d.w.Cuts, j.Comparison.Rows, len(aspects), features.AspectsOfFeatures())
	weights.Add(h.d.w.Page, j.Comparison)
	if full := h.d.w.Full; full != nil {
		j.CompareHost()
		weights.Add(full, j.Comparison)
	}
	out := make([][]model.Evidence, len(p.Blocks))
	for i := range out {
		for a, w := range weights.Row(i) {
			if w != 0 {
				out[i] = append(out[i], model.Evidence{Name: aspects[a].Name, Words: aspects[a].Words, Weight: w})
			}
		}
		sort.SliceStable(out[i], func(a, b int) bool { return magnitude(out[i][a].Weight) > magnitude(out[i][b].Weight) })
	}
	return out
}

func magnitude(x float32) float32 { return max(x, -x) }
