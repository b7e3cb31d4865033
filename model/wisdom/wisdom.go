// Package wisdom finds the article blocks and the tables of contents of a page, as WISDOM does (Kao, Ho and Chen, "Web
// Intrapage Informative Structure Mining Based on Document Object Model", IEEE TKDE 17(5), 2005).
//
// It needs one page, and the more pages of the site it has learned the better it gets: how evenly a term is spread over
// them says how little the term tells. It gives parts of two kinds, [page.KindArticle] and [page.KindTOC], found in three
// steps:
//
//   - terms.go: the entropy of each term over the site's pages; ict.go: the page as an Information Coverage Tree, each
//     node with the length of its text outside links (CLEN) and inside them (ALEN), the weight of its terms and the
//     precision index of its links (API).
//   - mib.go: the search from the root for the k blocks that hold the most, and spread it evenly over their children.
//   - merge.go: blocks grow together with what belongs to the same object, a title, a date.
//
// Where this departs from the paper, of which we know formulas and algorithm from a survey's slides:
//
//   - Terms are counted in sums (package entropy) as pages pass, not over a finished crawl; hashes of those that are
//     rare go first when there are too many. A term that is not known any more counts as one of a single page, whose
//     entropy is 0: what was forgotten is what it would have said.
//   - 1/EN(term) has no value for a term of one page: entropies below Options.MinEntropy count as that.
//   - The leaves of the tree are blocks of text (package page), not text nodes: a sentence is not cut at its links.
//   - The two merging steps are known by name and purpose alone: how they work here is ours, see merge.go.
//   - The paper finds blocks and judges no noise. As a detector, all that lies in no article block is noise; on a page
//     without one, all that lies in no table of contents; and where there is neither, the page passes. So the table of
//     contents of a front page stays, and beside an article it goes, named as what it is.
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

// host is the model of one host: how the terms of its pages are spread.
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

// Observe learns the page. One without text teaches nothing.
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
		h.terms.evict(limit * 3 / 4) // so that the next page does not evict again
	}
}

// Merge adds what other has learned; see [base.Merge]. A page that both have learned weighs two pages from then on, and
// counts once in Stats.
func (h *host) Merge(other model.Host) error { return base.Merge(h, other) }

// MergeBody implements [base.State].
func (h *host) MergeBody(other *host) { h.terms.merge(&other.terms) }

// Stats describes the model.
func (h *host) Stats() model.Stats { return h.StatsOf(hostBytes + len(h.terms.sums)*termBytes) }

// Sizes in memory: a map's entry of a hash and two sums, with what is free around it.
const (
	termBytes = 32
	hostBytes = 256
)
