package blend

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
	"github.com/winnow-proxy/winnow/model/blend/internal/judge"
	"github.com/winnow-proxy/winnow/model/blend/internal/marks"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/rules"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// Mark implements model.Host. It is the way of a page through all stages.
func (h *Host) Mark(p *page.Page, visit model.Visit) *page.Marking {
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Pages: h.tree.Pages(), PageKind: page.PageApplication}
	if len(p.Blocks) == 0 {
		m.Pass, m.Thin = parts.PassApplication, true
		return m
	}
	read := h.read(p, visit)
	v := parts.NewOutline(read.Page)
	if h.d.rules.Has(rules.Shell) && v.IsShell() {
		m.Pass, m.Thin = parts.PassApplication, true
		return m
	}
	learned := h.tree.KnowsReading(read.tree, visit)
	ev := h.remember(read, learned)
	j := h.d.w.Judge(&features.Input{Page: read.Page, Convention: h.d.convention}, ev)
	defer j.Release()
	m.Reading = &seenPage{h.d, p, visit.URL, read, ev.Score, ev.Looks(), learned}
	decided := (&rules.Case{Outline: v, Ev: ev, J: j, On: h.d.rules}).Decide(h.readsNews())
	m.Confidence = h.d.w.Calibration.At(decided.Expected)
	for i, noisy := range decided.Noisy {
		m.Verdicts[i] = page.Verdict{Noise: noisy, Score: forest.Probability(decided.Odds[i])}
	}
	form := page.ElementID(page.None)
	if h.d.rules.Has(rules.Form) {
		form = v.MainForm(m.Verdicts, func(e page.ElementID) float32 { return ev.FormShare(v.Elements[e].Subtree) })
	}
	parts.Keep(v.Page, form, m.Verdicts)
	m.PageKind, m.Thin = v.PageKind(m.Verdicts, form), parts.IsThin(v.Page, m.Verdicts)
	if h.d.rules.Has(rules.Declared) {
		rules.KeepFacts(v.Page, m)
	}
	if !v.HasEnough(m.Verdicts, form) {
		m.Pass = page.PassNoContent
		return m
	}
	m.Marks = marks.FindMarks(v, m.Verdicts, form)
	return m
}

// weigh judges all blocks of a page, with no rules. The caller releases the judgment after use.
func (h *Host) weigh(read pageReading, learned bool) *judge.Judgment {
	return h.d.w.Judge(&features.Input{Page: read.Page, Convention: h.d.convention}, h.remember(read, learned))
}

// remember collects what the host knows about a page. learned says that the page itself is among the learned ones.
func (h *Host) remember(read pageReading, learned bool) *features.Evidence {
	r := memory.Recall{Memory: h.memory}
	if learned {
		r.Own = 1
	}
	ev := features.NewEvidence(r, read.Page)
	ev.Partners = h.partners(read, r)
	return ev
}

// readsNews reports whether pages may be read by the convention of news too: only where no other one is given.
func (h *Host) readsNews() bool { return h.d.convention == features.Convention{} }

// partners asks the style tree, unless it has learned only this page.
func (h *Host) partners(read pageReading, r memory.Recall) []styletree.Partner {
	if r.Pages() == 0 {
		return styletree.New(h.key, h.d.treeOptions()).PartnersOf(read.tree, read.Doc, nil)
	}
	return h.tree.PartnersOf(read.tree, read.Doc, nil)
}
