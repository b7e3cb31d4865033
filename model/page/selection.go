package page

// Selection is the removed part of a page.
type Selection struct {
	// Elements are those with marks: their subtrees are removed. texts are those of marked runs.
	Elements []bool
	Texts    []bool
}

// Selected turns the marks into a selection.
func (p *Page) Selected(m *Marking) *Selection {
	s := &Selection{Elements: make([]bool, len(p.Elements)), Texts: make([]bool, len(p.Texts))}
	for _, mark := range m.Marks {
		if mark.Element != None {
			s.Elements[mark.Element] = true
			continue
		}
		for _, bl := range p.Blocks[mark.BlockStart:mark.BlockEnd] {
			for i := bl.TextStart; i < bl.TextEnd; i++ {
				s.Texts[i] = p.Texts[i].Block != None
			}
		}
	}
	return s
}

// Holds reports whether e is in a marked element.
func (s *Selection) Holds(p *Page, e ElementID) bool {
	for ; e != None; e = p.Elements[e].Parent {
		if s.Elements[e] {
			return true
		}
	}
	return false
}
