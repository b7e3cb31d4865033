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
	"fmt"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/seen"
	"github.com/winnow-proxy/winnow/model/page"
)

// Name is the detector's name.
const Name = "wisdom"

// Detector makes models of this kind. The zero value has the default options.
type Detector struct {
	Options Options
}

// Interface guards.
var (
	_ model.Detector = Detector{}
	_ model.Host     = (*Host)(nil)
)

// Name returns "wisdom".
func (Detector) Name() string { return Name }

// New returns a model that has seen no page.
func (d Detector) New(key model.Key) model.Host { return newHost(key, d.Options) }

// Host is the model of one host: which pages it has learned and how their terms are spread. Observe and Merge need it
// alone, the rest may run side by side.
type Host struct {
	key  model.Key
	hash model.Hasher
	opts Options

	terms   terms
	learned seen.Pages
}

func newHost(key model.Key, o Options) *Host {
	o = o.withDefaults()
	return &Host{key: key, hash: key.Hasher(), opts: o, terms: newTerms(), learned: seen.NewPages(o.Limits.Memory)}
}

// Observe learns the page. One without text teaches nothing.
func (h *Host) Observe(p *page.Page, v model.Visit) {
	if len(p.Blocks) == 0 {
		return
	}
	h.learned.Saw(v.At)
	if !h.learned.Add(h.hash.String(v.URL)) {
		return
	}
	h.terms.add(readTerms(p, h.hash).counts)
	h.settle()
}

// settle brings the model back to its rules: decay, budget.
func (h *Host) settle() {
	for h.opts.DecayEvery > 0 && h.terms.pages.Float() >= 2*float64(h.opts.DecayEvery) {
		h.terms.halve()
	}
	if limit := h.opts.Limits.Memory * 7 / 8 / termBytes; len(h.terms.sums) > limit {
		h.terms.evict(limit * 3 / 4) // so that the next page does not evict again
	}
}

// Merge adds what other, a *Host of the same key, has learned. A page that both have learned weighs two pages from then
// on, and counts once in Stats.
func (h *Host) Merge(other model.Host) error {
	o, ok := other.(*Host)
	if !ok {
		return fmt.Errorf("merging %T into a wisdom model: %w", other, model.ErrMismatch)
	}
	if o.key != h.key {
		return fmt.Errorf("merging wisdom models: %w", model.ErrMismatch)
	}
	h.terms.merge(&o.terms)
	h.learned.Merge(&o.learned)
	h.settle()
	return nil
}

// Stats describes the model.
func (h *Host) Stats() model.Stats {
	return model.Stats{
		Pages:    h.learned.Len(),
		Bytes:    hostBytes + len(h.terms.sums)*termBytes + h.learned.Bytes(),
		LastSeen: h.learned.Last(),
	}
}

// Sizes in memory: a map's entry of a hash and two sums, with what is free around it.
const (
	termBytes = 32
	hostBytes = 256
)
