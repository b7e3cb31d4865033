package page

import "slices"

// Policy says which kinds of parts go: a detector tells what a part is, the policy whether people want it. The zero
// Policy takes a marking as it is.
type Policy struct {
	// Keep are the kinds that stay although they are noise, Drop those that go although they are content.
	Keep, Drop KindSet
}

// DefaultPolicy is a reader's: title, byline and date stay, and so does what people act with (forms, buttons, pagers);
// readers' comments go.
func DefaultPolicy() Policy {
	return Policy{Keep: Kinds(KindAction, KindPagination), Drop: Kinds(KindComments)}
}

// With returns the policy with what someone asked for on top: what is kept is not dropped, and the other way round.
// Where a kind is in both, it is kept.
func (pol Policy) With(keep, drop KindSet) Policy {
	return Policy{Keep: pol.Keep&^drop | keep, Drop: pol.Drop&^keep | drop&^keep}
}

// ForMode returns the policy as it applies to a mode: forms and pagers are of no use in text, Markdown and JSON, so
// that these keep neither.
func (pol Policy) ForMode(mode Mode) Policy {
	switch mode {
	case ModeText, ModeMarkdown, ModeJSON:
		pol.Keep &^= DefaultPolicy().Keep
	}
	return pol
}

// Apply returns the marking of what is to go. m stays as it was, and is returned itself where nothing changes, or where
// nothing would be left.
func (pol Policy) Apply(p *Page, m *Marking) *Marking {
	if m.Pass != "" || pol == (Policy{}) {
		return m
	}
	a := applier{p: p, policy: pol, m: m, kept: make([]bool, len(p.Elements)), holds: make([]bool, len(p.Elements))}
	a.out = *m
	a.out.Verdicts, a.out.Marks = slices.Clone(m.Verdicts), nil
	for _, mark := range m.Marks {
		a.mark(mark)
	}
	a.drop()
	if !HasContent(a.out.Verdicts) {
		return m
	}
	slices.SortStableFunc(a.out.Marks, func(x, y Mark) int { return int(p.markStart(x) - p.markStart(y)) })
	return &a.out
}

// markStart orders marks as they stand in the page.
func (p *Page) markStart(m Mark) int32 {
	if m.Element != None {
		return 2 * p.Elements[m.Element].TextStart
	}
	return 2*p.Blocks[m.BlockStart].TextStart + 1
}

// applier applies a policy to one marking.
type applier struct {
	p      *Page
	policy Policy
	m      *Marking
	out    Marking
	// kept tells the elements in marks that stay, holds those that have one in them.
	kept, holds []bool
}

// mark takes over one mark, less what stays of it.
func (a *applier) mark(m Mark) {
	switch {
	case m.Element != None && a.decided(m.Element):
		a.out.Marks = append(a.out.Marks, m)
	case a.policy.Keep.Has(m.Kind):
		a.restore(m.BlockStart, m.BlockEnd)
	case m.Element == None:
		a.run(m)
	case a.findKept(m):
		a.split(m, m.Element)
	default:
		a.out.Marks = append(a.out.Marks, m)
	}
}

// decided reports whether people have decided about e.
func (a *applier) decided(e ElementID) bool { return int(e) < len(a.m.Decided) && a.m.Decided[e] }

// restore makes blocks content again.
func (a *applier) restore(from, to BlockID) {
	for b := from; b < to; b++ {
		a.out.Verdicts[b].Noise = false
	}
}

// findKept finds what stays of a marked element.
func (a *applier) findKept(m Mark) bool {
	p, found := a.p, false
	acts := actionFinder{p: p}
	for e := m.Element; e < p.Elements[m.Element].Sub; {
		keep := a.policy.Keep.Has(p.kindByMarkup(e)) || a.policy.Keep.Has(KindAction) && mayAct(m.Kind) && acts.isAction(e) ||
			a.policy.Keep.Has(KindPagination) && mayAct(m.Kind) && acts.isPager(e)
		if !keep || p.IsInvisible(e) {
			e++
			continue
		}
		found, a.kept[e] = true, true
		for up := e; up != None && !a.holds[up]; up = p.Elements[up].Parent {
			a.holds[up] = true
		}
		e = p.Elements[e].Sub
	}
	return found
}

// mayAct reports whether what acts in a part of this kind is for the page's visitors: what an advert or a list of other
// articles has in it belongs to them, and the buttons of a consent dialog go with it.
func mayAct(k Kind) bool {
	switch k {
	case KindAd, KindRelated, KindShare, KindCookie, KindComments:
		return false
	}
	return true
}

// split marks what is in e but for what stays.
func (a *applier) split(m Mark, e ElementID) {
	p := a.p
	el := &p.Elements[e]
	switch {
	case a.kept[e]:
		a.restore(el.BlockStart, el.BlockEnd)
		return
	case !a.holds[e]:
		part := m
		part.Element, part.BlockStart, part.BlockEnd = e, el.BlockStart, el.BlockEnd
		if p.HoldsWholeBlocks(e) && !p.IsInvisible(e) {
			a.out.Marks = append(a.out.Marks, part)
		}
		return
	}
	next := el.BlockStart
	for c := range p.Children(e) {
		a.bare(m, next, p.Elements[c].BlockStart)
		next = max(next, p.Elements[c].BlockEnd)
		a.split(m, c)
	}
	a.bare(m, next, el.BlockEnd)
}

// bare marks blocks that no child holds as a whole. A block with something in it that stays, stays too.
func (a *applier) bare(m Mark, from, to BlockID) {
	for b := from; b < to; b++ {
		if a.blockStays(b) {
			a.restore(b, b+1)
			continue
		}
		m.Element, m.BlockStart, m.BlockEnd = None, b, b+1
		a.out.Marks = append(a.out.Marks, m)
	}
}

func (a *applier) blockStays(b BlockID) bool {
	bl := a.p.Blocks[b]
	for i := bl.TextStart; i < bl.TextEnd; i++ {
		for e := a.p.Texts[i].Parent; a.p.Texts[i].Block == b && e != None && e != bl.Element; e = a.p.Elements[e].Parent {
			if a.kept[e] {
				return true
			}
		}
	}
	return false
}

// run takes over the mark of a run of blocks, but for those with an action in them.
func (a *applier) run(m Mark) {
	acts := actionFinder{p: a.p}
	for b := m.BlockStart; b < m.BlockEnd; b++ {
		bl := a.p.Blocks[b]
		for i := bl.TextStart; i < bl.TextEnd; i++ {
			if e := a.p.Texts[i].Parent; a.p.Texts[i].Block == b && a.policy.Keep.Has(KindAction) && mayAct(m.Kind) && acts.isAction(e) {
				a.kept[e] = true
			}
		}
	}
	a.bare(m, m.BlockStart, m.BlockEnd)
}

// drop marks the parts of content that are to go: those that the detector names, and those whose markup says what they
// are.
func (a *applier) drop() {
	if a.policy.Drop == 0 {
		return
	}
	for _, part := range a.m.Parts {
		if a.policy.Drop.Has(part.Kind) {
			for e := range a.p.Tops(part.Extent) {
				a.dropElement(e, part.Kind)
			}
		}
	}
	for e := max(a.p.Body, 0) + 1; int(e) < len(a.p.Elements); e++ {
		if k := a.p.kindByMarkup(e); k != KindContent && a.policy.Drop.Has(k) && !a.explicit(k) {
			a.dropElement(e, k)
		}
	}
}

// explicit reports whether a detector's word is needed before a part of kind k goes: a thread of comments may be what
// the page is for.
func (a *applier) explicit(k Kind) bool {
	return k == KindComments && a.m.PageKind != PageArticle
}

// dropElement marks e, and takes back the marks inside it.
func (a *applier) dropElement(e ElementID, k Kind) {
	p := a.p
	el := &p.Elements[e]
	if e <= p.Body || a.decided(e) || !p.HoldsWholeBlocks(e) || slices.ContainsFunc(a.out.Marks, func(m Mark) bool { return m.Element != None && p.Contains(m.Element, e) }) {
		return
	}
	a.out.Marks = slices.DeleteFunc(a.out.Marks, func(m Mark) bool {
		if m.Element != None {
			return p.Contains(e, m.Element)
		}
		return el.BlockStart <= m.BlockStart && m.BlockEnd <= el.BlockEnd
	})
	for b := el.BlockStart; b < el.BlockEnd; b++ {
		a.out.Verdicts[b].Noise = true
	}
	a.out.Marks = append(a.out.Marks, Mark{Element: e, BlockStart: el.BlockStart, BlockEnd: el.BlockEnd, Kind: k, Score: 1})
}
