// Package lines finds content by the statistics of lines of text, after "行文本統計去噪網頁文本抽取方法" (web page text
// extraction with denoising by line statistics).
//
// It needs a stream of pages of one site, and gives verdicts. A page goes through two sieves:
//
//   - A text node is content when punctuation is more than none and at most p = 0.3 of its characters (extract.go).
//   - Of what is left, a line is content while LC ≤ ⌊1 + RC/L⌋: LC is how often the site's pages have shown the line,
//     this time included, RC the number of pages before this one, L = 50. So what turns up a second time is noise, from
//     page 50 on what turns up a third time, and so on. Lines with LC ≤ RC/100 are forgotten.
//
// Where it departs from the paper, and why:
//
//   - A line is a block of [page.Page], what a reader sees as one run of text. The paper splits at the line feeds of the
//     source, which say nothing on today's pages. A block is also what can be taken out: one whose text nodes differ
//     goes with the greater part of its characters.
//   - The paper reports two weaknesses. Pages with many SPAN and heading elements lose text: here all inline elements and
//     headings are taken out before text nodes are looked at, as the paper does with STRONG, FONT and P. And on the first
//     pages of a site repetition has not shown yet: there, lines that stand mostly in links are noise. [Published] is the
//     system without either.
//   - Keyed 64-bit hashes stand for lines, not MD5, which anyone could look up. A page counts once per URL. Counts are
//     halved at times, and the rarest go when the budget is used up. The paper does not say when it prunes; see
//     [Options.PruneEvery].
//   - The paper's formula keeps text without punctuation too, its reasoning takes that for navigation; we follow the
//     reasoning. [Options.Bare] is the formula.
//   - Pictures stay unless they stand among noise alone: the paper extracts text, the proxy cleans pages.
//
// The same article under a second URL is a page of repetitions to this method; it has no remedy for that.
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

// Observe counts the lines of the page that pass the first sieve.
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

// Mark sieves the lines of the page.
func (h *host) Mark(p *page.Page, v model.Visit) *page.Marking {
	own, before := map[uint64]int{}, h.Pages() // own: the occurrences on this page that are in the counts
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
	turn := map[uint64]int{} // how often the page has shown a line so far
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

// verdict holds a line that has turned up count times against the pages before it.
func (h *host) verdict(l line, count, before int) page.Verdict {
	if before < h.opts.FirstPages && l.linked > h.opts.LinkShare {
		return page.Verdict{Noise: true, Score: float32(l.linked)}
	}
	limit := 1 + before/h.opts.PagesPerLine
	share := float32(limit) / float32(limit+count)
	return page.Verdict{Noise: count > limit, Score: 1 - share} // one half where they are equal
}
