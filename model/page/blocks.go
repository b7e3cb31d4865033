package page

import (
	"golang.org/x/net/html/atom"
)

// findBlocks cuts the visible text below body into blocks.
func (p *Page) findBlocks() {
	root := p.Body
	if root == None {
		root = 0
	}
	c := blockCutter{p: p, first: None}
	if len(p.Elements) > 0 {
		c.element(root)
		c.cut()
	}
	p.rangeBlocks()
}

// blockCutter walks the tree and collects texts until a boundary.
type blockCutter struct {
	p *Page
	// first and end delimit the texts collected so far. first is None when there are none. ink says whether they have
	// anything but white space.
	first, end int32
	ink        bool
	// visible are the collected texts, because there may be texts of scripts between first and end.
	visible []int32
	// breaks counts the br elements since the last text.
	breaks int
}

func (c *blockCutter) element(e ElementID) {
	p := c.p
	el := &p.Elements[e]
	if p.IsInvisible(e) {
		return
	}
	inline := IsInline(el.Tag)
	if el.Tag == atom.Br {
		c.br()
		return
	}
	if !inline {
		c.cut()
	}
	next := el.TextStart
	for d := e + 1; d < el.Sub; d = p.Elements[d].Sub {
		c.texts(next, p.Elements[d].TextStart)
		c.element(d)
		next = p.Elements[d].TextEnd
	}
	c.texts(next, el.TextEnd)
	if !inline {
		c.cut()
	}
}

// br cuts at an empty line, because in table-layout pages two br in a row are used like a paragraph.
func (c *blockCutter) br() {
	if c.breaks++; c.breaks >= 2 {
		c.cut()
	}
}

func (c *blockCutter) texts(from, to int32) {
	for i := from; i < to; i++ {
		ink := !IsBlank(c.p.Texts[i].Data)
		if c.first == None && !ink {
			continue
		}
		if c.first == None {
			c.first = i
		}
		c.visible = append(c.visible, i)
		if ink {
			c.ink, c.end, c.breaks = true, i+1, 0
		}
	}
}

// cut ends the block that was being collected.
func (c *blockCutter) cut() {
	if c.first == None {
		return
	}
	p := c.p
	id := BlockID(len(p.Blocks))
	e := p.Texts[c.first].Parent
	for _, i := range c.visible {
		if i >= c.end {
			break
		}
		p.Texts[i].Block = id
		for !p.Contains(e, p.Texts[i].Parent) {
			e = p.Elements[e].Parent
		}
	}
	p.Blocks = append(p.Blocks, Block{Element: e, TextStart: c.first, TextEnd: c.end})
	c.first, c.ink, c.breaks, c.visible = None, false, 0, c.visible[:0]
}

// rangeBlocks fills in which blocks lie completely in each element.
func (p *Page) rangeBlocks() {
	for b := range p.Blocks {
		p.Elements[p.Blocks[b].Element].BlockEnd = BlockID(b) + 1 // a later block ends later
	}
	for e := len(p.Elements) - 1; e > 0; e-- {
		up := &p.Elements[p.Elements[e].Parent]
		up.BlockEnd = max(up.BlockEnd, p.Elements[e].BlockEnd)
	}
	next := 0
	for e := range p.Elements {
		el := &p.Elements[e]
		// Blocks and elements are both in document order, so the first block at or after the element's first text only
		// moves forward.
		for next < len(p.Blocks) && p.Blocks[next].TextStart < el.TextStart {
			next++
		}
		el.BlockStart = BlockID(next)
		el.BlockEnd = max(el.BlockStart, el.BlockEnd)
	}
}

// IsInvisible reports whether e and everything below it is never shown as text.
func (p *Page) IsInvisible(e ElementID) bool {
	el := &p.Elements[e]
	switch el.Tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Svg, atom.Iframe, atom.Noframes,
		atom.Noembed, atom.Object:
		return true
	}
	if el.Name == "svg" {
		return true
	}
	_, hidden := p.Attr(e, "hidden")
	return hidden
}
