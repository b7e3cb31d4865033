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
	"fmt"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/internal/tally"
	"github.com/winnow-proxy/winnow/model/page"
)

// Name is the detector's name.
const Name = "lines"

// Detector makes models that count lines. The zero value has the default options.
type Detector struct {
	Options Options
}

// Host is the model of one host; see [model.Host] for what may run side by side.
type Host struct {
	*tally.Table
	opts Options
}

// Interface guards.
var (
	_ model.Detector = Detector{}
	_ model.Host     = (*Host)(nil)
)

// Name returns "lines".
func (Detector) Name() string { return Name }

// New returns a model that has seen no page.
func (d Detector) New(key model.Key) model.Host {
	o := d.Options.withDefaults()
	return &Host{tally.New(key, o.table()), o}
}

// Decode reads what Encode wrote.
func (d Detector) Decode(key model.Key, b []byte) (model.Host, error) {
	o := d.Options.withDefaults()
	t, err := tally.Decode(key, o.table(), b)
	if err != nil {
		return nil, err
	}
	return &Host{t, o}, nil
}

func (o Options) table() tally.Config {
	return tally.Config{
		Format:  codec.Format{What: "lines model", Magic: "wlin", Version: 1},
		HalveAt: max(o.HalveAt, 0),
		Limits:  o.Limits,
	}
}

// Observe counts the lines of the page that pass the first sieve.
func (h *Host) Observe(p *page.Page, v model.Visit) {
	if !h.Visit(v) {
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

// Merge adds what other, a *Host, has counted.
func (h *Host) Merge(other model.Host) error {
	o, ok := other.(*Host)
	if !ok {
		return fmt.Errorf("merging %T into a lines model: %w", other, model.ErrMismatch)
	}
	return h.Table.Merge(o.Table)
}

// Mark sieves the lines of the page.
func (h *Host) Mark(p *page.Page, v model.Visit) *page.Marking {
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
		verdicts[b] = h.judge(l, max(h.Count(l.hash)-own[l.hash], 0)+turn[l.hash], before)
	}
	return p.NewMarking(verdicts, h.Stats().Pages, nil)
}

// judge holds a line that has turned up count times against the pages before it.
func (h *Host) judge(l line, count, before int) page.Verdict {
	if before < h.opts.FirstPages && l.linked > h.opts.LinkShare {
		return page.Verdict{Noise: true, Score: float32(l.linked)}
	}
	limit := 1 + before/h.opts.PagesPerLine
	share := float32(limit) / float32(limit+count)
	return page.Verdict{Noise: count > limit, Score: 1 - share} // one half where they are equal
}
