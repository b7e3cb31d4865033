package page

import (
	"fmt"
	"sort"

	"golang.org/x/net/html/atom"
)

// writeRemoved cuts the marked parts out of the source. Everything else stays byte for byte. It inserts only the tags
// that keep the remaining parts separate as before.
func (p *Page) writeRemoved(m *Marking, done <-chan struct{}) (*Output, error) {
	c := newCutter(p, m)
	for _, mark := range m.Marks {
		if IsDone(done) {
			return nil, ErrDone
		}
		c.mark(mark)
	}
	edits, body := c.splice()
	out, err := p.output(edits, body, p.removedShare(m))
	if n := c.unplaced(m); err == nil && n > 0 {
		err = fmt.Errorf("removing noise: %d blocks stay: %w", n, ErrUnplaced)
	}
	return out, err
}

// cutter collects the ranges of the source that are cut.
type cutter struct {
	p    *Page
	gone *selection
	cuts []cutRange
	// missed are texts that should be cut but have no place.
	missed map[int32]bool
}

// cutRange is a range that is cut, and its replacement.
type cutRange struct {
	Span
	// ends are end tags in the range that end formatting from before it.
	ends string
}

func newCutter(p *Page, m *Marking) *cutter {
	return &cutter{p: p, gone: p.selected(m), missed: map[int32]bool{}}
}

func (c *cutter) mark(m Mark) {
	if m.Element != None {
		c.element(m.Element, m.Kind)
		return
	}
	for b := m.BlockStart; b < m.BlockEnd; b++ {
		c.block(b, m.Kind)
	}
}

// element cuts e, or only its contents if the page needs its tags.
func (c *cutter) element(e ElementID, kind Kind) {
	p := c.p
	if e == 0 && p.Body > 0 {
		e = p.Body
	}
	switch s, hollow := p.Elements[e].Outer, c.staysHollow(e); {
	case !s.Known():
		c.pieces(e, kind)
	case hollow:
		c.span(e+1, p.Elements[e].Sub, p.inner(e), kind)
	default:
		c.span(e, p.Elements[e].Sub, s, kind)
	}
}

// staysHollow reports whether e keeps its tags: the body does, and a table cell whose row stays, because its columns
// would shift.
func (c *cutter) staysHollow(e ElementID) bool {
	p := c.p
	el := &p.Elements[e]
	if e == p.Body || el.Parent == None {
		return true
	}
	if el.Tag != atom.Td && el.Tag != atom.Th {
		return false
	}
	for cell := range p.Children(el.Parent) {
		if tag := p.Elements[cell].Tag; (tag == atom.Td || tag == atom.Th) && !c.gone.elements[cell] {
			return true
		}
	}
	return false
}

// span cuts s, which has the elements [from, to), except for scripts and styles that the rest of the page may need.
func (c *cutter) span(from, to ElementID, s Span, kind Kind) {
	p := c.p
	ends := openFormats{}
	at := s.Start
	foreign := from < to && p.inForeign(from)
	for d := from; d < to; {
		el := &p.Elements[d]
		switch {
		case foreign || el.Name == "svg" || el.Name == "math":
			d = el.Sub // a self-closing script of SVG would swallow the page outside of it
		case el.Tag == atom.Template && !el.Outer.Known():
			d = el.Sub // without the template its scripts would run
		case p.isNeeded(d, kind) && el.Outer.Known():
			c.cutTags(Span{at, el.Outer.Start}, ends)
			at, d = el.Outer.End, el.Sub
		default:
			d++
		}
	}
	c.cutTags(Span{at, s.End}, ends)
}

// pieces cuts the parts of an element that has no place as a whole.
func (c *cutter) pieces(e ElementID, kind Kind) {
	c.p.Walk(e, c.texts, func(child ElementID) {
		if !c.p.isNeeded(child, kind) {
			c.element(child, kind)
		}
	})
}

// block cuts a run of text that no element holds alone: the inline elements that lie completely in it, and bare texts.
func (c *cutter) block(b BlockID, kind Kind) {
	p := c.p
	bl := p.Blocks[b]
	for i := bl.TextStart; i < bl.TextEnd; {
		if p.Texts[i].Block != b {
			i++
			continue
		}
		if top := p.topIn(bl, i); top == None || !p.Elements[top].Outer.Known() {
			c.texts(i, i+1)
			i++
		} else {
			c.element(top, kind)
			i = p.Elements[top].TextEnd
		}
	}
	for e := p.firstElementAfter(bl.TextStart); int(e) < len(p.Elements) && p.Elements[e].TextStart < bl.TextEnd; e++ {
		if el := &p.Elements[e]; el.TextStart == el.TextEnd && el.Outer.Known() && IsInline(el.Tag) {
			c.element(e, kind)
		}
	}
}

// topIn returns the largest element with a place that has text i and only texts of the block.
func (p *Page) topIn(bl Block, i int32) ElementID {
	top := ElementID(None)
	for e := p.Texts[i].Parent; e != bl.Element && p.holdsOnly(e, bl); e = p.Elements[e].Parent {
		if top == None || p.Elements[e].Outer.Known() {
			top = e
		}
	}
	return top
}

// firstElementAfter returns the first element that starts after text i.
func (p *Page) firstElementAfter(i int32) ElementID {
	return ElementID(sort.Search(len(p.Elements), func(e int) bool { return p.Elements[e].TextStart > i }))
}

// holdsOnly reports whether all text of e belongs to block b.
func (p *Page) holdsOnly(e ElementID, b Block) bool {
	el := &p.Elements[e]
	return el.TextStart >= b.TextStart && el.TextEnd <= b.TextEnd
}

// texts cuts the texts [from, to), each by itself.
func (c *cutter) texts(from, to int32) {
	for i := from; i < to; i++ {
		switch t := &c.p.Texts[i]; {
		case t.Span.Known():
			c.cuts = append(c.cuts, cutRange{Span: t.Span})
		case t.Block != None:
			c.missed[i] = true
		}
	}
}

// unplaced counts the marked blocks of which nothing could be cut.
func (c *cutter) unplaced(m *Marking) int {
	n := 0
	for _, mark := range m.Marks {
		for _, bl := range c.p.Blocks[mark.BlockStart:mark.BlockEnd] {
			if c.missedAll(bl) {
				n++
			}
		}
	}
	return n
}

func (c *cutter) missedAll(bl Block) bool {
	for i := bl.TextStart; i < bl.TextEnd; i++ {
		t := &c.p.Texts[i]
		if t.Block != None && !isBlank(t.Data) && !c.missed[i] {
			return false
		}
	}
	return true
}

// isNeeded reports whether the rest of the page may need e although it is in a noisy part: a framework's script at the
// end of a footer, a style sheet in a sidebar. Scripts of adverts are removed with them, and so are scripts that count
// visitors or fetch share buttons.
func (p *Page) isNeeded(e ElementID, kind Kind) bool {
	switch p.Elements[e].Tag {
	case atom.Script:
		src, _ := p.Attr(e, "src")
		return kind != KindAd && !isCounter(src)
	case atom.Style, atom.Link, atom.Meta, atom.Base, atom.Template:
		return kind != KindAd
	}
	return false
}
