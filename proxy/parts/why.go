package parts

import (
	"cmp"
	"sort"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Reason is evidence in words, with how strongly it speaks: "strongly", "", "a little".
type Reason struct{ Words, Strength string }

// Why says what a verdict about a part rests on.
type Why struct {
	// For speaks for the verdict, Against against it; the weightiest come first, and slight ones are left out.
	For, Against []Reason
	// Elsewhere says that the evidence alone would have led to the other verdict: what was decided about the parts around
	// it, its kind or what people have set turned it.
	Elsewhere bool
}

// Bounds of the evidence that is shown: how much it weighs at least, and the number of reasons on each side.
const (
	leastWeight  = .3
	strongWeight = 1.5
	mostFor      = 3
	mostAgainst  = 2
)

// WhyOf says why a part of a page is taken for what it is. evidence is that of the page's blocks. It returns nil where
// there is none.
func WhyOf(p *page.Page, evidence [][]model.Evidence, part *Part) *Why {
	el := &p.Elements[part.Element]
	if int(el.BlockEnd) > len(evidence) {
		return nil
	}
	sums := map[string]float32{}
	var ink, total float32
	for b := el.BlockStart; b < el.BlockEnd; b++ {
		n := float32(max(1, p.BlockLen(b)))
		ink += n
		for _, e := range evidence[b] {
			sums[e.Words] += e.Weight * n
			total += e.Weight * n
		}
	}
	var w Why
	for words, sum := range sums {
		weight := sum / ink
		if !part.Gone {
			weight = -weight
		}
		switch r := (Reason{words, strength(weight)}); {
		case weight >= leastWeight:
			w.For = append(w.For, r)
		case weight <= -leastWeight:
			w.Against = append(w.Against, r)
		}
	}
	for _, list := range []*[]Reason{&w.For, &w.Against} {
		sort.Slice(*list, func(i, j int) bool {
			x, y := (*list)[i], (*list)[j]
			return cmp.Or(cmp.Compare(weightOf(sums, y), weightOf(sums, x)), cmp.Compare(x.Words, y.Words)) < 0
		})
	}
	w.For, w.Against = w.For[:min(len(w.For), mostFor)], w.Against[:min(len(w.Against), mostAgainst)]
	w.Elsewhere = part.Decided || (total > 0) != part.Gone && len(w.For) == 0
	if len(w.For)+len(w.Against) == 0 && !w.Elsewhere {
		return nil
	}
	return &w
}

func weightOf(sums map[string]float32, r Reason) float32 { return max(sums[r.Words], -sums[r.Words]) }

func strength(weight float32) string {
	switch w := max(weight, -weight); {
	case w >= strongWeight:
		return "strongly"
	case w < 2*leastWeight:
		return "a little"
	}
	return ""
}
