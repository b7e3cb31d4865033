package page

import (
	"html"
	"strings"

	"golang.org/x/net/html/atom"
)

// noscriptEdits puts the contents of each noscript that has more text than the visible page in its place: what a site
// shows to those without scripts is then the page.
func (p *Page) noscriptEdits() (edits []Edit) {
	shown := -1
	for e := p.Body + 1; int(e) < len(p.Elements); e++ {
		el := &p.Elements[e]
		if el.Tag != atom.Noscript || !el.Outer.Known() || len(p.textIn(e)) < worthShowing {
			continue
		}
		contents, ink := p.noscriptContents(e)
		if shown < 0 {
			shown = p.shownInk()
		}
		if ink >= worthShowing && ink > shown {
			edits = append(edits, Edit{el.Outer.Start, el.Outer.End, contents})
		}
	}
	return edits
}

// noscriptContents returns the markup of a noscript without what would be active, and the number of its visible
// characters. Scripts and frames in a noscript run in no browser, so they must not run here.
func (p *Page) noscriptContents(e ElementID) (markup string, ink int) {
	inner := p.inner(e)
	part, err := Parse(p.Source[inner.Start:inner.End], "text/html; charset=utf-8")
	if err != nil || part.Fragile() != 0 {
		return "", 0
	}
	var edits []Edit
	cut := func(start, end int32) {
		if n := len(edits); n == 0 || edits[n-1].End <= start {
			edits = append(edits, Edit{start, end, ""})
		}
	}
	for d := ElementID(0); int(d) < len(part.Elements); d++ {
		el := &part.Elements[d]
		switch {
		case isActive(el.Tag) && el.Outer.Known():
			cut(el.Outer.Start, el.Outer.End)
			d = el.Sub - 1
		case part.hasHandler(d):
			cut(el.StartTag.Start, el.StartTag.End) // its end tag alone has no effect
		}
	}
	return string(Edits(edits).Apply(part.Source)), part.shownInk()
}

func (p *Page) hasHandler(e ElementID) bool {
	for _, a := range p.Attrs(e) {
		if isHandler(a) {
			return true
		}
	}
	return false
}

// revealEdits removes the attribute hidden from the element that has most of the page's text, if the page shows almost
// nothing: a script would show it.
func (p *Page) revealEdits() []Edit {
	best, most := ElementID(None), worthShowing-1
	for e := p.Body + 1; int(e) < len(p.Elements); e++ {
		if _, hidden := p.Attr(e, "hidden"); !hidden || !p.Elements[e].Outer.Known() {
			continue
		}
		el := &p.Elements[e]
		ink := 0
		for _, t := range p.Texts[el.TextStart:el.TextEnd] {
			if p.isReadable(t.Parent, e) {
				ink += Ink(t.Data)
			}
		}
		if ink > most {
			best, most = e, ink
		}
		e = el.Sub - 1
	}
	if best == None || p.shownInk() >= almostNothing {
		return nil
	}
	tag := p.Elements[best].StartTag
	return []Edit{{tag.Start, tag.End, p.startTagWithout(best, "hidden")}}
}

// isReadable reports whether an element in e would show its text if e were shown.
func (p *Page) isReadable(inner, e ElementID) bool {
	for ; inner != e; inner = p.Elements[inner].Parent {
		if p.IsInvisible(inner) {
			return false
		}
	}
	return true
}

// startTagWithout writes the start tag of e again, without one attribute.
func (p *Page) startTagWithout(e ElementID, key string) string {
	var b strings.Builder
	b.WriteString("<" + p.Elements[e].Name)
	for _, a := range p.Attrs(e) {
		if a.Key != key {
			b.WriteString(" " + a.Key + `="` + html.EscapeString(a.Val) + `"`)
		}
	}
	b.WriteString(">")
	return b.String()
}
