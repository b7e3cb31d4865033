package attack

import "strings"

// Bomb is a shape of page that costs much more than its length.
type Bomb struct {
	Name string
	// once stands at the start of the page, and unit fills it.
	once, unit string
}

// Page returns the bomb, of n bytes or a few less.
func (b Bomb) Page(n int) string {
	page := "<!DOCTYPE html><title>Log</title>" + b.once
	return page + strings.Repeat(b.unit, max(1, (n-len(page))/len(b.unit)))
}

// Bombs are the shapes that have cost the most.
func Bombs() []Bomb {
	return []Bomb{
		{"definitions", "", "<dt>a<dd>b"},
		{"paragraphs", "", "<p>x"},
		{"void elements", "", "<br>"},
		{"list items", "<ul>", "<li>a"},
		{"cells", "<table>", "<tr><td>x<td>y"},
		{"foster parenting", "<table>", "<b>x"},
		{"open elements", "", "<div>"},
		{"formatting", "", "<b><i><u>"},
		{"formatting in paragraphs", "", "<p><font size=1><font size=2>"},
		{"links", "", "<a href=x>y"},
		{"attributes of one tag", "<p ", "a=1 "},
		{"attributes of many tags", "", "<p a b c d e f g h i j>"},
		{"names", "", "<aa><ab><ac><ad>"},
		{"stray ends", "", "</b></p></div>"},
		{"comments", "", "<!---->"},
		{"references", "", "&amp;&lt;&#65;"},
		{"shapes of svg", "<svg>", "<path/>"},
		{"templates", "", "<template></template>"},
		{"noscripts", "", "<noscript><p></noscript>"},
		{"control characters", "<p>The tide came in again.", "\x01"},
		{"a long base address", `<base href="http://a.test/` + strings.Repeat("x/", 1<<15) + `">`, "<p><a href=y>The tide came in again, and the boats were let in.</a>"},
		{"cells over many", "<table>", "<tr><td colspan=1000 rowspan=1000>The tide came in again, and the boats were let in one by one."},
		{"quotations", strings.Repeat("<blockquote>", 400), "<p>The tide came in again, and the boats were let in one by one, as had been told."},
		{"long paragraphs", "", "<p>" + strings.Repeat("The tide came in again. ", 100)},
	}
}
