// Package cascade finds the text that a page's own styles hide: it reads style elements, style attributes and style
// sheets in data: addresses, applies their rules as browsers do (CSS Cascade 5: selectors, specificity, layers,
// conditions, importance, variables), and computes the properties that can hide text.
//
// It is for outputs that language models read, so it errs on the side of hidden: what it can't decide is unresolved. It
// computes no layout and loads nothing. What only other style sheets or scripts would show or hide is not known here.
package cascade

import "strings"

// Sight says whether people see something.
type Sight uint8

const (
	// Seen: nothing in the page hides it.
	Seen Sight = iota
	// Unresolved: a browser would probably not show it, or not at once: it is closed, on another screen, or its styles
	// can't be computed here.
	Unresolved
	// Hidden: a browser does not show it.
	Hidden
)

// Means says by what something is hidden, in the order in which scripts show it again.
type Means uint8

const (
	// Nothing hides it, or the cause is unknown.
	Nothing Means = iota
	// Fading: it is transparent, as what scripts fade in.
	Fading
	// Switch: it is not displayed, not visible or has no height, as what scripts open.
	Switch
	// Looks: its size, place, shape or colour hides it, which no script is for.
	Looks
)

// View is what people see of each element.
type View struct {
	// Box is for an element with everything in it, where nothing around it hides it, Text for the text directly in it.
	Box, Text []Sight
	// By is what hides an element or its text.
	By []Means
	// Spent says that the work was too much, so that nothing is known: all is unresolved.
	Spent bool
}

// The work that is done for a page at most, in steps: a token of a style sheet, an element, or a compound selector that
// is tried on an element. Usual pages need some ten thousand, the largest a million.
const (
	stepsPerPage    = 3_000_000
	stepsPerElement = 40
)

// Look reads the styles of a page. It is safe for concurrent use with a [Tree] that is.
func Look(t Tree) View {
	n := t.Len()
	steps := stepsPerPage + stepsPerElement*n
	v := View{Box: make([]Sight, n), Text: make([]Sight, n), By: make([]Means, n)}
	s := readSheets(t, &steps)
	m := newMatcher(t, &steps)
	c := newComputer(s, m, v)
	c.run()
	if s.doubtful && steps >= 0 { // once more for the case that what is doubtful is so
		m.doubts = true
		c.run()
	}
	if v.Spent = steps < 0; v.Spent {
		for e := range v.Box {
			v.Box[e], v.Text[e] = max(v.Box[e], Unresolved), max(v.Text[e], Unresolved)
		}
	}
	return v
}

// readSheets reads the style sheets in the page, in order.
func readSheets(t Tree, steps *int) *sheet {
	s := &sheet{frames: map[string][]frame{}, root: &layer{}, steps: steps}
	for e := range t.Len() {
		switch t.Name(e) {
		case "style":
			if kind, _ := t.Attr(e, "type"); kind == "" || strings.EqualFold(kind, "text/css") {
				s.readElement(t, e, t.Text(e))
			}
		case "link":
			rel, _ := t.Attr(e, "rel")
			href, _ := t.Attr(e, "href")
			_, disabled := t.Attr(e, "disabled")
			if !hasWord(rel, "stylesheet") || hasWord(rel, "alternate") || disabled {
				continue
			}
			if text, ok := dataText(href); ok {
				s.readElement(t, e, text)
			} else {
				s.external = true
			}
		}
	}
	s.root.number(0)
	return s
}

// readElement reads the sheet of an element. One in a shadow tree does not apply to the page.
func (s *sheet) readElement(t Tree, e int, text string) {
	for up := t.Parent(e); up >= 0; up = t.Parent(up) {
		switch t.Name(up) {
		case "template", "noscript", "noembed", "noframes", "iframe":
			return
		}
	}
	in, applies := context{layer: s.root}, true
	if media, _ := t.Attr(e, "media"); media != "" {
		var query []token
		for z := newTokenizer(media); ; {
			one, ok := z.next()
			if !ok {
				break
			}
			query = append(query, one)
		}
		in, applies = in.under(mediaQueries(query), true)
	}
	if applies {
		s.read(text, in)
	}
}
