package source

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/active"
	"github.com/winnow-proxy/winnow/model/page/markup"
	"github.com/winnow-proxy/winnow/model/page/write/script"
)

// HideOptions say how noise is hidden. The zero value is usable.
type HideOptions struct {
	// URL is the absolute address of the page, if it is known.
	URL string
	// CSP are the values of the page's Content-Security-Policy header fields. No style is added that they forbid.
	CSP []string
	// Cutting says that what nothing can miss is cut instead.
	Cutting bool
	// ScriptNames returns the names in the script file at an absolute address, if they are known. nil knows none.
	ScriptNames func(address string) (script.Names, bool)
	// Bar is the address of winnow's page about this one, for a link in the page. Empty for none.
	Bar string
	// Sheet is the address of winnow's own page that the bar opens over this one; empty lets it lead to Bar.
	Sheet string
	// Styles is the address below which winnow's own host serves [Styles]; empty puts them into the page.
	Styles string
	// Done ends the work early where it is closed.
	Done <-chan struct{}
}

// Hide writes the page with its noise hidden by attributes. If it may cut, it also cuts what nothing can miss: a page
// that a framework takes over keeps every element, and others keep those that their scripts may look for. The layout
// closes the gaps if the page's policy permits styles.
func Hide(p *page.Page, m *page.Marking, o HideOptions) (*Output, error) {
	foreign, err := foreignLabels(p)
	if err != nil {
		return nil, fmt.Errorf("hiding noise: %w", err)
	}
	h := hider{p: p, m: m, inColumn: make([]bool, len(p.Elements)), hidden: make([]bool, len(p.Elements)), marked: map[page.ElementID]bool{}, addedAt: map[int32]int{}}
	h.mayStyle(o)
	ink := p.CountInk(m)
	h.column = mainColumn(p, ink)
	if h.gainsNothing(ink) {
		m = &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
		h.m, ink = m, p.CountInk(m)
	}
	for _, e := range h.column {
		h.inColumn[e] = true
	}
	if o.Cutting && !script.Hydrates(p) {
		h.scripts = script.Read(p, script.FilesOf(p, o.URL, o.ScriptNames))
		defer h.scripts.Release()
	}
	for _, mark := range m.Marks {
		h.marked[mark.Element] = true
	}
	for _, mark := range m.Marks {
		if page.IsDone(o.Done) {
			return nil, page.ErrDone
		}
		h.mark(mark)
	}
	h.hideEmptied()
	h.cutMarking.Verdicts = m.Verdicts
	c := newCutter(p, &h.cutMarking)
	for _, mark := range h.cutMarking.Marks {
		if page.IsDone(o.Done) {
			return nil, page.ErrDone
		}
		c.mark(mark)
	}
	for _, e := range h.hides {
		h.attributes(e)
	}
	if h.scripts != nil {
		h.dropAhead(c)
	}
	h.reflow()
	bar := h.offersBar(o)
	if h.addStyles(bar); bar {
		h.addBar(o)
	}
	for _, add := range slices.Concat(h.adds, c.staying(foreign)) {
		c.cuts = append(c.cuts, cutRange{page.Span{Start: add.at, End: add.at}, add.text})
	}
	edits, body := c.splice()
	out, err := outputWith(p, h.own, edits, body, ink.Removed())
	if n := c.unplaced(&h.cutMarking); err == nil && n > 0 {
		err = fmt.Errorf("hiding noise: %d blocks stay: %w", n, ErrUnplaced)
	}
	return out, err
}

// gainsNothing reports whether the removal of all noise would save neither bytes nor room on the screen: little markup
// and text, no picture, and nothing that covers the page.
func (h *hider) gainsNothing(ink page.InkCount) bool {
	const least = .03
	p, bytes := h.p, 0
	if !hasViewport(p) || ink.Removed() >= least || h.hidOverlay() {
		return false
	}
	for _, m := range h.m.Marks {
		if m.Element == page.None {
			continue
		}
		if int(m.Element) < len(h.m.Decided) && h.m.Decided[m.Element] {
			return false // people want it gone
		}
		if h.takesRoom(m.Element) {
			return false
		}
		if s := p.Elements[m.Element].Outer; s.Known() {
			bytes += int(s.End - s.Start)
		}
		for e := m.Element; e < p.Elements[m.Element].Sub; e++ {
			if tag := p.Elements[e].Tag; page.IsPicture(tag) || tag == atom.Iframe || tag == atom.Object {
				return false
			}
		}
	}
	return float64(bytes) < least*float64(len(p.Source))
}

// takesRoom reports whether e is a box outside of the main text, or a cell: styles that are not known may lay it over
// the page or give it a column.
func (h *hider) takesRoom(e page.ElementID) bool {
	switch tag := h.p.Elements[e].Tag; {
	case tag == atom.Td || tag == atom.Th:
		return true
	case page.IsInline(tag):
		return false
	}
	return len(h.column) == 0 || !h.p.Contains(h.column[len(h.column)-1], e)
}

// staying returns the insertions that are in no removed part.
func (c *cutter) staying(adds []insertion) []insertion {
	c.mergeCuts()
	return slices.DeleteFunc(adds, func(add insertion) bool {
		_, goes := c.cutAt(add.at)
		return goes
	})
}

// hider decides which noise is cut and which is hidden.
type hider struct {
	p *page.Page
	m *page.Marking
	// scripts is nil if nothing is to be cut.
	scripts *script.Mentions
	// styled says that styles may be added. linked is the address below which they are, empty for a style element. styles
	// are those that the page needs, own what it loads of winnow's host.
	styled bool
	linked string
	styles Styles
	own    active.Own
	// column are the elements around the main text, the outermost first. inColumn marks them.
	column   []page.ElementID
	inColumn []bool
	// marked has the elements with marks, hidden those that are hidden or cut.
	marked map[page.ElementID]bool
	hidden []bool
	hides  []page.ElementID
	// emptied says that a cell was emptied.
	emptied bool
	// cutMarking has the marks of the cut parts, adds the insertions into start tags and the head.
	cutMarking page.Marking
	adds       []insertion
	addedAt    map[int32]int
}

func (h *hider) mark(m page.Mark) {
	switch {
	case m.Element != page.None:
		h.element(m.Element, m)
	case h.scripts != nil:
		h.cutMarking.Marks = append(h.cutMarking.Marks, m)
	default: // in a run of bare text, only the elements in it can be hidden
		for b := m.BlockStart; b < m.BlockEnd; b++ {
			h.inline(h.p.Blocks[b])
		}
	}
}

// inline hides the elements that lie completely in a block.
func (h *hider) inline(bl page.Block) {
	last := page.ElementID(page.None)
	for i := bl.TextStart; i < bl.TextEnd; i++ {
		if e := topIn(h.p, bl, i); h.p.Texts[i].Block != page.None && e != page.None && (last == page.None || !h.p.Contains(last, e)) {
			h.hide(e)
			last = e
		}
	}
}

// element removes a marked element. It cuts the element if no script can miss it; otherwise it hides it, with all that
// is in it, because a script may ask for any of that. A cell of a data table whose row stays is emptied, because others
// would move under its heading. So is an element without a tag in the source.
func (h *hider) element(e page.ElementID, m page.Mark) {
	switch {
	case h.scripts != nil && !h.holdsMissed(e):
		h.cut(e, m)
	case !h.p.Elements[e].StartTag.Known() || h.isCellInUse(e) || h.holdsDialog(e):
		h.inside(e, m)
	default:
		h.hide(e)
	}
}

// inside removes the contents of e.
func (h *hider) inside(e page.ElementID, m page.Mark) {
	el := &h.p.Elements[e]
	bare := func(from, to page.BlockID) {
		if from < to && h.scripts != nil {
			m.Element, m.BlockStart, m.BlockEnd = page.None, from, to
			h.cutMarking.Marks = append(h.cutMarking.Marks, m)
		}
	}
	if h.scripts == nil && h.styled && el.StartTag.Known() && h.showsBareText(e) { // a cell whose bare text nothing else hides
		h.add(el.StartTag, `data-winnow-emptied=""`)
		h.emptied = true
	}
	next := el.BlockStart
	for c := range h.p.Children(e) {
		bare(next, h.p.Elements[c].BlockStart)
		next = max(next, h.p.Elements[c].BlockEnd)
		if h.p.HoldsWholeBlocks(c) && !h.p.IsInvisible(c) {
			h.element(c, m)
		}
	}
	bare(next, el.BlockEnd)
}

// holdsMissed reports whether a script may look for e or for something in it.
func (h *hider) holdsMissed(e page.ElementID) bool {
	for d := e; d < h.p.Elements[e].Sub; d++ {
		if h.scripts.Missed(d) {
			return true
		}
	}
	return false
}

func (h *hider) cut(e page.ElementID, m page.Mark) {
	m.Element, m.BlockStart, m.BlockEnd = e, h.p.Elements[e].BlockStart, h.p.Elements[e].BlockEnd
	h.cutMarking.Marks = append(h.cutMarking.Marks, m)
	h.hidden[e] = true
}

// holdsDialog reports whether a script may open something in e, which would not show in a hidden e.
func (h *hider) holdsDialog(e page.ElementID) bool {
	for d := e + 1; d < h.p.Elements[e].Sub; d++ {
		if markup.OpensByScript(h.p, d) {
			return true
		}
	}
	return false
}

// hide records that e is to be hidden. What a script opens is hidden until then.
func (h *hider) hide(e page.ElementID) {
	if h.p.Elements[e].StartTag.Known() && !markup.OpensByScript(h.p, e) {
		h.hidden[e] = true
		h.hides = append(h.hides, e)
	}
}

// attributes adds to the tag of e the attributes that hide it, and those that stop its pictures, frames and films from
// being fetched.
func (h *hider) attributes(e page.ElementID) {
	p := h.p
	if h.styled {
		h.add(p.Elements[e].StartTag, `hidden="" data-winnow-hidden=""`)
	} else {
		h.unstyled(e)
	}
	for d := e; d < p.Elements[e].Sub; d++ {
		el := &p.Elements[d]
		if d != e && h.hidden[d] { // it is cut
			d = el.Sub - 1
			continue
		}
		if _, set := p.Attr(d, "loading"); !set && (el.Tag == atom.Img || el.Tag == atom.Iframe) {
			h.addKnown(d, `loading="lazy"`)
		}
		if el.Tag == atom.Video || el.Tag == atom.Audio {
			if preload, _ := p.Attr(d, "preload"); preload != "none" {
				h.addKnown(d, `preload="none"`)
			}
			if poster, _ := p.Attr(d, "poster"); poster != "" {
				h.addKnown(d, `poster="data:,"`)
			}
		}
	}
}

// unstyled hides e where no style of ours is allowed. A page's own style may set display on elements with the attribute
// hidden, and would show them. With "until-found" the content is hidden whatever display says, as long as it is a box,
// and the box stays (HTML §6.1). Beside the main column the box must stay, so that the column does not move into
// another track of its grid.
func (h *hider) unstyled(e page.ElementID) {
	const box, gone = `hidden="until-found"`, `hidden=""`
	p := h.p
	up, tag := p.Elements[e].Parent, p.Elements[e].Tag
	if page.IsInline(tag) || tag == atom.Td || tag == atom.Th || tag == atom.Tr || tag == atom.Img {
		h.addKnown(e, gone)
		return
	}
	bare := up != page.None && h.inColumn[up] || h.showsBareText(e)
	if bare {
		h.addKnown(e, box)
		return
	}
	h.addKnown(e, gone)
	for c := range p.Children(e) {
		if !h.hidden[c] && !p.IsInvisible(c) {
			h.addKnown(c, box)
		}
	}
}

// showsBareText reports whether e has text outside of the boxes in it.
func (h *hider) showsBareText(e page.ElementID) bool {
	bare := false
	h.p.Walk(e, func(from, to int32) { bare = bare || h.p.ShowsText(from, to) }, func(c page.ElementID) {
		bare = bare || page.IsInline(h.p.Elements[c].Tag) && h.p.ShowsText(h.p.Elements[c].TextStart, h.p.Elements[c].TextEnd)
	})
	return bare
}

// hideEmptied hides empty boxes beside the main column, because they would take room.
func (h *hider) hideEmptied() {
	for _, e := range h.column {
		for c := range h.p.Children(h.p.Elements[e].Parent) {
			if c != e && !h.hidden[c] && !h.p.IsInvisible(c) && h.isEmptied(c) {
				h.hide(c)
			}
		}
	}
}

// isEmptied reports whether nothing visible is left in e: something was removed from it, or it only had a logo that
// leads to the front page.
func (h *hider) isEmptied(e page.ElementID) bool {
	el := &h.p.Elements[e]
	emptied := el.BlockStart < el.BlockEnd && h.p.HoldsWholeBlocks(e)
	for d := e; d < el.Sub && !emptied && el.BlockStart == el.BlockEnd; d++ {
		emptied = h.changes() && markup.LeadsHome(h.p, d)
	}
	return emptied && !h.shows(e)
}

// shows reports whether text, a control or a picture is left in e, other than a logo.
func (h *hider) shows(e page.ElementID) bool {
	p := h.p
	el := &p.Elements[e]
	if p.IsInvisible(e) {
		return false
	}
	if el.BlockStart < el.BlockEnd && !h.m.IsNoise(page.Extent{BlockStart: el.BlockStart, BlockEnd: el.BlockEnd}) {
		return true
	}
	for d := e; d < el.Sub; d++ {
		switch tag := p.Elements[d].Tag; {
		case h.hidden[d] || markup.LeadsHome(p, d):
			d = p.Elements[d].Sub - 1
		case page.IsPicture(tag) || page.IsControl(tag) || tag == atom.Iframe || tag == atom.Svg || tag == atom.Object:
			return true
		}
	}
	return false
}

// isCellInUse reports whether e is a data cell whose row stays.
func (h *hider) isCellInUse(e page.ElementID) bool {
	p := h.p
	el := &p.Elements[e]
	if el.Tag != atom.Td && el.Tag != atom.Th || el.Parent == page.None || h.inColumn[el.Parent] {
		return false
	}
	for cell := range p.Children(el.Parent) {
		if cell != e && !h.marked[cell] {
			return true
		}
	}
	return false
}

// add puts attributes into a start tag, directly after the name: of two attributes with one name the first counts.
func (h *hider) add(s page.Span, attributes string) {
	at := s.Start + int32(nameEnd(h.p.Source[s.Start:s.End]))
	i, ok := h.addedAt[at]
	if !ok {
		h.addedAt[at] = len(h.adds)
		h.adds = append(h.adds, insertion{at, " " + attributes})
	} else if name, _, _ := strings.Cut(attributes, "="); !strings.Contains(h.adds[i].text, " "+name+"=") {
		h.adds[i].text += " " + attributes
	}
}
