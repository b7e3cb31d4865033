package page

// selection is the removed part of a page.
type selection struct {
	// elements are those with marks: their subtrees are removed. texts are those of marked runs.
	elements []bool
	texts    []bool
}

// selected turns the marks into a selection.
func (p *Page) selected(m *Marking) *selection {
	s := &selection{elements: make([]bool, len(p.Elements)), texts: make([]bool, len(p.Texts))}
	for _, mark := range m.Marks {
		if mark.Element != None {
			s.elements[mark.Element] = true
			continue
		}
		for _, bl := range p.Blocks[mark.BlockStart:mark.BlockEnd] {
			for i := bl.TextStart; i < bl.TextEnd; i++ {
				s.texts[i] = p.Texts[i].Block != None
			}
		}
	}
	return s
}

// holds reports whether e is in a marked element.
func (s *selection) holds(p *Page, e ElementID) bool {
	for ; e != None; e = p.Elements[e].Parent {
		if s.elements[e] {
			return true
		}
	}
	return false
}
