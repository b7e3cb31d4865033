// Package wisdom finds the article blocks and the tables of contents of a page, as WISDOM does (Kao, Ho and Chen, "Web
// Intrapage Informative Structure Mining Based on Document Object Model", IEEE TKDE 17(5), 2005).
//
// It works on one page, and better the more pages of the site it has learned: a term that is spread evenly over the
// pages carries little information. It returns parts of two kinds, [page.KindArticle] and [page.KindTOC], in three
// steps:
//
//   - terms.go: the entropy of each term over the site's pages; ict.go: the page as an Information Coverage Tree, each
//     node with the length of its text outside links (CLEN) and inside them (ALEN), the weight of its terms and the
//     precision index of its links (API).
//   - mib.go: the search from the root for the k blocks that hold the most, and spread it evenly over their children.
//   - merge.go: a block is merged with other blocks of the same object, such as a title or a date.
//
// We know the paper's formulas and algorithm from the slides of a survey. Where this departs from them:
//
//   - Terms are counted in sums (package entropy) as pages pass, not over a finished crawl. When there are too many,
//     the rarest are evicted. An evicted term counts as a term of a single page, whose entropy is 0. That is close to
//     its entropy before, because it was rare.
//   - 1/EN(term) has no value for a term of one page: entropies below Options.MinEntropy count as Options.MinEntropy.
//   - The leaves of the tree are blocks of text (package page), not text nodes: a sentence is not cut at its links.
//   - The slides give only name and purpose of the two merging steps. How they work here is ours, see merge.go.
//   - The paper finds blocks and does not define noise. Here everything outside the article blocks is noise. On a page
//     without an article block, everything outside the tables of contents is noise, and a page with neither passes
//     unchanged. So the table of contents of a front page stays. Beside an article it is noise, marked with its kind.
package wisdom

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/page"
)

// Name is the detector's name.
const Name = "wisdom"

// Detector makes models of the terms of sites.
type Detector = base.Detector[Options]

// Name returns "wisdom".
func (Options) Name() string { return Name }

// NewModel implements [base.Options].
func (o Options) NewModel(key model.Key) base.Model { return newHost(key, o) }

// host is the model of one host: the distribution of terms over its pages.
type host struct {
	base.Base
	opts  Options
	terms terms
}

func newHost(key model.Key, o Options) *host {
	o = base.OrDefault(o, DefaultOptions())
	return &host{base.New(key, base.Format(Name, "wwis"), o.Limits), o, newTerms()}
}

// State implements [base.State].
func (h *host) State() *host { return h }

// Observe learns the page. It ignores a page without text.
func (h *host) Observe(p *page.Page, v model.Visit) {
	if len(p.Blocks) == 0 || !h.Admit(v) {
		return
	}
	h.terms.add(readTerms(p, h.Hasher()).counts)
	h.Settle()
}

// Settle implements [base.State].
func (h *host) Settle() {
	for h.opts.DecayEvery > 0 && h.terms.pages.Float() >= 2*float64(h.opts.DecayEvery) {
		h.terms.halve()
	}
	if limit := h.opts.Limits.Memory * 7 / 8 / termBytes; len(h.terms.sums) > limit {
		h.terms.evict(limit * 3 / 4) // leave room, so that the next page does not evict again
	}
}

// Merge adds what other has learned; see [base.Merge] and [base.Overlap].
func (h *host) Merge(other model.Host) error { return base.Merge(h, other) }

// MergeBody implements [base.State].
func (h *host) MergeBody(other *host, pages base.Overlap) {
	switch pages {
	case base.Known:
		return
	case base.Covered:
		h.terms = newTerms()
	case base.Partial:
	}
	h.terms.merge(&other.terms)
}

// Stats describes the model.
func (h *host) Stats() model.Stats { return h.StatsOf(hostBytes + len(h.terms.sums)*termBytes) }

// Sizes in memory: a map entry of a hash and two sums, with the free space around it.
const (
	termBytes = 32
	hostBytes = 256
)
