package override

import "github.com/winnow-proxy/winnow/model/page"

// newMarks returns the marks of the changed marking: a marked element stays marked unless a rule keeps it, and elements
// that a rule removes are marked too.
func newMarks(p *page.Page, out, was *page.Marking, actions []Action) []page.Mark {
	r := marker{p: p, verdicts: out.Verdicts, actions: actions, onElement: map[page.ElementID]page.Mark{},
		ofBlock: make([]page.Mark, len(p.Blocks)), keeps: make([]bool, len(p.Elements))}
	for b := range r.ofBlock {
		r.ofBlock[b] = page.Mark{Kind: page.KindOther, Score: out.Verdicts[b].Score}
	}
	for _, m := range was.Marks {
		if m.Element != page.None {
			r.onElement[m.Element] = m
		}
		for b := m.BlockStart; b < m.BlockEnd; b++ {
			r.ofBlock[b] = m
		}
	}
	for e := len(actions) - 1; e >= 0; e-- {
		r.keeps[e] = r.keeps[e] || actions[e] == Keep
		if up := p.Elements[e].Parent; up != page.None && r.keeps[e] {
			r.keeps[up] = true
		}
	}
	r.element(max(p.Body, 0), nil)
	return r.marks
}

type marker struct {
	p        *page.Page
	verdicts []page.Verdict
	actions  []Action
	// onElement has the marks on elements, ofBlock the mark that each block was part of.
	onElement map[page.ElementID]page.Mark
	ofBlock   []page.Mark
	// keeps says that an element or one of its descendants must be kept.
	keeps []bool
	marks []page.Mark
}

// element marks e or the parts of it that must go. cut is the mark of an element around e, or nil.
func (r *marker) element(e page.ElementID, cut *page.Mark) {
	if m, ok := r.onElement[e]; ok {
		cut = &m
	}
	if r.actions[e] == Remove && cut == nil {
		cut = &page.Mark{Kind: page.KindOther, Score: 1}
	}
	if r.actions[e] == Keep {
		cut = nil
	}
	el := &r.p.Elements[e]
	if cut != nil && !r.keeps[e] {
		r.marks = append(r.marks, page.Mark{Element: e, BlockStart: el.BlockStart, BlockEnd: el.BlockEnd, Kind: cut.Kind, Score: cut.Score})
		return
	}
	next := el.BlockStart
	for c := range r.p.Children(e) {
		child := &r.p.Elements[c]
		r.run(next, child.BlockStart)
		next = max(next, child.BlockEnd)
		r.element(c, cut)
	}
	r.run(next, el.BlockEnd)
}

// run marks the noisy blocks in [from, to). No child element contains one of them completely.
func (r *marker) run(from, to page.BlockID) {
	for b := from; b < to; b++ {
		if r.verdicts[b].Noise {
			m := r.ofBlock[b]
			r.marks = append(r.marks, page.Mark{Element: page.None, BlockStart: b, BlockEnd: b + 1, Kind: m.Kind, Score: m.Score})
		}
	}
}
