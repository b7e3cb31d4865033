package visibility

import (
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/cascade"
	"github.com/winnow-proxy/winnow/model/page/markup"
)

// Kept is conceal for what a marking keeps of the page. Some pages hide their content until a script shows it,
// often in an archive that has lost the script. If almost nothing would be left to read, or less than is hidden, what a
// script would show counts as folded. What is hidden on any other page stays so, and what a page asks money for.
func Kept(p *page.Page, m *page.Marking) *Visibility {
	c := Of(p)
	kept := make([]int, len(p.Texts)+1) // characters of content before each text
	readable := 0
	for i := range p.Texts {
		t := &p.Texts[i]
		kept[i+1] = kept[i]
		if t.Block == page.None || m.Verdicts[t.Block].Noise {
			continue
		}
		ink := page.Ink(t.Data)
		kept[i+1] += ink
		if c.Text[t.Parent] != Concealed {
			readable += ink
		}
	}
	switch hidden := kept[len(p.Texts)] - readable; {
	case hidden < MinRevealed, readable >= max(MinReadable, hidden):
		return c
	case readable >= MinReadable && (p.Paid() || !markup.RunsScripts(p)):
		return c
	}
	revealed := make([]bool, len(p.Elements))
	for e := range revealed {
		el := &p.Elements[e]
		if c.Text[e] != Concealed || el.Parent == page.None {
			continue
		}
		ink := kept[el.TextEnd] - kept[el.TextStart]
		revealed[e] = c.waits(p, page.ElementID(e), ink, c.Text[el.Parent] == Concealed, revealed[el.Parent])
	}
	for e := range revealed {
		if revealed[e] {
			c.Box[e], c.Text[e] = Folded, Folded
		}
	}
	c.count(p)
	return c
}

// waits reports whether a script would show e, which has so many characters of content: scripts fade things in, or show
// a large part of a page at once. Text without size, off the screen or of the colour behind it waits for no script.
// inside says that something around e is hidden, shown that it counts as shown.
func (c *Visibility) waits(p *page.Page, e page.ElementID, ink int, inside, shown bool) bool {
	by := c.by[e]
	switch {
	case inside && !shown, by == cascade.Looks:
		return false
	case by == cascade.Fading:
		return true
	case inside:
		return !concealsItself(p, e)
	}
	return ink >= MinRevealed
}

const (
	// MinReadable is the number of visible characters below which a page shows nothing to read: about 25 words.
	MinReadable = 125
	// MinRevealed is the least number of characters of something that is shown although the page does not show it. A
	// note that the page needs JavaScript is shorter.
	MinRevealed = 500
)
