package fill

import (
	"html"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/active"
	"github.com/winnow-proxy/winnow/model/page/edit"
	"github.com/winnow-proxy/winnow/model/page/visibility"
)

// noscriptEdits puts the contents of each noscript that has more text than the visible page in its place: what a site
// shows to those without scripts is then the page.
func noscriptEdits(p *page.Page) (edits []edit.Edit) {
	shown := -1
	for e := p.Body + 1; int(e) < len(p.Elements); e++ {
		el := &p.Elements[e]
		if el.Tag != atom.Noscript || !el.Outer.Known() || len(p.TextIn(e)) < visibility.MinRevealed {
			continue
		}
		contents, ink := noscriptContents(p, e)
		if shown < 0 {
			shown = shownInk(p)
		}
		if ink >= visibility.MinRevealed && ink > shown {
			edits = append(edits, edit.Edit{Start: el.Outer.Start, End: el.Outer.End, Insert: contents})
		}
	}
	return edits
}

// noscriptContents returns the markup of a noscript without what would be active, and the number of its visible
// characters. Scripts and frames in a noscript run in no browser, so they must not run here.
func noscriptContents(p *page.Page, e page.ElementID) (markup string, ink int) {
	inner := p.Inner(e)
	part, err := page.Parse(p.Source[inner.Start:inner.End], "text/html; charset=utf-8")
	if err != nil || part.Fragile() != 0 {
		return "", 0
	}
	var edits []edit.Edit
	cut := func(start, end int32) {
		if n := len(edits); n == 0 || edits[n-1].End <= start {
			edits = append(edits, edit.Edit{Start: start, End: end, Insert: ""})
		}
	}
	for d := page.ElementID(0); int(d) < len(part.Elements); d++ {
		el := &part.Elements[d]
		switch {
		case active.IsActive(el.Tag) && el.Outer.Known():
			cut(el.Outer.Start, el.Outer.End)
			d = el.Sub - 1
		case hasHandler(part, d):
			cut(el.StartTag.Start, el.StartTag.End) // its end tag alone has no effect
		}
	}
	return string(edit.Edits(edits).Apply(part.Source)), shownInk(part)
}

func hasHandler(p *page.Page, e page.ElementID) bool {
	for _, a := range p.Attrs(e) {
		if active.IsHandler(a) {
			return true
		}
	}
	return false
}

// revealEdits removes the attribute hidden from the element that has most of the page's text, if the page shows almost
// nothing: a script would show it.
func revealEdits(p *page.Page) []edit.Edit {
	best, most := page.ElementID(page.None), visibility.MinRevealed-1
	for e := p.Body + 1; int(e) < len(p.Elements); e++ {
		if _, hidden := p.Attr(e, "hidden"); !hidden || !p.Elements[e].Outer.Known() {
			continue
		}
		el := &p.Elements[e]
		ink := 0
		for _, t := range p.Texts[el.TextStart:el.TextEnd] {
			if isReadable(p, t.Parent, e) {
				ink += page.Ink(t.Data)
			}
		}
		if ink > most {
			best, most = e, ink
		}
		e = el.Sub - 1
	}
	if best == page.None || shownInk(p) >= visibility.MinReadable {
		return nil
	}
	tag := p.Elements[best].StartTag
	return []edit.Edit{{Start: tag.Start, End: tag.End, Insert: startTagWithout(p, best, "hidden")}}
}

// isReadable reports whether an element in e would show its text if e were shown.
func isReadable(p *page.Page, inner, e page.ElementID) bool {
	for ; inner != e; inner = p.Elements[inner].Parent {
		if p.IsInvisible(inner) {
			return false
		}
	}
	return true
}

// startTagWithout writes the start tag of e again, without one attribute.
func startTagWithout(p *page.Page, e page.ElementID, key string) string {
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
