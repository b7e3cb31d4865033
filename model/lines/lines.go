// Package lines finds content by the statistics of lines of text, after "行文本統計去噪網頁文本抽取方法" (web page text
// extraction with denoising by line statistics).
//
// It learns from a stream of pages of one site and gives verdicts. A page goes through two filters:
//
//   - A text node is content when punctuation is more than none and at most p = 0.3 of its characters (extract.go).
//   - Of what is left, a line is content while LC ≤ ⌊1 + RC/L⌋: LC is how often the site's pages have shown the line,
//     this time included, RC is the number of pages before this one, and L = 50. So a line is noise when it occurs a
//     second time, from page 50 on when it occurs a third time, and so on. Lines with LC ≤ RC/100 are forgotten.
//
// Where it departs from the paper, and why:
//
//   - A line is a block of [page.Page], which a reader sees as one run of text. The paper splits at the line feeds of
//     the source, which mean nothing on today's pages. A block is also the unit that can be taken out. Where its text
//     nodes differ, the greater part of its characters decides.
//   - The paper reports two weaknesses. Pages with many SPAN and heading elements lose text: here all inline elements
//     and headings are removed before text nodes are formed, as the paper does with STRONG, FONT and P. And the first
//     pages of a site do not show yet what it repeats: there, lines that stand mostly in links are noise. [Published]
//     is the system without these two additions.
//   - Keyed 64-bit hashes stand for lines. The paper uses MD5, which anyone could look up. A page counts once per URL.
//     Counts are halved from time to time, and the rarest lines are evicted when the budget is used up. The paper does
//     not say when it prunes; see [Options.PruneEvery].
//   - The paper's formula keeps text without punctuation, but its reasoning calls such text navigation. We follow the
//     reasoning. [Options.Bare] follows the formula.
//   - A picture stays unless only noise stands around it: the paper extracts text, the proxy cleans pages.
//
// This method takes the same article under a second URL for repetition. The paper has no remedy.
package lines

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/tally"
	"github.com/winnow-proxy/winnow/model/page"
)

// Name is the detector's name.
const Name = "lines"

// Detector makes models that count lines.
type Detector = base.Detector[Options]

// Name returns "lines".
func (Options) Name() string { return Name }

// NewModel implements [base.Options].
func (o Options) NewModel(key model.Key) base.Model {
	o = base.OrDefault(o, DefaultOptions())
	return &host{tally.New(base.New(key, base.Format(Name, "wlin"), o.Limits), o.HalveAt), o}
}

// host is the model of one host: a count for each line.
type host struct {
	*tally.Table
	opts Options
}

// Observe counts the lines of the page that pass the first filter.
func (h *host) Observe(p *page.Page, v model.Visit) {
	if !h.Admit(v) {
		return
	}
	for _, l := range h.extract(p) {
		if l.content {
			h.Add(l.hash, 1)
		}
	}
	if h.Pages()%h.opts.PruneEvery == 0 {
		h.Prune(h.Pages() / h.opts.Rare)
	}
	h.Settle()
}

// Mark filters the lines of the page.
func (h *host) Mark(p *page.Page, v model.Visit) *page.Marking {
	own, before := map[uint64]int{}, h.Pages() // own: the counted occurrences of this page
	lines := h.extract(p)
	if h.Knows(v) {
		before = max(before-1, 0)
		for _, l := range lines {
			if l.content {
				own[l.hash]++
			}
		}
	}
	verdicts := make([]page.Verdict, len(lines))
	turn := map[uint64]int{} // how often the line has occurred on the page so far
	for b, l := range lines {
		if !l.content {
			verdicts[b] = page.Verdict{Noise: true, Score: 1}
			continue
		}
		turn[l.hash]++
		verdicts[b] = h.verdict(l, max(h.Count(l.hash)-own[l.hash], 0)+turn[l.hash], before)
	}
	return p.NewMarking(verdicts, h.Learned.Len(), nil)
}

// verdict compares how often a line has occurred with the number of pages before this one.
func (h *host) verdict(l line, count, before int) page.Verdict {
	if before < h.opts.FirstPages && l.linked > h.opts.LinkShare {
		return page.Verdict{Noise: true, Score: float32(l.linked)}
	}
	limit := 1 + before/h.opts.PagesPerLine
	share := float32(limit) / float32(limit+count)
	return page.Verdict{Noise: count > limit, Score: 1 - share} // one half where they are equal
}
