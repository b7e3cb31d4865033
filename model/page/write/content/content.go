// Package content is the content of a page under one marking, as all modes see it that write a document of their own.
package content

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
	"github.com/winnow-proxy/winnow/model/page/markup"
	"github.com/winnow-proxy/winnow/model/page/visibility"
)

// View is the content of a page under one marking, in the form for the plain writers.
type View struct {
	Page *page.Page
	// Gone is what the marking removes.
	Gone *page.Selection
	// At makes addresses absolute. PageURL is the page's own, empty if it is not known.
	At      address.Resolver
	PageURL string
	// Done is that of the form: what is written after it is closed is not used.
	Done <-chan struct{}
	// Alive marks the elements with content: visible text, a picture or a stand-in. filled lacks those that are alive
	// only for their form, such as empty cells.
	Alive, filled []bool
	// direct marks the elements that are not inline and have text or pictures in no other such element.
	direct []bool
	// broken marks the elements that contain a block-level one.
	broken []bool
	// Layout marks layout tables and their parts.
	Layout []bool
	// Seen says what people see.
	Seen *visibility.Visibility
	// Omitted marks what plain output leaves out although it is in the content, including concealed elements.
	Omitted []bool
	// StandIns are the links that replace what plain output can't show.
	StandIns map[page.ElementID]standIn
	// forms says that controls of forms are content.
	forms bool
}

// Options say how the content of a page is seen. The zero value is usable.
type Options struct {
	// URL is the address of the page, empty if it is not known.
	URL string
	// Forms says that controls of forms are content.
	Forms bool
	// Done ends the work early where it is closed.
	Done <-chan struct{}
}

// Of returns the content of the page.
func Of(p *page.Page, m *page.Marking, o Options) *View {
	n := len(p.Elements)
	v := &View{Page: p, forms: o.Forms, Gone: p.Selected(m), At: address.Of(p, o.URL), PageURL: o.URL, Done: o.Done, filled: make([]bool, n),
		direct: make([]bool, n), broken: make([]bool, n), Omitted: omissions(p), Seen: visibility.Kept(p, m), StandIns: map[page.ElementID]standIn{}}
	for e, c := range v.Seen.Box {
		v.Omitted[e] = v.Omitted[e] || c == visibility.Concealed
	}
	hidden := v.hidden()
	for i := range p.Texts {
		if t := &p.Texts[i]; t.Block != page.None && !v.Gone.Texts[i] && !hidden[t.Parent] && v.Seen.Text[t.Parent] != visibility.Concealed && !page.IsBlank(t.Data) {
			v.enliven(t.Parent)
		}
	}
	for i := range p.Elements {
		e := page.ElementID(i)
		if page.IsDone(v.Done) {
			break
		}
		if up := p.Elements[e].Parent; v.Gone.Elements[e] || v.Omitted[e] || up != page.None && hidden[up] {
			continue
		}
		v.showTextless(e, hidden)
	}
	v.Alive = slices.Clone(v.filled)
	for e := range p.Elements {
		switch p.Elements[e].Tag {
		case atom.Br, atom.Hr, atom.Wbr, atom.Td, atom.Th:
			v.Alive[e] = v.Alive[e] || !hidden[e]
		}
	}
	v.omitRepetitions()
	v.findBroken()
	v.Layout = v.layoutTables()
	return v
}

// showTextless makes elements alive that are content without text of their own.
func (v *View) showTextless(e page.ElementID, hidden []bool) {
	if _, set := v.Page.Attr(e, "hidden"); set {
		return
	}
	shown := v.IsTask(e) || v.forms && IsControlShown(v.Page, e)
	if _, ok := markup.FormulaOf(v.Page, e); ok {
		shown = true
	} else if IsPicture(v.Page, e) {
		shown = address.OfImage(v.Page, e) != "" && !isSpacer(v.Page, e) && !v.decoratesNoise(e, hidden)
	} else if s, ok := v.standInOf(e); ok {
		v.StandIns[e], shown = s, true
	} else if _, _, ok := markup.ScriptTeX(v.Page, e); ok {
		shown = true
	}
	if shown {
		v.filled[e] = true
		v.enliven(v.Page.Elements[e].Parent)
	}
}

// decoratesNoise reports whether an image says nothing (HTML §4.8.4.4.4) and all text of its box is removed, like the
// bullet of an entry. Boxes with many texts are more than entries.
func (v *View) decoratesNoise(img page.ElementID, hidden []bool) bool {
	if alt, set := v.Page.Attr(img, "alt"); !set || alt != "" {
		return false
	}
	box := v.Page.Elements[img].Parent
	for ; box != page.None && page.IsInline(v.Page.Elements[box].Tag); box = v.Page.Elements[box].Parent {
	}
	const most = 32
	if box == page.None || v.Page.Elements[box].TextEnd-v.Page.Elements[box].TextStart > most {
		return false
	}
	removed := false
	for i := v.Page.Elements[box].TextStart; i < v.Page.Elements[box].TextEnd; i++ {
		if t := &v.Page.Texts[i]; t.Block != page.None && !page.IsBlank(t.Data) {
			if !v.Gone.Texts[i] && !hidden[t.Parent] {
				return false
			}
			removed = true
		}
	}
	return removed
}

// IsTask reports whether e is the check box of an item in a task list.
func (v *View) IsTask(e page.ElementID) bool {
	if kind, _ := v.Page.Attr(e, "type"); v.Page.Elements[e].Tag != atom.Input || !strings.EqualFold(kind, "checkbox") {
		return false
	}
	item := false
	for up := v.Page.Elements[e].Parent; up != page.None; up = v.Page.Elements[up].Parent {
		switch v.Page.Elements[up].Tag {
		case atom.Li:
			item = true
		case atom.Form:
			return false
		}
	}
	return item
}

// hidden marks the elements that are marked or never shown, with everything below them.
func (v *View) hidden() []bool {
	h := make([]bool, len(v.Page.Elements))
	for e := range v.Page.Elements {
		up := v.Page.Elements[e].Parent
		h[e] = v.Gone.Elements[e] || v.Omitted[e] || up != page.None && h[up] || v.Page.IsInvisible(page.ElementID(e))
	}
	return h
}

// enliven records that e has content directly.
func (v *View) enliven(e page.ElementID) {
	found := false
	for ; e != page.None && !(v.filled[e] && found); e = v.Page.Elements[e].Parent {
		if !found && !page.IsInline(v.Page.Elements[e].Tag) {
			found = true
			v.direct[e] = true
		}
		v.filled[e] = true
	}
}

// findBroken fills in broken.
func (v *View) findBroken() {
	p := v.Page
	for e := len(p.Elements) - 1; e > 0; e-- {
		el := &p.Elements[e]
		if markup.IsMath(p, page.ElementID(e)) || el.Tag == atom.Script || markup.IsFormulaBox(p, page.ElementID(e)) {
			v.broken[e] = false // formulas flow with the text
			continue
		}
		if up := el.Parent; v.Alive[e] && (v.broken[e] || !page.IsInline(el.Tag) && !page.IsControl(el.Tag)) {
			v.broken[up] = true
		}
	}
}

// Walk calls element for the children of e, alive or not, and text for its texts that are not concealed, in order.
// Elements that are not alive still separate their neighbours.
func (v *View) Walk(e page.ElementID, element func(page.ElementID), text func(*page.Text)) {
	p := v.Page
	texts := func(from, to int32) {
		for i := from; i < to; i++ {
			if t := &p.Texts[i]; !v.Gone.Texts[i] && (v.Seen.Text[t.Parent] != visibility.Concealed || page.IsBlank(t.Data)) {
				text(t)
			}
		}
	}
	p.Walk(e, texts, func(c page.ElementID) {
		if (v.filled[c] || !p.IsInvisible(c)) && !page.IsDone(v.Done) {
			element(c)
		}
	})
}

// FoldSpace folds white space runs to one space, also at the ends. A no-break space does not count (HTML §2.3.3).
func FoldSpace(s string) string {
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
func omissions(p *page.Page) []bool {
	o := make([]bool, len(p.Elements))
	for i := range p.Elements {
		e := page.ElementID(i)
		o[i] = markup.IsPermalink(p, e) || markup.IsLineNumbers(p, e) || markup.IsSecondFormula(p, e) || markup.IsDrawnFormula(p, e) || isNoteMark(p, e) || markup.IsAdmonitionIcon(p, e)
	}
	markup.OmitCodeTools(p, o)
	return o
}

// LinkedIDs returns the names of the places that links of the page lead to.
func (v *View) LinkedIDs() map[string]bool {
	ids := map[string]bool{}
	for e := range v.Page.Elements {
		if href, _ := v.Page.Attr(page.ElementID(e), "href"); v.Page.Elements[e].Tag == atom.A && len(href) > 1 && href[0] == '#' {
			ids[href[1:]] = true
		} else if note := NoteRefOf(v.Page, page.ElementID(e)); note != "" {
			ids[note] = true
		}
	}
	return ids
}

// IsControlShown reports whether e is a control that people use.
func IsControlShown(p *page.Page, e page.ElementID) bool {
	kind, _ := p.Attr(e, "type")
	switch p.Elements[e].Tag {
	case atom.Input, atom.Button:
		return !markup.IsOneOf(kind, "hidden", "button")
	case atom.Select, atom.Textarea:
		return true
	}
	return false
}

// IsSpace reports whether r is white space that folds (HTML §2.3.3).
func IsSpace(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' }

// titleDepth is how many elements at the start of an admonition may be its title.
const titleDepth = 8

// AdmonitionTitle returns the title of an admonition, or None.
func (v *View) AdmonitionTitle(e page.ElementID) page.ElementID {
	p := v.Page
	for d := e + 1; d < min(p.Elements[e].Sub, e+1+titleDepth); d++ {
		if !v.filled[d] || v.Omitted[d] || v.Seen.Text[d] != visibility.Shown {
			continue
		}
		class, _ := p.Attr(d, "class")
		class = strings.ToLower(class)
		switch tag := p.Elements[d].Tag; {
		case page.IsInline(tag) || tag == 0:
		case strings.Contains(class, "title") || strings.Contains(class, "heading"):
			return d
		case p.Elements[d].Parent != e:
		case tag == atom.Summary, tag == atom.H2, tag == atom.H3, tag == atom.H4, tag == atom.H5, tag == atom.H6:
			return d
		}
		if p.Elements[d].TextEnd > p.Elements[d].TextStart && !page.IsInline(p.Elements[d].Tag) && !v.broken[d] {
			return page.None // its text has begun
		}
	}
	return page.None
}
