package page

// mostForms is how many elements beside a formula may be another form of it.
const mostForms = 16

// secondFormulaOf returns the form of a formula that people see in place of its MathML, or None.
func (p *Page) secondFormulaOf(math ElementID, box []Concealment) ElementID {
	for up, n := p.Elements[math].Parent, 0; up != None && n < 3; up, n = p.Elements[up].Parent, n+1 {
		looked := 0
		for c := range p.Children(up) {
			if looked++; looked > mostForms {
				break
			}
			if box[c] == Shown && !p.Contains(c, math) && p.isSecondFormula(c) {
				return c
			}
		}
	}
	return None
}
