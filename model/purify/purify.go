// Package purify keeps the paragraphs and tables that a site does not repeat, after Sun and Zhang 2011, "一种新的用于数据挖掘工具的
// 网页净化算法" (a new algorithm of web page purification for data mining tools).
//
// It learns from the pages of one site, as a batch or as a stream, and produces verdicts. TITLE stays. A P or a TABLE
// stays iff NodeIMP(E) = 1 − log_m P > β, where P of m pages have the same content, and β = 0.75. Everything else is
// noise, including headings, lists and text in other elements. This is the paper's rule, and it costs content on
// today's pages.
//
// Where it departs from the paper, and why:
//
//   - On a stream, m and P count the pages so far and the page itself. They come from a bounded table, and are exact as
//     long as nothing is evicted or halved. The counts are all that the method needs, so the model keeps no pages.
//   - The paper takes nested tables apart, and says that paragraphs do not nest. It does not mention paragraphs in
//     tables. Here they are taken apart too, so that a text or picture belongs to the innermost P or TABLE around it,
//     and counts once.
//   - For a single page log_m is not defined: everything in a P or TABLE stays.
//   - Content is a keyed hash of a node's text and the addresses of its pictures. A page counts once per URL. Counts
//     are halved from time to time, and the rarest contents are evicted when the budget is used up.
package purify

import (
	"math"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/tally"
	"github.com/winnow-proxy/winnow/model/page"
)

// Name is the detector's name.
const Name = "purify"

// Options are the constants of the published system and those of its online form. The zero value of a field means its
// default. Comments marked (ours) describe what is not in the paper.
type Options struct {
	// Beta is β: a node stays when its importance is above it. In (0,1). The paper: 0.75, the best of 0.65, 0.75 and
	// 0.85.
	Beta float64
	// HalveAt is the number of pages at which m and all P are halved, so that old evidence loses weight. Negative:
	// never. (ours)
	HalveAt int
	// Limits are the hard budgets of one model. (ours)
	Limits model.Limits
}

// DefaultOptions returns the paper's values, and ours where the paper gives none.
func DefaultOptions() Options {
	return Options{Beta: 0.75, HalveAt: 1000, Limits: model.DefaultLimits()}
}

// Detector makes models that count contents.
type Detector = base.Detector[Options]

// Name returns "purify".
func (Options) Name() string { return Name }

// NewModel implements [base.Options].
func (o Options) NewModel(key model.Key) base.Model {
	o = base.OrDefault(o, DefaultOptions())
	return &host{tally.New(base.New(key, base.Format(Name, "wpur"), o.Limits), o.HalveAt), o}
}

// host is the model of one host: for each content, the number of pages that have it.
type host struct {
	*tally.Table
	opts Options
}

// Observe counts each content of the page once.
func (h *host) Observe(p *page.Page, v model.Visit) {
	if !h.Admit(v) {
		return
	}
	once := map[uint64]bool{}
	for _, c := range findNodes(p, h.Hasher()).contents {
		if !once[c] {
			once[c] = true
			h.Add(c, 1)
		}
	}
	h.Settle()
}

// Mark marks everything but the paragraphs and tables that stay as noise.
func (h *host) Mark(p *page.Page, v model.Visit) *page.Marking {
	nodes := findNodes(p, h.Hasher())
	pages, own := h.Pages()+1, 1 // including this page, which is not in the counts
	if h.Knows(v) {
		pages, own = max(h.Pages(), 1), 0
	}
	score := make([]float32, len(nodes.contents))
	stays := make([]bool, len(nodes.contents))
	for i, c := range nodes.contents {
		imp := importance(pages, h.Count(c)+own)
		score[i], stays[i] = h.score(imp), imp-h.opts.Beta > rounding
	}
	verdicts := make([]page.Verdict, len(p.Blocks))
	for b := range verdicts {
		verdicts[b] = page.Verdict{Noise: true, Score: 1}
		if n := nodes.of[p.Blocks[b].Element]; n != none {
			verdicts[b] = page.Verdict{Noise: !stays[n], Score: score[n]}
		}
	}
	return p.NewMarking(verdicts, h.Learned.Len(), func(e page.ElementID) bool {
		return page.IsPicture(p.Elements[e].Tag) && (nodes.of[e] == none || !stays[nodes.of[e]])
	})
}

// rounding exceeds the error of the logarithms: 1 − log_81 3 is exactly three quarters, and so not above β.
const rounding = 1e-9

// importance is NodeIMP for content on p of m pages.
func importance(m, p int) float64 {
	if m <= 1 || p <= 1 {
		return 1
	}
	return 1 - math.Log(float64(min(p, m)))/math.Log(float64(m))
}

// score turns an importance into the probability of noise: 1 at importance 0, one half at β, 0 at 1, linear in between.
// (ours)
func (h *host) score(imp float64) float32 {
	if imp <= h.opts.Beta {
		return float32(1 - 0.5*imp/h.opts.Beta)
	}
	return float32(0.5 * (1 - imp) / (1 - h.opts.Beta))
}
