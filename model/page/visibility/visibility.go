// Package visibility says what of a page people see. [Unseen] is a cheap approximation for every page; [Of] resolves
// the page's own styles, and says what unfolds.
package visibility

import (
	"bytes"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/cascade"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// styled is a page as package cascade sees it.
type styled struct{ p *page.Page }

func (s styled) Len() int          { return len(s.p.Elements) }
func (s styled) Name(e int) string { return s.p.Elements[e].Name }
func (s styled) Parent(e int) int  { return int(s.p.Elements[e].Parent) }

func (s styled) Attr(e int, key string) (string, bool) { return s.p.Attr(page.ElementID(e), key) }
func (s styled) Attrs(e int) int                       { return len(s.p.Attrs(page.ElementID(e))) }

// Text returns the text of a style element, and of others whether they have any.
func (s styled) Text(e int) string {
	el := &s.p.Elements[e]
	switch {
	case el.TextStart == el.TextEnd:
		return ""
	case el.Name == "style" && el.TextEnd-el.TextStart > 1:
		return s.p.TextIn(page.ElementID(e))
	}
	return s.p.Texts[el.TextStart].Data
}

// Quirks reports whether the page has another doctype than that of HTML. Those of HTML 4 and XHTML are taken for older
// ones, so that a rule in the wrong case counts.
func (s styled) Quirks() bool {
	const head = 1024
	start := bytes.ToLower(s.p.UTF8()[:min(len(s.p.UTF8()), head)])
	return !bytes.Contains(start, []byte("<!doctype html>"))
}

// Visibility says for each element what people see of it.
type Visibility struct {
	// Box is for an element with everything in it, Text for the texts directly in it.
	Box, Text []State
	// shown and Folded count the texts before each text that people see, and that unfold.
	shown, Folded []int32
	// pictures counts the pictures before each element.
	pictures []int32
	// by is what hides an element.
	by []cascade.Means
}

// Of finds what people do not see. It uses only the page.
func Of(p *page.Page) *Visibility {
	view := cascade.Look(styled{p})
	c := &Visibility{Box: make([]State, len(p.Elements)), Text: make([]State, len(p.Elements)), by: view.By}
	f := folder{p: p, c: c, scripts: markup.RunsScripts(p), ink: inkBefore(p), view: &view}
	for e := range p.Elements {
		up := p.Elements[e].Parent
		around, aroundText := Shown, Shown
		if up != page.None {
			around, aroundText = c.Box[up], c.Text[up]
		}
		c.Box[e] = f.settle(page.ElementID(e), view.Box[e], around, around)
		c.Text[e] = max(c.Box[e], f.settle(page.ElementID(e), view.Text[e], c.Box[e], aroundText))
	}
	c.showFormulas(p)
	c.count(p)
	return c
}

// showFormulas makes the MathML of a formula shown where people see another form of it: the styles of KaTeX and
// MediaWiki leave it to screen readers.
func (c *Visibility) showFormulas(p *page.Page) {
	for i := range p.Elements {
		e := page.ElementID(i)
		if !markup.IsMath(p, e) || c.Box[e] == Shown || SecondFormulaOf(p, e, c.Box) == page.None {
			continue
		}
		for d := e; d < p.Elements[e].Sub; d++ {
			c.Box[d], c.Text[d] = Shown, Shown
		}
		for up, n := p.Elements[e].Parent, 0; up != page.None && n < 3 && c.Box[up] != Shown; up, n = p.Elements[up].Parent, n+1 {
			c.Box[up] = Shown
		}
	}
}

// settle turns what the styles say into what becomes of e. around is how what is around is seen, before what the same
// fault has made of the parent.
func (f *folder) settle(e page.ElementID, own cascade.Sight, around, before State) State {
	switch {
	case around == Concealed || own == cascade.Seen:
		return around
	case own == cascade.Unresolved, before == Folded && !concealsItself(f.p, e), f.unfolds(e, before == Folded):
		return Folded
	}
	return Concealed
}

// count fills in shown, folded and pictures.
func (c *Visibility) count(p *page.Page) {
	c.shown, c.Folded = make([]int32, len(p.Texts)+1), make([]int32, len(p.Texts)+1)
	c.pictures = make([]int32, len(p.Elements)+1)
	for e := range p.Elements {
		if c.pictures[e+1] = c.pictures[e]; p.Elements[e].Tag == atom.Img {
			c.pictures[e+1]++
		}
	}
	for i := range p.Texts {
		t := &p.Texts[i]
		c.shown[i+1], c.Folded[i+1] = c.shown[i], c.Folded[i]
		if page.IsBlank(t.Data) || t.Block == page.None {
			continue
		}
		switch c.Text[t.Parent] {
		case Shown:
			c.shown[i+1]++
		case Folded:
			c.Folded[i+1]++
		}
	}
}

// Folds reports whether e unfolds as a whole.
func (c *Visibility) Folds(p *page.Page, e page.ElementID) bool {
	if c.Box[e] == Folded {
		return true
	}
	el := &p.Elements[e]
	return c.Folded[el.TextStart] < c.Folded[el.TextEnd] && c.shown[el.TextStart] == c.shown[el.TextEnd] && c.pictures[e] == c.pictures[el.Sub]
}

// Block returns what people see of a block.
func (c *Visibility) Block(p *page.Page, b page.BlockID) State {
	best := Concealed
	for _, t := range p.Texts[p.Blocks[b].TextStart:p.Blocks[b].TextEnd] {
		if t.Block == b && !page.IsBlank(t.Data) {
			best = min(best, c.Text[t.Parent])
		}
	}
	return best
}
