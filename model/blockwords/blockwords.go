// Package blockwords finds a site's template by blocks of one style that have the same words, after Chen, Ye and Li
// 2006, "Template Detection for Large Scale Search Engines", as the slides of a survey describe it. The original system
// runs inside the indexer of a search engine.
//
// It learns from the pages of one site, as a batch or as a stream, and produces verdicts in two steps:
//
//   - The tag tree is built without layout tags (TD, TR). Blocks of all pages that agree in position and
//     attributes form a Block Style Cluster (styles.go).
//   - An inverted index has, for each word, the blocks that it stands in, each with the positions in the block as a
//     list of 32 bits (index.go). Blocks of one style cluster whose lists for a word are alike, by the bits that are
//     set in both, form a Word-Feature Cluster of the word. Where the cluster is large, the word is a template word in
//     these blocks. A block with a large share of template words is template, and noise.
//
// Where it departs from the paper, and why:
//
//   - A block is a block of [page.Page], the unit that can be taken out.
//   - The batch is the newest 32 pages of the host. A cluster is then a list of 32 bits too, one for each page with a
//     block in the cluster, and its size is a count of bits. Only the clusters of the page's own words are needed. They
//     are computed when the page is marked, so there is no fit that could be out of date.
//   - Of a page with very many words only the first and the last are kept (Options.MaxWords): the template is there.
//   - A word is a template word only in the blocks of its cluster: a word of the menu is not template in an article.
//   - The slides name no thresholds. Ours were chosen on sites that figures are not reported on; see [DefaultOptions].
//   - Keyed hashes stand for styles and words.
package blockwords

import (
	mathbits "math/bits"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/reservoir"
	"github.com/winnow-proxy/winnow/model/page"
)

// Name is the detector's name.
const Name = "blockwords"

// Detector makes models that index words by block.
type Detector = base.Detector[Options]

// Name returns "blockwords".
func (Options) Name() string { return Name }

// NewModel implements [base.Options].
func (o Options) NewModel(key model.Key) base.Model {
	o = base.OrDefault(o, DefaultOptions())
	return &host{reservoir.New(base.New(key, base.Format(Name, "wblw"), o.Limits), Window, records{}), o}
}

// host is the model of one host: the postings of its newest pages.
type host struct {
	*reservoir.Reservoir[[]posting]
	opts Options
}

// Observe stores the page's postings.
func (h *host) Observe(p *page.Page, v model.Visit) {
	h.Add(v, trimmed(index(p, &h.opts, h.Hasher()).list, h.opts.MaxWords))
}

// Mark marks blocks with enough template words as noise.
func (h *host) Mark(p *page.Page, v model.Visit) *page.Marking {
	x := index(p, &h.opts, h.Hasher())
	clusters := h.clusters(x.list, h.URL(v))
	verdicts := make([]page.Verdict, len(p.Blocks))
	for b := range verdicts {
		style, template := clusters[x.block[b]], 0
		for _, w := range x.words[b] {
			if h.isTemplate(clusters[w], style) {
				template++
			}
		}
		share := float64(template) / float64(len(x.words[b]))
		verdicts[b] = page.Verdict{Noise: share >= h.opts.TemplateShare, Score: float32(share)}
	}
	return p.NewMarking(verdicts, h.Learned.Len(), nil)
}

// cluster is a set of pages, one bit per page, the newest first. The marked page belongs to every cluster and has no
// bit.
type cluster uint32

// size is the number of blocks in the cluster, one per page, including the block of the marked page.
func (c cluster) size() int { return 1 + mathbits.OnesCount32(uint32(c)) }

// clusters returns the cluster of each posting: the other pages with a posting of the same key and like occurrences.
// own is the URL of the marked page.
func (h *host) clusters(list []posting, own uint64) []cluster {
	at := make(map[uint32]int, len(list))
	for i, p := range list {
		at[p.key] = i
	}
	clusters := make([]cluster, len(list))
	n := 0
	for kept := range h.All() {
		if kept.URL == own {
			continue
		}
		for _, p := range kept.Record {
			if i, ok := at[p.key]; ok && h.alike(p, list[i]) {
				clusters[i] |= 1 << n
			}
		}
		n++
	}
	return clusters
}

// alike reports whether two postings of one key share enough positions, or all positions of the shorter list.
func (h *host) alike(a, b posting) bool {
	need := min(h.opts.Overlap, mathbits.OnesCount32(a.occurrences), mathbits.OnesCount32(b.occurrences))
	return mathbits.OnesCount32(a.occurrences&b.occurrences) >= need
}

// isTemplate reports whether the cluster of a word is large enough relative to the cluster of its block's style.
func (h *host) isTemplate(word, style cluster) bool {
	return word.size() >= h.opts.MinPages && float64(word.size()) >= h.opts.MinShare*float64(style.size())
}
