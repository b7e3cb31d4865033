package page

import (
	"fmt"
	"strings"

	"golang.org/x/net/html/atom"
)

// writeHidden writes the page with its noise hidden by attributes, and, where cutting, without what nothing can miss: a
// page that a framework takes over keeps every element, and others keep those that their scripts may look for. Layout
// closes over what went, where the page's policy lets a style element in.
func (p *Page) writeHidden(m *Marking, f Form, cutting bool) (*Output, error) {
	h := hider{p: p, m: m, styled: p.allowsStyle(f.CSP) && !p.hydratesDocument(), inColumn: make([]bool, len(p.Elements)), hidden: make([]bool, len(p.Elements)),
		marked: map[ElementID]bool{}, addedAt: map[int32]int{}}
	for _, e := range p.mainColumn(m) {
		h.inColumn[e] = true
		h.column = append(h.column, e)
	}
	if cutting = cutting && !p.hydrates(); cutting {
		h.scripts = p.mentions()
	}
	for _, mark := range m.Marks {
		h.marked[mark.Element] = true
	}
	for _, mark := range m.Marks {
		h.mark(mark)
	}
	h.cutMarking.Verdicts = m.Verdicts
	c := newCutter(p, &h.cutMarking)
	for _, mark := range h.cutMarking.Marks {
		c.mark(mark)
	}
	for _, e := range h.hides {
		h.attributes(e)
	}
	h.reflow()
	for _, add := range h.adds {
		c.cuts = append(c.cuts, cutRange{Span{add.at, add.at}, add.text})
	}
	out, err := p.output(c.splice(), p.mediaType(), p.removedShare(m))
	if n := c.unplaced(&h.cutMarking); err == nil && n > 0 {
		err = fmt.Errorf("hiding noise: %d blocks stay: %w", n, ErrUnplaced)
	}
	return out, err
}

// hider decides what of the noise is cut and what is hidden.
type hider struct {
	p *Page
	m *Marking
	// scripts is nil where nothing is to be cut.
	scripts *mentions
	// styled says that a style element may be added.
	styled bool
	// column are the elements around the main text, the outermost first; inColumn tells them.
	column   []ElementID
	inColumn []bool
	// marked tells the elements that marks sit on, hidden those that are hidden or cut.
	marked map[ElementID]bool
	hidden []bool
	hides  []ElementID
	// cutMarking has the marks of what is cut, adds what is put into start tags and the head.
	cutMarking Marking
	adds       []insertion
	addedAt    map[int32]int
}

func (h *hider) mark(m Mark) {
	switch {
	case m.Element != None:
		h.element(m.Element, m)
	case h.scripts != nil:
		h.cutMarking.Marks = append(h.cutMarking.Marks, m)
	default: // a run of bare text has nothing that could be hidden but the elements in it
		for b := m.BlockStart; b < m.BlockEnd; b++ {
			h.inline(h.p.Blocks[b])
		}
	}
}

// inline hides the elements that lie in a block as a whole.
func (h *hider) inline(bl Block) {
	last := ElementID(None)
	for i := bl.TextStart; i < bl.TextEnd; i++ {
		if e := h.p.topIn(bl, i); h.p.Texts[i].Block != None && e != None && (last == None || !h.p.Contains(last, e)) {
			h.hide(e)
			last = e
		}
	}
}

// element takes a marked element out: cut, where no script can miss it, else hidden with what can be cut in it. A cell of
// a table whose row goes on is emptied, for others would move under its heading; so is what the source has no tag for.
func (h *hider) element(e ElementID, m Mark) {
	switch {
	case h.scripts != nil && !h.holdsMissed(e):
		h.cut(e, m)
	case !h.p.Elements[e].StartTag.Known() || h.isCellInUse(e):
		h.inside(e, m)
	default:
		h.hide(e)
		if h.scripts != nil {
			h.cutInside(e, m)
		}
	}
}

// inside takes out what is in e.
func (h *hider) inside(e ElementID, m Mark) {
	el := &h.p.Elements[e]
	bare := func(from, to BlockID) {
		if from < to && h.scripts != nil {
			m.Element, m.BlockStart, m.BlockEnd = None, from, to
			h.cutMarking.Marks = append(h.cutMarking.Marks, m)
		}
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

// cutInside cuts what no script can miss in a hidden element.
func (h *hider) cutInside(e ElementID, m Mark) {
	for d := e + 1; d < h.p.Elements[e].Sub; {
		if h.p.isNeeded(d, m.Kind) || h.p.Elements[d].Name == "svg" || h.holdsMissed(d) || !h.p.Elements[d].Outer.Known() {
			d++
			continue
		}
		h.cut(d, m)
		d = h.p.Elements[d].Sub
	}
}

// holdsMissed reports whether a script may look for e or for something in it.
func (h *hider) holdsMissed(e ElementID) bool {
	for d := e; d < h.p.Elements[e].Sub; d++ {
		if h.scripts.missed(d) {
			return true
		}
	}
	return false
}

func (h *hider) cut(e ElementID, m Mark) {
	m.Element, m.BlockStart, m.BlockEnd = e, h.p.Elements[e].BlockStart, h.p.Elements[e].BlockEnd
	h.cutMarking.Marks = append(h.cutMarking.Marks, m)
	h.hidden[e] = true
}

// hide notes that e is to be hidden.
func (h *hider) hide(e ElementID) {
	if h.p.Elements[e].StartTag.Known() {
		h.hidden[e] = true
		h.hides = append(h.hides, e)
	}
}

// attributes puts the attributes that hide e into its tag. A page's own style may set display on what has the attribute
// hidden, so that it takes a style element of ours or, where none is allowed, hides what is in e in a way that display does
// not touch. Pictures are not fetched then, as long as nothing shows them.
func (h *hider) attributes(e ElementID) {
	p := h.p
	switch up := p.Elements[e].Parent; {
	case h.styled:
		h.add(p.Elements[e].StartTag, `hidden="" data-winnow-hidden=""`)
	case up != None && h.inColumn[up]: // it keeps its track in a grid, so that the main text does not move into it
		h.add(p.Elements[e].StartTag, `hidden="until-found"`)
	default:
		h.add(p.Elements[e].StartTag, `hidden=""`)
	}
	for d := e; d < p.Elements[e].Sub; d++ {
		el := &p.Elements[d]
		if d != e && h.hidden[d] { // it is cut
			d = el.Sub - 1
			continue
		}
		if !el.StartTag.Known() {
			continue
		}
		if el.Parent == e && !h.styled && !p.IsInvisible(d) {
			h.add(el.StartTag, `hidden="until-found"`)
		}
		if _, set := p.Attr(d, "loading"); !set && (el.Tag == atom.Img || el.Tag == atom.Iframe) {
			h.add(el.StartTag, `loading="lazy"`)
		}
	}
}

// isCellInUse reports whether e is a cell of data whose row goes on.
func (h *hider) isCellInUse(e ElementID) bool {
	p := h.p
	el := &p.Elements[e]
	if el.Tag != atom.Td && el.Tag != atom.Th || el.Parent == None || h.inColumn[el.Parent] {
		return false
	}
	for cell := range p.Children(el.Parent) {
		if cell != e && !h.marked[cell] {
			return true
		}
	}
	return false
}

// add puts attributes into a start tag, right after the name: of two attributes of one name the first counts.
func (h *hider) add(s Span, attributes string) {
	at := s.Start + int32(nameEnd(h.p.Source[s.Start:s.End]))
	i, ok := h.addedAt[at]
	if !ok {
		h.addedAt[at] = len(h.adds)
		h.adds = append(h.adds, insertion{at, " " + attributes})
	} else if name, _, _ := strings.Cut(attributes, "="); !strings.Contains(h.adds[i].text, " "+name+"=") {
		h.adds[i].text += " " + attributes
	}
}
