package blend

import (
	"slices"
	"sort"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Explain implements model.Explainer. Each step of a row down a tree changes what the tree is expected to answer; the
// change is put down to the feature that the step asks about (Saabas 2014, "Interpreting random forests"), and features
// are summed up by what they mean to people. Weights do not say how many rows went each way, so that both ways count
// alike, as for Banzhaf values (Karczmarz et al. 2022).
func (h *Host) Explain(p *page.Page, visit model.Visit) [][]model.Evidence {
	if len(p.Blocks) == 0 || h.d.w.page == nil {
		return nil
	}
	read := h.readOf(p, visit)
	j := h.weigh(read, h.tree.KnowsReading(read.tree, visit))
	defer j.release()
	aspects := aspects()
	weights := newAttribution(h.d.w.cuts, j.comparison.rows, len(aspects))
	weights.add(h.d.w.page, j.comparison)
	if full := h.d.w.full; full != nil {
		j.compareHost()
		weights.add(full, j.comparison)
	}
	out := make([][]model.Evidence, len(p.Blocks))
	for i := range out {
		for a, w := range weights.row(i) {
			if w != 0 {
				out[i] = append(out[i], model.Evidence{Name: aspects[a].name, Words: aspects[a].words, Weight: w})
			}
		}
		sort.SliceStable(out[i], func(a, b int) bool { return magnitude(out[i][a].Weight) > magnitude(out[i][b].Weight) })
	}
	return out
}

func magnitude(x float32) float32 { return max(x, -x) }

// attribution sums up what forests owe to each aspect, row by row.
type attribution struct {
	// aspectOf is the aspect of the feature that each threshold belongs to.
	aspectOf []int
	aspects  int
	sums     []float32
	// bias is the part of the answer that is the same for all rows.
	bias float32
}

func newAttribution(cuts *cutTable, rows, aspects int) *attribution {
	a := &attribution{aspectOf: make([]int, len(cuts.cuts)), aspects: aspects, sums: make([]float32, rows*aspects)}
	_, names := FeatureNames()
	for feature, name := range names {
		of := aspectOf(name)
		for cut := cuts.first[feature]; cut < cuts.first[feature+1]; cut++ {
			a.aspectOf[cut] = of
		}
	}
	return a
}

// row returns the sums of a row by aspect.
func (a *attribution) row(i int) []float32 { return a.sums[i*a.aspects : (i+1)*a.aspects] }

// add adds what a forest says of the rows that were compared.
func (a *attribution) add(f *forest, c *comparison) {
	expected := make([]float32, len(f.nodes)) // children come after their parents
	for i, n := range slices.Backward(f.nodes) {
		if n.cut < 0 {
			expected[i] = n.weight()
		} else {
			expected[i] = (expected[i+1] + expected[n.right]) / 2
		}
	}
	a.bias += f.base
	for _, root := range f.roots {
		a.bias += expected[root]
	}
	for i := range c.rows {
		over, bit, sums := c.group(i/together*together), rowSet(1)<<(i%together), a.row(i)
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

// aspect is what several features mean to people.
type aspect struct{ name, words string }

// The aspects, in the order of aspects.
const (
	aspectLinks = iota
	aspectProse
	aspectWording
	aspectNames
	aspectPosition
	aspectSeries
	aspectPart
	aspectNeighbours
	aspectHeading
	aspectMain
	aspectLabel
	aspectPage
	aspectRepeats
	aspectHistory
	aspectTree
	aspectAround
)

func aspects() []aspect {
	return []aspect{
		{"links", "links"}, {"prose", "running text"}, {"wording", "wording"}, {"names", "class names and labels"}, {"position", "position on the page"},
		{"series", "similar parts"}, {"part", "the section around it"}, {"neighbours", "neighbours"}, {"heading", "the heading above"},
		{"main", "distance from the main text"}, {"label", "label and value"}, {"page", "the page as a whole"},
		{"repeats", "repetition on other pages"}, {"history", "what other pages have in its place"}, {"style-tree", "the site’s style tree"},
		{"around", "what is thought of the parts around it"},
	}
}

// aspectOf returns the aspect of a feature by its name.
func aspectOf(feature string) int {
	group, column, _ := strings.Cut(feature, ".")
	group = strings.TrimRight(group, "0123456789")
	switch column {
	case "links", "linked", "linkkind", "linktwins", "anchorlen":
		return aspectLinks
	case "twins", "maskedtwins", "alike":
		return aspectSeries
	case "prose", "perblock", "wordsperblock":
		return aspectProse
	}
	switch group {
	case "text":
		switch column {
		case "digits", "upper", "intitle", "leaning", "phrase":
			return aspectWording
		}
		return aspectProse
	case "region":
		if strings.HasPrefix(column, "place.") || strings.HasPrefix(column, "spot.") {
			return aspectHistory
		}
		return aspectRepeats
	}
	of, ok := map[string]int{"shape": aspectWording, "name": aspectNames, "leaning": aspectNames, "position": aspectPosition, "level": aspectPart,
		"near": aspectNeighbours, "section": aspectHeading, "kin": aspectSeries, "list": aspectSeries, "main": aspectMain, "learned": aspectMain,
		"mass": aspectMain, "label": aspectLabel, "labelled": aspectLabel, "page": aspectPage, "host": aspectPage, "convention": aspectPage,
		"repeat": aspectRepeats, "place": aspectHistory, "tree": aspectTree, "score": aspectAround, "around": aspectAround,
		"listed": aspectAround, "kindred": aspectAround, "underneath": aspectAround}[group]
	if !ok {
		panic("feature " + feature + " has no aspect") // a test asks for all of them
	}
	return of
}
