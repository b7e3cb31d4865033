// Package policy says which kinds of parts are removed. It keeps the parts that people act with: forms, buttons,
// pagers, and controls of parts that stay.
package policy

import (
	"slices"
	"sort"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// Policy says which kinds of parts are removed: a detector says what a part is, and the policy whether people want it.
// The zero Policy does not change a marking.
type Policy struct {
	// Keep are the kinds that stay although they are noise, Drop those that are removed although they are content.
	Keep, Drop page.KindSet
}

// siteActions, with KindAction in Policy.Keep, keeps the actions of the site as well (login, languages). These are on
// every page, and only somebody who asks for actions gets them.
const siteActions page.KindSet = 1 << 31

// Default is for readers: title, byline and date stay, and so do the parts that people act with on this page
// (forms, buttons, pagers). Readers' comments are removed.
func Default() Policy {
	return Policy{Keep: page.Kinds(page.KindAction, page.KindPagination), Drop: page.Kinds(page.KindComments)}
}

// With returns the policy with someone's request on top: a kind that is kept is no longer dropped, and the other way
// round. A kind in both is kept. Who asks for actions gets those of the site too.
func (pol Policy) With(keep, drop page.KindSet) Policy {
	if keep.Has(page.KindAction) {
		keep |= siteActions
	}
	return Policy{Keep: pol.Keep&^drop | keep, Drop: pol.Drop&^keep | drop&^keep}
}

// ForMode returns the policy for a mode: text, Markdown and JSON keep forms and pagers only for somebody who asks for
// actions, because they are of no use there.
func (pol Policy) ForMode(mode page.Mode) Policy {
	switch mode {
	case page.ModeText, page.ModeMarkdown, page.ModeJSON:
		if pol.Keep&siteActions == 0 {
			pol.Keep &^= Default().Keep
		}
	}
	return pol
}

// Apply returns the marking after the policy. It does not change m, and returns m itself if nothing changes or if
// nothing would be left.
func (pol Policy) Apply(p *page.Page, m *page.Marking) *page.Marking {
	if m.Pass != "" || pol == (Policy{}) {
		return m
	}
	a := applier{p: p, policy: pol, m: m, title: page.None, kept: make([]bool, len(p.Elements)), holds: make([]bool, len(p.Elements))}
	a.out = *m
	a.out.Verdicts, a.out.Marks = slices.Clone(m.Verdicts), nil
	if pol.Keep.Has(page.KindAction) {
		a.handles = findHandles(p, m)
	}
	if pol.Keep.Has(page.KindAction) {
		a.title = a.lostTitle()
	}
	for _, mark := range m.Marks {
		a.mark(mark)
	}
	a.drop()
	a.dropDead()
	if !page.HasContent(a.out.Verdicts) {
		return m
	}
	marks := a.out.Marks
	sort.SliceStable(marks, func(i, j int) bool { return markStart(p, marks[i]) < markStart(p, marks[j]) })
	return &a.out
}

// markStart orders marks by their position in the page.
func markStart(p *page.Page, m page.Mark) int32 {
	if m.Element != page.None {
		return 2 * p.Elements[m.Element].TextStart
	}
	return 2*p.Blocks[m.BlockStart].TextStart + 1
}

// applier applies a policy to one marking.
type applier struct {
	p      *page.Page
	policy Policy
	m      *page.Marking
	out    page.Marking
	// kept marks the elements in marks that stay, holds those that contain one.
	kept, holds []bool
	// acts is made for the first part that may have some.
	acts *actionFinder
	// title is a heading that stays because no other says the title of the page, or None.
	title page.ElementID
	// handles are the controls that act on parts of the page, nil where none stay.
	handles *handles
}

// mark adds one mark, without the parts of it that stay.
func (a *applier) mark(m page.Mark) {
	switch {
	case m.Element != page.None && a.decided(m.Element):
		a.out.Marks = append(a.out.Marks, m)
	case a.policy.Keep.Has(m.Kind):
		a.restore(m.BlockStart, m.BlockEnd)
	case m.Element == page.None:
		a.run(m)
	case a.findKept(m):
		a.split(m, m.Element)
	default:
		a.out.Marks = append(a.out.Marks, m)
	}
}

// decided reports whether people have decided about e.
func (a *applier) decided(e page.ElementID) bool { return int(e) < len(a.m.Decided) && a.m.Decided[e] }

// restore makes blocks content again.
func (a *applier) restore(from, to page.BlockID) {
	for b := from; b < to; b++ {
		a.out.Verdicts[b].Noise = false
	}
}

// lostTitle returns the first heading that begins the page's declared title, if it is noise and no content says the
// same.
func (a *applier) lostTitle() page.ElementID {
	p, found := a.p, page.ElementID(page.None)
	declared := declaredTitle(p)
	for i := range p.Elements {
		e := page.ElementID(i)
		el := &p.Elements[e]
		if el.Tag != atom.H1 && el.Tag != atom.H2 || p.IsInvisible(e) {
			continue
		}
		text := strings.Join(strings.Fields(markup.Label(p, e)), " ")
		switch {
		case text == "" || !strings.HasPrefix(declared, text):
		case !a.m.IsNoise(page.Extent{BlockStart: el.BlockStart, BlockEnd: el.BlockEnd}):
			return page.None
		case found == page.None:
			found = e
		}
	}
	return found
}

// declaredTitle is the title of a page's head.
func declaredTitle(p *page.Page) string {
	for e := range p.Elements {
		if el := &p.Elements[e]; el.Tag == atom.Title && el.TextEnd > el.TextStart {
			return strings.Join(strings.Fields(p.Texts[el.TextStart].Data), " ")
		}
	}
	return ""
}

// findKept finds the parts of a marked element that stay.
func (a *applier) findKept(m page.Mark) bool {
	p, found := a.p, false
	acts := a.actions(m)
	for e := m.Element; e < p.Elements[m.Element].Sub; {
		keep := e == a.title || a.policy.Keep.Has(markup.Kind(p, e)) || a.handles.keep(e) || acts != nil && (a.policy.Keep.Has(page.KindAction) && acts.isAction(e) || a.policy.Keep.Has(page.KindPagination) && acts.isPager(e))
		if !keep || p.IsInvisible(e) {
			e++
			continue
		}
		found, a.kept[e] = true, true
		for up := e; up != page.None && !a.holds[up]; up = p.Elements[up].Parent {
			a.holds[up] = true
		}
		e = p.Elements[e].Sub
	}
	return found
}

// actions returns a finder for the part with a mark, nil where none is needed.
func (a *applier) actions(m page.Mark) *actionFinder {
	if !mayAct(m.Kind) || !a.policy.Keep.Has(page.KindAction) && !a.policy.Keep.Has(page.KindPagination) {
		return nil
	}
	if a.acts == nil {
		a.acts = newActionFinder(a.p)
		a.acts.ofSite = a.policy.Keep&siteActions != 0
	}
	return a.acts.in(m.Kind)
}

// mayAct reports whether controls in a part of this kind are for the page's visitors. Controls in an advert or a list
// of other articles belong to that part, and the buttons of a consent dialog are removed with it.
func mayAct(k page.Kind) bool {
	switch k {
	case page.KindAd, page.KindRelated, page.KindShare, page.KindCookie, page.KindComments:
		return false
	}
	return true
}

// split marks the contents of e, except for the parts that stay.
func (a *applier) split(m page.Mark, e page.ElementID) {
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

// bare marks blocks that no child holds completely. A block that contains something that stays, stays too.
func (a *applier) bare(m page.Mark, from, to page.BlockID) {
	for b := from; b < to; b++ {
		if a.blockStays(b) {
			a.restore(b, b+1)
			continue
		}
		m.Element, m.BlockStart, m.BlockEnd = page.None, b, b+1
		a.out.Marks = append(a.out.Marks, m)
	}
}

func (a *applier) blockStays(b page.BlockID) bool {
	bl := a.p.Blocks[b]
	for i := bl.TextStart; i < bl.TextEnd; i++ {
		for e := a.p.Texts[i].Parent; a.p.Texts[i].Block == b && e != page.None && e != bl.Element; e = a.p.Elements[e].Parent {
			if a.kept[e] {
				return true
			}
		}
	}
	return false
}

// run adds the mark of a run of blocks, except for those with an action in them.
func (a *applier) run(m page.Mark) {
	acts := a.actions(m)
	for b := m.BlockStart; b < m.BlockEnd; b++ {
		bl := a.p.Blocks[b]
		for i := bl.TextStart; i < bl.TextEnd; i++ {
			if a.p.Texts[i].Block != b {
				continue
			}
			e := a.p.Texts[i].Parent
			if acts != nil && a.policy.Keep.Has(page.KindAction) && acts.isAction(e) {
				a.kept[e] = true
			}
			for ; e != page.None && e != bl.Element; e = a.p.Elements[e].Parent {
				a.kept[e] = a.kept[e] || a.handles.keep(e)
			}
		}
	}
	a.bare(m, m.BlockStart, m.BlockEnd)
}

// drop marks the parts of content that the policy removes: those that the detector names, and those whose markup says
// what they are.
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
		if k := markup.Kind(a.p, e); k != page.KindContent && a.policy.Drop.Has(k) && !a.explicit(k) {
			a.dropElement(e, k)
		}
	}
}

// dropDead marks the controls of which nothing is left that they act on.
func (a *applier) dropDead() {
	if a.handles == nil {
		return
	}
	for i := range a.handles.found {
		if h := &a.handles.found[i]; a.handles.isDead(h) {
			a.dropElement(h.element, page.KindOther)
		}
	}
}

// explicit reports whether parts of kind k are only removed if a detector names them: a thread of comments may be the
// purpose of the page.
func (a *applier) explicit(k page.Kind) bool {
	return k == page.KindComments && a.m.PageKind != page.PageArticle
}

// dropElement marks e and removes the marks inside it.
func (a *applier) dropElement(e page.ElementID, k page.Kind) {
	p := a.p
	el := &p.Elements[e]
	if e <= p.Body || a.decided(e) || !p.HoldsWholeBlocks(e) || slices.ContainsFunc(a.out.Marks, func(m page.Mark) bool { return m.Element != page.None && p.Contains(m.Element, e) }) {
		return
	}
	a.out.Marks = slices.DeleteFunc(a.out.Marks, func(m page.Mark) bool {
		if m.Element != page.None {
			return p.Contains(e, m.Element)
		}
		return el.BlockStart <= m.BlockStart && m.BlockEnd <= el.BlockEnd
	})
	for b := el.BlockStart; b < el.BlockEnd; b++ {
		a.out.Verdicts[b].Noise = true
	}
	a.out.Marks = append(a.out.Marks, page.Mark{Element: e, BlockStart: el.BlockStart, BlockEnd: el.BlockEnd, Kind: k, Score: 1})
}
