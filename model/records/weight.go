package records

import (
	"math"
	"slices"
	"sort"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/page"
)

// Find returns the lists of records of p, the most important first; among equals, the first in the page. Regions are
// disjoint. A part's weight is its importance (coverage × similarity × diversity) as a share of the sum over all.
func Find(p *page.Page, o Options) []page.Part {
	o = base.OrDefault(o, DefaultOptions())
	if len(p.Blocks) == 0 {
		return nil
	}
	f := findRegions(p, &o)
	parts := make([]page.Part, 0, len(f.regions))
	importances, sum := make([]float64, len(f.regions)), 0.0
	for i, r := range f.regions {
		importances[i] = f.coverage(r) * r.similarity() * f.diversity(r)
		sum += importances[i]
	}
	for i, r := range f.regions {
		part := page.Part{Kind: page.KindRecords, Extent: p.Siblings(r.nodes[0], r.nodes[len(r.nodes)-1])}
		if sum > 0 {
			part.Weight = float32(importances[i] / sum)
		}
		for at := range slices.Chunk(r.nodes, r.size) {
			part.Records = append(part.Records, p.Siblings(at[0], at[len(at)-1]))
		}
		parts = append(parts, part)
	}
	sort.SliceStable(parts, func(i, j int) bool {
		a, b := &parts[i], &parts[j]
		return a.Weight > b.Weight || a.Weight == b.Weight && a.First < b.First
	})
	return parts
}

// coverage is the share of the parent's area that the group takes.
func (f *finder) coverage(r region) float64 {
	return f.areas.of(f.p, r.nodes) / max(f.areas.of(f.p, []page.ElementID{r.parent}), 1)
}

// similarity is RPgroup = 1 − (Σ e_i)/m over the m pairs of neighbours.
func (r region) similarity() float64 {
	sum := 0.0
	for _, e := range r.distances {
		sum += e
	}
	return 1 - sum/float64(len(r.distances))
}

// diversity is (Σ W_RP)/n over the n records of the group.
func (f *finder) diversity(r region) float64 {
	sum := 0.0
	for record := range slices.Chunk(r.nodes, r.size) {
		sum += styleWeight(f.itemStyles(record))
	}
	return sum / float64(len(r.nodes)/r.size)
}

// itemStyles counts how often each item style occurs in a record. A style is the hashed path of tags from a leaf up to
// the record's root.
func (f *finder) itemStyles(record []page.ElementID) map[uint64]int {
	styles := map[uint64]int{}
	first, end := record[0], f.p.Elements[record[len(record)-1]].Sub
	paths := make([]uint64, end-first)
	for e := first; e < end; e++ {
		if f.levels[e] == 0 {
			continue
		}
		path := uint64(0)
		if up := f.p.Elements[e].Parent; up >= first {
			path = paths[up-first]
		}
		path = (path ^ uint64(f.tags[f.at[e]])) * 0x100000001b3 // FNV-1a over tags instead of bytes
		if paths[e-first] = path; f.levels[e] == 1 {
			styles[path]++
		}
	}
	return styles
}

// styleWeight is W_RP = Σ_j (1 − EN(IS_j)) over the m items of a record. In EN(IS_i) = −Σ_j w_ij·log_m w_ij only the
// n_i items of i's own style count, w_ij = 1/n_i each, so EN(IS_i) is log_m n_i: 0 for what stands in the record once,
// 1 where all is of one style. A single item weighs 1.
func styleWeight(styles map[uint64]int) float64 {
	m := 0
	for _, n := range styles {
		m += n
	}
	if m == 1 {
		return 1
	}
	counts := make([]int, 0, len(styles))
	for _, n := range styles {
		counts = append(counts, n)
	}
	slices.Sort(counts) // sums of floats depend on the order, and a map has none
	w := 0.0
	for _, n := range counts {
		w += float64(n) * (1 - math.Log(float64(n))/math.Log(float64(m)))
	}
	return w
}

// areas has the area of each part of the page: the characters of its visible text without white space, and its
// pictures.
type areas struct {
	// ink[t] and pictures[e] are the areas before text t and element e.
	ink, pictures []int
}

func newAreas(p *page.Page, picture int) areas {
	a := areas{make([]int, len(p.Texts)+1), make([]int, len(p.Elements)+1)}
	for i, t := range p.Texts {
		a.ink[i+1] = a.ink[i]
		if t.Block != page.None {
			a.ink[i+1] += page.Ink(t.Data)
		}
	}
	for e := range p.Elements {
		a.pictures[e+1] = a.pictures[e]
		if p.Elements[e].Tag == atom.Img {
			a.pictures[e+1] += picture
		}
	}
	return a
}

// of returns the area of adjacent siblings and everything between them.
func (a areas) of(p *page.Page, siblings []page.ElementID) float64 {
	first, last := siblings[0], siblings[len(siblings)-1]
	text := a.ink[p.Elements[last].TextEnd] - a.ink[p.Elements[first].TextStart]
	return float64(text + a.pictures[p.Elements[last].Sub] - a.pictures[first])
}
