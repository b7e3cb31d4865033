package page

import (
	"bytes"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page/cascade"
)

// styled is a page as package cascade sees it.
type styled struct{ p *Page }

func (s styled) Len() int          { return len(s.p.Elements) }
func (s styled) Name(e int) string { return s.p.Elements[e].Name }
func (s styled) Parent(e int) int  { return int(s.p.Elements[e].Parent) }

func (s styled) Attr(e int, key string) (string, bool) { return s.p.Attr(ElementID(e), key) }

// Text returns the text of a style element, and of others whether they have any.
func (s styled) Text(e int) string {
	el := &s.p.Elements[e]
	switch {
	case el.TextStart == el.TextEnd:
		return ""
	case el.Name == "style" && el.TextEnd-el.TextStart > 1:
		return s.p.textIn(ElementID(e))
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

// concealment says for each element what people see of it.
type concealment struct {
	// box is for an element with everything in it, text for the texts directly in it.
	box, text []Concealment
	// shown and folded count the texts before each text that people see, and that unfold.
	shown, folded []int32
	// pictures counts the pictures before each element.
	pictures []int32
	// by is what hides an element.
	by []cascade.Means
}

// conceal finds what people do not see. It uses only the page.
func (p *Page) conceal() *concealment {
	view := cascade.Look(styled{p})
	c := &concealment{box: make([]Concealment, len(p.Elements)), text: make([]Concealment, len(p.Elements)), by: view.By}
	f := folder{p: p, c: c, scripts: p.RunsScripts(), ink: p.inkBefore(), view: &view}
	for e := range p.Elements {
		up := p.Elements[e].Parent
		around, aroundText := Shown, Shown
		if up != None {
			around, aroundText = c.box[up], c.text[up]
		}
		c.box[e] = f.settle(ElementID(e), view.Box[e], around, around)
		c.text[e] = max(c.box[e], f.settle(ElementID(e), view.Text[e], c.box[e], aroundText))
	}
	c.showFormulas(p)
	c.count(p)
	return c
}

// showFormulas makes the MathML of a formula shown where people see another form of it: the styles of KaTeX and
// MediaWiki leave it to screen readers.
func (c *concealment) showFormulas(p *Page) {
	for i := range p.Elements {
		e := ElementID(i)
		if !p.isMath(e) || c.box[e] == Shown || p.secondFormulaOf(e, c.box) == None {
			continue
		}
		for d := e; d < p.Elements[e].Sub; d++ {
			c.box[d], c.text[d] = Shown, Shown
		}
		for up, n := p.Elements[e].Parent, 0; up != None && n < 3 && c.box[up] != Shown; up, n = p.Elements[up].Parent, n+1 {
			c.box[up] = Shown
		}
	}
}

// settle turns what the styles say into what becomes of e. around is how what is around is seen, before what the same
// fault has made of the parent.
func (f *folder) settle(e ElementID, own cascade.Sight, around, before Concealment) Concealment {
	switch {
	case around == Concealed || own == cascade.Seen:
		return around
	case own == cascade.Unresolved, before == Folded && !f.p.concealsItself(e), f.unfolds(e, before == Folded):
		return Folded
	}
	return Concealed
}

// count fills in shown, folded and pictures.
func (c *concealment) count(p *Page) {
	c.shown, c.folded = make([]int32, len(p.Texts)+1), make([]int32, len(p.Texts)+1)
	c.pictures = make([]int32, len(p.Elements)+1)
	for e := range p.Elements {
		if c.pictures[e+1] = c.pictures[e]; p.Elements[e].Tag == atom.Img {
			c.pictures[e+1]++
		}
	}
	for i := range p.Texts {
		t := &p.Texts[i]
		c.shown[i+1], c.folded[i+1] = c.shown[i], c.folded[i]
		if isBlank(t.Data) || t.Block == None {
			continue
		}
		switch c.text[t.Parent] {
		case Shown:
			c.shown[i+1]++
		case Folded:
			c.folded[i+1]++
		}
	}
}

// folds reports whether e unfolds as a whole.
func (c *concealment) folds(p *Page, e ElementID) bool {
	if c.box[e] == Folded {
		return true
	}
	el := &p.Elements[e]
	return c.folded[el.TextStart] < c.folded[el.TextEnd] && c.shown[el.TextStart] == c.shown[el.TextEnd] && c.pictures[e] == c.pictures[el.Sub]
}

// of returns what people see of a block.
func (c *concealment) of(p *Page, b BlockID) Concealment {
	best := Concealed
	for _, t := range p.Texts[p.Blocks[b].TextStart:p.Blocks[b].TextEnd] {
		if t.Block == b && !isBlank(t.Data) {
			best = min(best, c.text[t.Parent])
		}
	}
	return best
}
