package page

import (
	"bytes"
	"sort"
	"strings"

	"golang.org/x/net/html/atom"
)

// writeRemoved splices the marked parts out of the source. What is not marked stays byte for byte.
func (p *Page) writeRemoved(m *Marking) (*Output, error) {
	c := cutter{p: p}
	for _, mark := range m.Marks {
		c.mark(mark)
	}
	body := c.splice()
	return p.output(body, p.mediaType(), p.removedShare(m))
}

// mediaType tells XHTML, which must keep its type, from HTML.
func (p *Page) mediaType() string {
	if bytes.HasPrefix(bytes.TrimSpace(p.Source[:min(len(p.Source), 64)]), []byte("<?xml")) && strings.Contains(p.contentType, "xhtml") {
		return "application/xhtml+xml"
	}
	return "text/html"
}

// cutter collects the ranges of the source that go.
type cutter struct {
	p    *Page
	cuts []Span
}

func (c *cutter) mark(m Mark) {
	if m.Element != None {
		c.element(m.Element, m.Kind)
		return
	}
	for b := m.BlockStart; b < m.BlockEnd; b++ {
		c.block(b)
	}
}

// element cuts e out but for what the rest of the page may need: its scripts and styles.
func (c *cutter) element(e ElementID, kind Kind) {
	p := c.p
	el := &p.Elements[e]
	if !el.Outer.Known() {
		c.pieces(e, kind)
		return
	}
	at := el.Outer.Start
	for d := e; d < el.Sub; {
		if !p.isNeeded(d, kind) || !p.Elements[d].Outer.Known() {
			d++
			continue
		}
		keep := p.Elements[d].Outer
		c.cut(Span{at, keep.Start})
		at = keep.End
		d = p.Elements[d].Sub
	}
	c.cut(Span{at, el.Outer.End})
}

// pieces cuts the parts of an element that has no place as a whole.
func (c *cutter) pieces(e ElementID, kind Kind) {
	p := c.p
	next := p.Elements[e].TextStart
	for child := range p.Children(e) {
		c.texts(next, p.Elements[child].TextStart)
		if p.isInvisible(child) && p.isNeeded(child, kind) {
			next = p.Elements[child].TextEnd
			continue
		}
		c.element(child, kind)
		next = p.Elements[child].TextEnd
	}
	c.texts(next, p.Elements[e].TextEnd)
}

// block cuts a run of text that no element holds alone: the inline elements that lie in it whole, and bare texts.
func (c *cutter) block(b BlockID) {
	p := c.p
	bl := p.Blocks[b]
	for i := bl.TextStart; i < bl.TextEnd; {
		top := p.Texts[i].Parent
		if top == bl.Element || !p.Elements[top].Outer.Known() || !p.holdsOnly(top, bl) {
			c.texts(i, i+1)
			i++
			continue
		}
		for up := p.Elements[top].Parent; up != bl.Element && p.Elements[up].Outer.Known() && p.holdsOnly(up, bl); {
			top, up = up, p.Elements[up].Parent
		}
		c.element(top, KindOther)
		i = p.Elements[top].TextEnd
	}
}

// holdsOnly reports whether all text of e belongs to block b.
func (p *Page) holdsOnly(e ElementID, b Block) bool {
	el := &p.Elements[e]
	return el.TextStart >= b.TextStart && el.TextEnd <= b.TextEnd
}

func (c *cutter) texts(from, to int32) {
	for _, t := range c.p.Texts[from:to] {
		c.cut(t.Span)
	}
}

func (c *cutter) cut(s Span) {
	if s.Known() {
		c.cuts = append(c.cuts, s)
	}
}

// splice returns the source without the cuts.
func (c *cutter) splice() []byte {
	sort.Slice(c.cuts, func(i, j int) bool { return c.cuts[i].Start < c.cuts[j].Start })
	src := c.p.Source
	out := make([]byte, 0, len(src))
	at := int32(0)
	for _, s := range c.cuts {
		if s.Start > at {
			out = append(out, src[at:s.Start]...)
		}
		at = max(at, s.End)
	}
	return append(out, src[at:]...)
}

// isNeeded reports whether the rest of the page may need e although it stands in a noisy part: a framework's script at
// the end of a footer, a style sheet in a sidebar. Those of adverts go with them.
func (p *Page) isNeeded(e ElementID, kind Kind) bool {
	switch p.Elements[e].Tag {
	case atom.Script, atom.Style, atom.Link, atom.Meta, atom.Base, atom.Template:
		return kind != KindAd
	}
	return false
}
