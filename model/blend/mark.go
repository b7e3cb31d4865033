package blend

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// Mark implements model.Host. It is the way of a page through all stages.
func (h *Host) Mark(p *page.Page, visit model.Visit) *page.Marking {
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Pages: h.tree.Pages(), PageKind: page.PageApplication}
	if len(p.Blocks) == 0 {
		m.Pass, m.Thin = passApplication, true
		return m
	}
	read := h.readOf(p, visit)
	v := newOutline(read.view)
	if v.isShell() {
		m.Pass, m.Thin = passApplication, true
		return m
	}
	learned := h.tree.KnowsReading(read.tree, visit)
	ev := h.remember(read, learned)
	settlement := h.settle(ev)
	j := h.d.w.judge(&pageInput{read.view, h.d.convention}, ev, settlement)
	defer j.release()
	defer p.Keep(&seenPage{h.d, visit.URL, read, ev.score, ev.looks(), learned, settlement})
	decided := (&ruling{v, ev, j}).decide(h.d.convention == Convention{})
	settlement.decided(decided.noisy, decided.odds)
	m.Confidence = h.d.w.calibration.at(decided.expected)
	for i, noisy := range decided.noisy {
		m.Verdicts[i] = page.Verdict{Noise: noisy, Score: probability(decided.odds[i])}
	}
	form := v.mainForm(m.Verdicts, func(e page.ElementID) float32 { return ev.formShare(v.elems[e].subtree) })
	v.keep(form, m.Verdicts)
	m.PageKind, m.Thin = v.pageKind(m.Verdicts, form), v.isThin(m.Verdicts)
	v.keepFacts(m)
	if !v.hasEnough(m.Verdicts, form) {
		m.Pass = page.PassNoContent
		return m
	}
	m.Marks = v.findMarks(m.Verdicts, form)
	return m
}

// weigh judges all blocks of a page, with no rules. The caller releases the judgment after use.
func (h *Host) weigh(read pageReading, learned bool) *judgment {
	return h.d.w.judge(&pageInput{read.view, h.d.convention}, h.remember(read, learned), nil)
}

// remember collects what the host knows about a page. learned says that the page itself is among the learned ones.
func (h *Host) remember(read pageReading, learned bool) *evidence {
	r := recall{m: h.memory}
	if learned {
		r.own = 1
	}
	ev := r.evidence(read.view)
	ev.partners = h.partners(read, r)
	return ev
}

// partners asks the style tree, unless it has learned only this page.
func (h *Host) partners(read pageReading, r recall) []styletree.Partner {
	if r.pages() == 0 {
		return styletree.New(h.key, h.d.treeOptions()).PartnersOf(read.tree, read.p, nil)
	}
	return h.tree.PartnersOf(read.tree, read.p, nil)
}
