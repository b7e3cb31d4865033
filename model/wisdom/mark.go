package wisdom

import (
	"slices"
	"sort"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Mark finds the page's article blocks and tables of contents. Noise follows from them; see the package comment. A
// block's score is the mean entropy of its words, mapped to the lower half of [0,1] for content and to the upper half
// for noise (ours).
func (h *host) Mark(p *page.Page, v model.Visit) *page.Marking {
	t := readTerms(p, h.Hasher())
	en := h.terms.entropies(t.counts, h.Knows(v))
	c := newCoverage(p, t, en, &h.opts)
	articles, tocs := c.parts(articles()), c.parts(tocs())
	content := articles
	if len(content) == 0 {
		content = tocs
	}
	m := p.NewMarking(verdicts(t, en, content), h.Learned.Len(), nil)
	for i := range m.Marks {
		if m.Marks[i].Kind == page.KindOther && within(m.Marks[i], tocs) {
			m.Marks[i].Kind = page.KindTOC
		}
	}
	m.Parts = slices.Concat(articles, tocs)
	return m
}

// parts returns the blocks of a class as parts, those with the most of its feature first.
func (c *coverage) parts(cl class) []page.Part {
	total := cl.feature(c.features(c.root()))
	var parts []page.Part
	for _, r := range c.blocks(cl) {
		share := cl.feature(c.features(node{from: r.from, to: r.to})) / total
		parts = append(parts, page.Part{Extent: c.extent(r), Kind: cl.kind, Weight: float32(share)})
	}
	sort.SliceStable(parts, func(i, j int) bool { return parts[i].Weight > parts[j].Weight })
	return parts
}

// verdicts marks each block outside the parts as noise.
func verdicts(t *pageTerms, en map[term]float64, content []page.Part) []page.Verdict {
	v := make([]page.Verdict, len(t.words))
	for b := range v {
		sum := 0.0
		for _, w := range t.words[b] {
			sum += en[w]
		}
		v[b] = page.Verdict{Noise: true, Score: 0.5 + 0.5*float32(sum/float64(max(len(t.words[b]), 1)))}
	}
	for _, part := range content {
		for b := part.BlockStart; b < part.BlockEnd; b++ {
			v[b] = page.Verdict{Score: v[b].Score - 0.5}
		}
	}
	return v
}

// within reports whether the mark is inside one of the parts.
func within(m page.Mark, parts []page.Part) bool {
	return slices.ContainsFunc(parts, func(part page.Part) bool {
		return part.BlockStart <= m.BlockStart && m.BlockEnd <= part.BlockEnd
	})
}
