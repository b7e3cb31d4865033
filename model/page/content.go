package page

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// contentView is the content of a page under one marking, as the plain writers need it.
type contentView struct {
	p    *Page
	gone *selection
	// alive tells the elements that have content: visible text or a picture.
	alive []bool
	// direct tells the elements that are not inline and whose own text or pictures stand in no other such element.
	direct []bool
	// broken tells the elements that hold a block-level one.
	broken []bool
	// layout tells tables that only place things, for they hold further tables, and their parts.
	layout []bool
}

func (p *Page) viewContent(m *Marking) *contentView {
	n := len(p.Elements)
	v := &contentView{p: p, gone: p.selected(m), alive: make([]bool, n), direct: make([]bool, n), broken: make([]bool, n),
		layout: make([]bool, n)}
	hidden := v.hidden()
	for i := range p.Texts {
		if t := &p.Texts[i]; t.Block != None && !v.gone.texts[i] && !hidden[t.Parent] && strings.TrimSpace(t.Data) != "" {
			v.enliven(t.Parent)
		}
	}
	for e := range p.Elements {
		if hidden[e] {
			continue
		}
		switch p.Elements[e].Tag {
		case atom.Img:
			if p.imageURL(ElementID(e)) != "" {
				v.alive[e] = true
				v.enliven(p.Elements[e].Parent)
			}
		case atom.Br, atom.Hr, atom.Wbr, atom.Td, atom.Th:
			v.alive[e] = true
		}
	}
	v.shape()
	return v
}

// hidden tells the elements that are marked or never shown, with all below them.
func (v *contentView) hidden() []bool {
	h := make([]bool, len(v.p.Elements))
	for e := range v.p.Elements {
		up := v.p.Elements[e].Parent
		h[e] = v.gone.elements[e] || up != None && h[up] || v.p.IsInvisible(ElementID(e))
	}
	return h
}

// enliven notes that e has content directly.
func (v *contentView) enliven(e ElementID) {
	found := false
	for ; e != None && !(v.alive[e] && found); e = v.p.Elements[e].Parent {
		if !found && !IsInline(v.p.Elements[e].Tag) {
			found = true
			v.direct[e] = true
		}
		v.alive[e] = true
	}
}

// shape fills in broken and layout.
func (v *contentView) shape() {
	p := v.p
	for e := len(p.Elements) - 1; e > 0; e-- {
		el := &p.Elements[e]
		if up := el.Parent; v.alive[e] && (v.broken[e] || !IsInline(el.Tag) && !isControl(el.Tag)) {
			v.broken[up] = true
		}
		if el.Tag == atom.Table {
			for up := el.Parent; up != None && !v.layout[up]; up = p.Elements[up].Parent {
				v.layout[up] = p.Elements[up].Tag == atom.Table
			}
		}
	}
	for e := range p.Elements {
		switch el := &p.Elements[e]; el.Tag {
		case atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption:
			v.layout[e] = el.Parent != None && v.layout[el.Parent]
		}
	}
}

// walk calls element for the children of e, alive or not, and text for its visible texts, in order. What is not alive
// still keeps its neighbours apart.
func (v *contentView) walk(e ElementID, element func(ElementID), text func(*Text)) {
	p := v.p
	texts := func(from, to int32) {
		for i := from; i < to; i++ {
			if !v.gone.texts[i] {
				text(&p.Texts[i])
			}
		}
	}
	p.Walk(e, texts, func(c ElementID) {
		if !p.IsInvisible(c) {
			element(c)
		}
	})
}

// readerName returns the name under which e goes into a plain page, nothing where only its content does.
func (v *contentView) readerName(e ElementID) string {
	el := &v.p.Elements[e]
	switch el.Tag {
	case atom.Table, atom.Caption, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
		if v.layout[e] {
			return v.container(e)
		}
		return el.Name
	case atom.P, atom.Summary, atom.Address:
		if v.broken[e] {
			return v.container(e)
		}
		return el.Name
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Figure,
		atom.Figcaption, atom.Pre, atom.Blockquote, atom.Hr, atom.Br, atom.Wbr, atom.Details, atom.A, atom.Code, atom.Kbd,
		atom.Samp, atom.Var, atom.Q, atom.Cite, atom.Em, atom.Strong, atom.B, atom.I, atom.U, atom.S, atom.Del, atom.Ins, atom.Sub,
		atom.Sup, atom.Mark, atom.Small, atom.Abbr, atom.Time, atom.Dfn, atom.Ruby, atom.Rt, atom.Rp, atom.Bdi, atom.Bdo:
		return el.Name
	case atom.Strike:
		return "s"
	case atom.Tt:
		return "code"
	}
	if IsInline(el.Tag) || isControl(el.Tag) || IsVoid(el.Tag) {
		return ""
	}
	return v.container(e)
}

// container keeps a box that has text of its own apart from its neighbours; others dissolve.
func (v *contentView) container(e ElementID) string {
	if v.direct[e] {
		return "div"
	}
	return ""
}

// isControl reports whether elements of this tag stand in a line of text although they end a block.
func isControl(tag atom.Atom) bool {
	switch tag {
	case atom.Button, atom.Input, atom.Select, atom.Textarea, atom.Video, atom.Audio, atom.Canvas, atom.Meter, atom.Progress,
		atom.Output, atom.Option, atom.Optgroup, atom.Picture:
		return true
	}
	return false
}

// foldSpace folds white space runs to one space, at the ends too. A no-break space is none (HTML §2.3.3).
func foldSpace(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if r == ' ' || '\t' <= r && r <= '\r' {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}
