package page

import "github.com/winnow-proxy/winnow/model/page/cascade"

// concealFor is conceal for what a marking keeps of the page. Some pages hide their content until a script shows it,
// often in an archive that has lost the script. If almost nothing would be left to read, or less than is hidden, what a
// script would show counts as folded. What is hidden on any other page stays so, and what a page asks money for.
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
	switch hidden := kept[len(p.Texts)] - readable; {
	case hidden < worthShowing, readable >= max(almostNothing, hidden):
		return c
	case readable >= almostNothing && (p.Paid() || !p.RunsScripts()):
		return c
	}
	revealed := make([]bool, len(p.Elements))
	for e := range revealed {
		el := &p.Elements[e]
		if c.text[e] != Concealed || el.Parent == None {
			continue
		}
		ink := kept[el.TextEnd] - kept[el.TextStart]
		revealed[e] = c.waits(p, ElementID(e), ink, c.text[el.Parent] == Concealed, revealed[el.Parent])
	}
	for e := range revealed {
		if revealed[e] {
			c.box[e], c.text[e] = Folded, Folded
		}
	}
	c.count(p)
	return c
}

// waits reports whether a script would show e, which has so many characters of content: scripts fade things in, or show
// a large part of a page at once. Text without size, off the screen or of the colour behind it waits for no script.
// inside says that something around e is hidden, shown that it counts as shown.
func (c *concealment) waits(p *Page, e ElementID, ink int, inside, shown bool) bool {
	by := c.by[e]
	switch {
	case inside && !shown, by == cascade.Looks:
		return false
	case by == cascade.Fading:
		return true
	case inside:
		return !p.concealsItself(e)
	}
	return ink >= worthShowing
}

const (
	// almostNothing is the number of visible characters below which nothing is there to read: about 25 words.
	almostNothing = 125
	// worthShowing is the least number of characters of something that is shown although the page does not show it. A
	// note that the page needs JavaScript is shorter.
	worthShowing = 500
)
