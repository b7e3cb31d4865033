package page

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// contentView is the content of a page under one marking, in the form for the plain writers.
type contentView struct {
	p    *Page
	gone *selection
	// at makes addresses absolute. pageURL is the page's own, empty if it is not known.
	at      addresses
	pageURL string
	// done is that of the form: what is written after it is closed is not used.
	done <-chan struct{}
	// alive marks the elements with content: visible text, a picture or a stand-in. filled lacks those that are alive
	// only for their form, such as empty cells.
	alive, filled []bool
	// direct marks the elements that are not inline and have text or pictures in no other such element.
	direct []bool
	// broken marks the elements that contain a block-level one.
	broken []bool
	// layout marks layout tables and their parts.
	layout []bool
	// seen says what people see.
	seen *concealment
	// omitted marks what plain output leaves out although it is in the content, including concealed elements.
	omitted []bool
	// standIns are the links that replace what plain output can't show.
	standIns map[ElementID]standIn
	// forms says that controls of forms are content.
	forms bool
}

// viewOptions say how the content of a page is seen. The zero value is usable.
type viewOptions struct {
	// URL is the address of the page, empty if it is not known.
	URL string
	// Forms says that controls of forms are content.
	Forms bool
	// Done ends the work early where it is closed.
	Done <-chan struct{}
}

// viewContent returns the content of the page.
func (p *Page) viewContent(m *Marking, o viewOptions) *contentView {
	n := len(p.Elements)
	v := &contentView{p: p, forms: o.Forms, gone: p.selected(m), at: p.addressesOf(o.URL), pageURL: o.URL, done: o.Done, filled: make([]bool, n),
		direct: make([]bool, n), broken: make([]bool, n), omitted: p.omissions(), seen: p.concealFor(m), standIns: map[ElementID]standIn{}}
	for e, c := range v.seen.box {
		v.omitted[e] = v.omitted[e] || c == Concealed
	}
	hidden := v.hidden()
	for i := range p.Texts {
		if t := &p.Texts[i]; t.Block != None && !v.gone.texts[i] && !hidden[t.Parent] && v.seen.text[t.Parent] != Concealed && !isBlank(t.Data) {
			v.enliven(t.Parent)
		}
	}
	for i := range p.Elements {
		e := ElementID(i)
		if IsDone(v.done) {
			break
		}
		if up := p.Elements[e].Parent; v.gone.elements[e] || v.omitted[e] || up != None && hidden[up] {
			continue
		}
		v.showTextless(e, hidden)
	}
	v.alive = slices.Clone(v.filled)
	for e := range p.Elements {
		switch p.Elements[e].Tag {
		case atom.Br, atom.Hr, atom.Wbr, atom.Td, atom.Th:
			v.alive[e] = v.alive[e] || !hidden[e]
		}
	}
	v.omitRepetitions()
	v.findBroken()
	v.layout = v.layoutTables()
	return v
}

// showTextless makes elements alive that are content without text of their own.
func (v *contentView) showTextless(e ElementID, hidden []bool) {
	if _, set := v.p.Attr(e, "hidden"); set {
		return
	}
	shown := v.isTask(e) || v.forms && v.p.isControlShown(e)
	if _, ok := v.p.formulaOf(e); ok {
		shown = true
	} else if v.p.isPicture(e) {
		shown = v.p.imageURL(e) != "" && !v.p.isSpacer(e) && !v.decoratesNoise(e, hidden)
	} else if s, ok := v.standInOf(e); ok {
		v.standIns[e], shown = s, true
	} else if _, _, ok := v.p.scriptTeX(e); ok {
		shown = true
	}
	if shown {
		v.filled[e] = true
		v.enliven(v.p.Elements[e].Parent)
	}
}

// decoratesNoise reports whether an image says nothing (HTML §4.8.4.4.4) and all text of its box is removed, like the
// bullet of an entry. Boxes with many texts are more than entries.
func (v *contentView) decoratesNoise(img ElementID, hidden []bool) bool {
	if alt, set := v.p.Attr(img, "alt"); !set || alt != "" {
		return false
	}
	box := v.p.Elements[img].Parent
	for ; box != None && IsInline(v.p.Elements[box].Tag); box = v.p.Elements[box].Parent {
	}
	const most = 32
	if box == None || v.p.Elements[box].TextEnd-v.p.Elements[box].TextStart > most {
		return false
	}
	removed := false
	for i := v.p.Elements[box].TextStart; i < v.p.Elements[box].TextEnd; i++ {
		if t := &v.p.Texts[i]; t.Block != None && !isBlank(t.Data) {
			if !v.gone.texts[i] && !hidden[t.Parent] {
				return false
			}
			removed = true
		}
	}
	return removed
}

// isTask reports whether e is the check box of an item in a task list.
func (v *contentView) isTask(e ElementID) bool {
	if kind, _ := v.p.Attr(e, "type"); v.p.Elements[e].Tag != atom.Input || !strings.EqualFold(kind, "checkbox") {
		return false
	}
	item := false
	for up := v.p.Elements[e].Parent; up != None; up = v.p.Elements[up].Parent {
		switch v.p.Elements[up].Tag {
		case atom.Li:
			item = true
		case atom.Form:
			return false
		}
	}
	return item
}

// hidden marks the elements that are marked or never shown, with everything below them.
func (v *contentView) hidden() []bool {
	h := make([]bool, len(v.p.Elements))
	for e := range v.p.Elements {
		up := v.p.Elements[e].Parent
		h[e] = v.gone.elements[e] || v.omitted[e] || up != None && h[up] || v.p.IsInvisible(ElementID(e))
	}
	return h
}

// enliven records that e has content directly.
func (v *contentView) enliven(e ElementID) {
	found := false
	for ; e != None && !(v.filled[e] && found); e = v.p.Elements[e].Parent {
		if !found && !IsInline(v.p.Elements[e].Tag) {
			found = true
			v.direct[e] = true
		}
		v.filled[e] = true
	}
}

// findBroken fills in broken.
func (v *contentView) findBroken() {
	p := v.p
	for e := len(p.Elements) - 1; e > 0; e-- {
		el := &p.Elements[e]
		if p.isMath(ElementID(e)) || el.Tag == atom.Script || p.isFormulaBox(ElementID(e)) {
			v.broken[e] = false // formulas flow with the text
			continue
		}
		if up := el.Parent; v.alive[e] && (v.broken[e] || !IsInline(el.Tag) && !isControl(el.Tag)) {
			v.broken[up] = true
		}
	}
}

// walk calls element for the children of e, alive or not, and text for its texts that are not concealed, in order.
// Elements that are not alive still separate their neighbours.
func (v *contentView) walk(e ElementID, element func(ElementID), text func(*Text)) {
	p := v.p
	texts := func(from, to int32) {
		for i := from; i < to; i++ {
			if t := &p.Texts[i]; !v.gone.texts[i] && (v.seen.text[t.Parent] != Concealed || isBlank(t.Data)) {
				text(t)
			}
		}
	}
	p.Walk(e, texts, func(c ElementID) {
		if (v.filled[c] || !p.IsInvisible(c)) && !IsDone(v.done) {
			element(c)
		}
	})
}

// foldSpace folds white space runs to one space, also at the ends. A no-break space does not count (HTML §2.3.3).
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

// omissions marks the elements inside the content that plain output leaves out: links of headings to themselves, line
// numbers and buttons beside listings, and the second form of a formula.
func (p *Page) omissions() []bool {
	o := make([]bool, len(p.Elements))
	for i := range p.Elements {
		e := ElementID(i)
		o[i] = p.isPermalink(e) || p.isLineNumbers(e) || p.isSecondFormula(e) || p.isDrawnFormula(e) || p.isNoteMark(e) || p.isAdmonitionIcon(e)
	}
	p.omitCodeTools(o)
	return o
}

// linkedIDs returns the names of the places that links of the page lead to.
func (v *contentView) linkedIDs() map[string]bool {
	ids := map[string]bool{}
	for e := range v.p.Elements {
		if href, _ := v.p.Attr(ElementID(e), "href"); v.p.Elements[e].Tag == atom.A && len(href) > 1 && href[0] == '#' {
			ids[href[1:]] = true
		} else if note := v.p.noteRefOf(ElementID(e)); note != "" {
			ids[note] = true
		}
	}
	return ids
}

// isControlShown reports whether e is a control that people use.
func (p *Page) isControlShown(e ElementID) bool {
	kind, _ := p.Attr(e, "type")
	switch p.Elements[e].Tag {
	case atom.Input, atom.Button:
		return !isOneOf(kind, "hidden", "button")
	case atom.Select, atom.Textarea:
		return true
	}
	return false
}

func isSpace(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' }

// titleDepth is how many elements at the start of an admonition may be its title.
const titleDepth = 8

// admonitionTitle returns the title of an admonition, or None.
func (v *contentView) admonitionTitle(e ElementID) ElementID {
	p := v.p
	for d := e + 1; d < min(p.Elements[e].Sub, e+1+titleDepth); d++ {
		if !v.filled[d] || v.omitted[d] || v.seen.text[d] != Shown {
			continue
		}
		class, _ := p.Attr(d, "class")
		class = strings.ToLower(class)
		switch tag := p.Elements[d].Tag; {
		case IsInline(tag) || tag == 0:
		case strings.Contains(class, "title") || strings.Contains(class, "heading"):
			return d
		case p.Elements[d].Parent != e:
		case tag == atom.Summary, tag == atom.H2, tag == atom.H3, tag == atom.H4, tag == atom.H5, tag == atom.H6:
			return d
		}
		if p.Elements[d].TextEnd > p.Elements[d].TextStart && !IsInline(p.Elements[d].Tag) && !v.broken[d] {
			return None // its text has begun
		}
	}
	return None
}
