package visibility

import (
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// maxForms is how many elements beside a formula may be another form of it.
const maxForms = 16

// SecondFormulaOf returns the form of a formula that people see in place of its MathML, or None.
func SecondFormulaOf(p *page.Page, math page.ElementID, box []State) page.ElementID {
	for up, n := p.Elements[math].Parent, 0; up != page.None && n < 3; up, n = p.Elements[up].Parent, n+1 {
		looked := 0
		for c := range p.Children(up) {
			if looked++; looked > maxForms {
				break
			}
			if box[c] == Shown && !p.Contains(c, math) && markup.IsSecondFormula(p, c) {
				return c
			}
		}
	}
	return page.None
}
