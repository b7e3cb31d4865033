package page

import "strings"

// concealFor is conceal for what a marking keeps of the page. Some pages hide their content until a script shows it,
// often in an archive that has lost the script. If almost nothing would be left to read, what a script would show
// counts as folded. What is hidden on any other page stays so.
func (p *Page) concealFor(m *Marking) *concealment {
	c := p.conceal()
	kept := make([]int, len(p.Texts)+1) // characters of content before each text
	readable := 0
	for i := range p.Texts {
		t := &p.Texts[i]
		kept[i+1] = kept[i]
		if t.Block == None || m.Verdicts[t.Block].Noise {
			continue
		}
		ink := Ink(t.Data)
		kept[i+1] += ink
		if c.text[t.Parent] != Concealed {
			readable += ink
		}
	}
	if readable >= almostNothing || kept[len(p.Texts)]-readable < worthShowing {
		return c
	}
	revealed := make([]bool, len(p.Elements))
	for e := range revealed {
		el := &p.Elements[e]
		if c.text[e] != Concealed || el.Parent == None {
			continue
		}
		ink := kept[el.TextEnd] - kept[el.TextStart]
		if p.isVeiled(ElementID(e), ink, c.text[el.Parent] == Concealed, revealed[el.Parent]) {
			revealed[e] = true
		}
	}
	for e := range revealed {
		if revealed[e] {
			c.box[e], c.text[e] = Folded, Folded
		}
	}
	c.count(p)
	return c
}

// isVeiled reports whether a script would show e, which has so many characters of content: scripts fade things in, or
// show a large part of a page at once. Text without size, off the screen or of the colour behind it waits for no
// script. inside says that something around e is hidden, shown that it counts as shown.
func (p *Page) isVeiled(e ElementID, ink int, inside, shown bool) bool {
	style, _ := p.Attr(e, "style")
	switch {
	case inside && !shown, hides(withoutProperties(style, "opacity", "display", "visibility")):
		return false
	case hides(style) && !hides(withoutProperties(style, "opacity")):
		return true
	case inside:
		return !p.concealsItself(e)
	}
	return ink >= worthShowing
}

// withoutProperties returns declarations of CSS without those of some properties.
func withoutProperties(declarations string, properties ...string) string {
	var rest []string
	for d := range strings.SplitSeq(declarations, ";") {
		name, _, _ := strings.Cut(d, ":")
		gone := false
		for _, p := range properties {
			gone = gone || strings.EqualFold(strings.TrimSpace(name), p)
		}
		if !gone {
			rest = append(rest, d)
		}
	}
	return strings.Join(rest, ";")
}
