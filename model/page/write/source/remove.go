package source

import (
	"fmt"
	"sort"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/script"
)

// Remove cuts the marked parts out of the source. Everything else stays byte for byte. It inserts only the tags
// that keep the remaining parts separate as before.
func Remove(p *page.Page, m *page.Marking, done <-chan struct{}) (*Output, error) {
	c := newCutter(p, m)
	for _, mark := range m.Marks {
		if page.IsDone(done) {
			return nil, page.ErrDone
		}
		c.mark(mark)
	}
	edits, body := c.splice()
	out, err := output(p, edits, body, p.RemovedShare(m))
	if n := c.unplaced(m); err == nil && n > 0 {
		err = fmt.Errorf("removing noise: %d blocks stay: %w", n, ErrUnplaced)
	}
	return out, err
}

// cutter collects the ranges of the source that are cut.
type cutter struct {
	p    *page.Page
	gone *page.Selection
	cuts []cutRange
	// missed are texts that should be cut but have no place.
	missed map[int32]bool
}

// cutRange is a range that is cut, and its replacement.
type cutRange struct {
	page.Span
	// ends are end tags in the range that end formatting from before it.
	ends string
}

func newCutter(p *page.Page, m *page.Marking) *cutter {
	return &cutter{p: p, gone: p.Selected(m), missed: map[int32]bool{}}
}

func (c *cutter) mark(m page.Mark) {
	if m.Element != page.None {
		c.element(m.Element, m.Kind)
		return
	}
	for b := m.BlockStart; b < m.BlockEnd; b++ {
		c.block(b, m.Kind)
	}
}

// element cuts e, or only its contents if the page needs its tags.
func (c *cutter) element(e page.ElementID, kind page.Kind) {
	p := c.p
	if e == 0 && p.Body > 0 {
		e = p.Body
	}
	switch s, hollow := p.Elements[e].Outer, c.staysHollow(e); {
	case !s.Known():
		c.pieces(e, kind)
	case hollow:
		c.span(e+1, p.Elements[e].Sub, p.Inner(e), kind)
	default:
		c.span(e, p.Elements[e].Sub, s, kind)
	}
}

// staysHollow reports whether e keeps its tags: the body does, and a table cell whose row stays, because its columns
// would shift.
func (c *cutter) staysHollow(e page.ElementID) bool {
	p := c.p
	el := &p.Elements[e]
	if e == p.Body || el.Parent == page.None {
		return true
	}
	if el.Tag != atom.Td && el.Tag != atom.Th {
		return false
	}
	for cell := range p.Children(el.Parent) {
		if tag := p.Elements[cell].Tag; (tag == atom.Td || tag == atom.Th) && !c.gone.Elements[cell] {
			return true
		}
	}
	return false
}

// span cuts s, which has the elements [from, to), except for scripts and styles that the rest of the page may need.
func (c *cutter) span(from, to page.ElementID, s page.Span, kind page.Kind) {
	p := c.p
	ends := openFormats{}
	at := s.Start
	foreign := from < to && p.InForeign(from)
	for d := from; d < to; {
		el := &p.Elements[d]
		switch {
		case foreign || el.Name == "svg" || el.Name == "math":
			d = el.Sub // a self-closing script of SVG would swallow the page outside of it
		case el.Tag == atom.Template && !el.Outer.Known():
			d = el.Sub // without the template its scripts would run
		case isNeeded(p, d, kind) && el.Outer.Known():
			c.cutTags(page.Span{Start: at, End: el.Outer.Start}, ends)
			at, d = el.Outer.End, el.Sub
		default:
			d++
		}
	}
	c.cutTags(page.Span{Start: at, End: s.End}, ends)
}

// pieces cuts the parts of an element that has no place as a whole.
func (c *cutter) pieces(e page.ElementID, kind page.Kind) {
	c.p.Walk(e, c.texts, func(child page.ElementID) {
		if !isNeeded(c.p, child, kind) {
			c.element(child, kind)
		}
	})
}

// block cuts a run of text that no element holds alone: the inline elements that lie completely in it, and bare texts.
func (c *cutter) block(b page.BlockID, kind page.Kind) {
	p := c.p
	bl := p.Blocks[b]
	for i := bl.TextStart; i < bl.TextEnd; {
		if p.Texts[i].Block != b {
			i++
			continue
		}
		if top := topIn(p, bl, i); top == page.None || !p.Elements[top].Outer.Known() {
			c.texts(i, i+1)
			i++
		} else {
			c.element(top, kind)
			i = p.Elements[top].TextEnd
		}
	}
	for e := firstElementAfter(p, bl.TextStart); int(e) < len(p.Elements) && p.Elements[e].TextStart < bl.TextEnd; e++ {
		if el := &p.Elements[e]; el.TextStart == el.TextEnd && el.Outer.Known() && page.IsInline(el.Tag) {
			c.element(e, kind)
		}
	}
}

// topIn returns the largest element with a place that has text i and only texts of the block.
func topIn(p *page.Page, bl page.Block, i int32) page.ElementID {
	top := page.ElementID(page.None)
	for e := p.Texts[i].Parent; e != bl.Element && holdsOnly(p, e, bl); e = p.Elements[e].Parent {
		if top == page.None || p.Elements[e].Outer.Known() {
			top = e
		}
	}
	return top
}

// firstElementAfter returns the first element that starts after text i.
func firstElementAfter(p *page.Page, i int32) page.ElementID {
	return page.ElementID(sort.Search(len(p.Elements), func(e int) bool { return p.Elements[e].TextStart > i }))
}

// holdsOnly reports whether all text of e belongs to block b.
func holdsOnly(p *page.Page, e page.ElementID, b page.Block) bool {
	el := &p.Elements[e]
	return el.TextStart >= b.TextStart && el.TextEnd <= b.TextEnd
}

// texts cuts the texts [from, to), each by itself.
func (c *cutter) texts(from, to int32) {
	for i := from; i < to; i++ {
		switch t := &c.p.Texts[i]; {
		case t.Span.Known():
			c.cuts = append(c.cuts, cutRange{Span: t.Span})
		case t.Block != page.None:
			c.missed[i] = true
		}
	}
}

// unplaced counts the marked blocks of which nothing could be cut.
func (c *cutter) unplaced(m *page.Marking) int {
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

func (c *cutter) missedAll(bl page.Block) bool {
	for i := bl.TextStart; i < bl.TextEnd; i++ {
		t := &c.p.Texts[i]
		if t.Block != page.None && !page.IsBlank(t.Data) && !c.missed[i] {
			return false
		}
	}
	return true
}

// isNeeded reports whether the rest of the page may need e although it is in a noisy part: a framework's script at the
// end of a footer, a style sheet in a sidebar. Scripts of adverts are removed with them, and so are scripts that count
// visitors or fetch share buttons.
func isNeeded(p *page.Page, e page.ElementID, kind page.Kind) bool {
	switch p.Elements[e].Tag {
	case atom.Script:
		src, _ := p.Attr(e, "src")
		return kind != page.KindAd && !script.IsCounter(src)
	case atom.Style, atom.Link, atom.Meta, atom.Base, atom.Template:
		return kind != page.KindAd
	}
	return false
}
