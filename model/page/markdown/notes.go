package markdown

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// note is a footnote.
type note struct {
	label, text string
}

// findNotes finds footnotes: a short link to a place in the page that links back is a reference, and that place is its
// note.
func (d *document) findNotes() {
	ids := map[string]*html.Node{}
	for n := range d.body.Descendants() {
		if id := attr(n, "id"); id != "" && ids[id] == nil {
			ids[id] = n
		}
	}
	found := map[*html.Node]int{} // by the element that holds it, its place in d.notes
	for _, a := range slices.Collect(d.body.Descendants()) {
		target := ids[strings.TrimPrefix(attr(a, "href"), "#")]
		if a.DataAtom != atom.A || a.Parent == nil || target == nil || !strings.HasPrefix(attr(a, "href"), "#") || !isMark(textOf(a)) {
			continue
		}
		body := noteBody(target)
		if body == nil || contains(body, a) || !leadsBack(body, a) {
			continue
		}
		i, known := found[body]
		if !known {
			i = len(d.notes)
			found[body] = i
			d.notes = append(d.notes, note{label: d.label(textOf(a))})
		}
		putReference(a, d.notes[i].label)
	}
	d.cutNotes(found)
}

// isMark reports whether a text may be the mark of a note: "1", "[2]", "a", "*".
func isMark(text string) bool {
	text = strings.Trim(text, "[]() \u00a0")
	return text != "" && len([]rune(text)) <= 4 && !strings.ContainsFunc(text, unicode.IsSpace)
}

// noteBody returns the element that holds the note whose id is on n.
func noteBody(n *html.Node) *html.Node {
	for up := n; up != nil; up = up.Parent {
		switch up.DataAtom {
		case atom.Li, atom.P, atom.Dd, atom.Div, atom.Blockquote:
			return up
		case atom.Body:
			return nil
		}
	}
	return nil
}

// longestNote is how many nodes of a note are looked at for the link that leads back, for each of its references.
const longestNote = 500

// leadsBack reports whether a link in the note leads to the reference, or to an element directly around it.
func leadsBack(body, ref *html.Node) bool {
	looked := 0
	for n := range body.Descendants() {
		if looked++; looked > longestNote {
			return false
		}
		href, found := strings.CutPrefix(attr(n, "href"), "#")
		if n.DataAtom != atom.A || !found || href == "" {
			continue
		}
		for up, i := ref, 0; up != nil && i < 3; up, i = up.Parent, i+1 {
			if attr(up, "id") == href {
				return true
			}
		}
		if prev := ref.PrevSibling; prev != nil && attr(prev, "id") == href {
			return true
		}
	}
	return false
}

func contains(n, d *html.Node) bool {
	for ; d != nil; d = d.Parent {
		if d == n {
			return true
		}
	}
	return false
}

// label returns the label of a new note: its mark or, if that is in use, the next number.
func (d *document) label(mark string) string {
	mark = strings.Trim(mark, "[]() \u00a0")
	if strings.ContainsFunc(mark, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) || d.labels[mark] {
		mark = strconv.Itoa(len(d.notes) + 1)
		for d.labels[mark] {
			mark += "a"
		}
	}
	d.labels[mark] = true
	return mark
}

// putReference replaces a reference, and the superscript around it, by its label.
func putReference(a *html.Node, label string) {
	at := a
	if up := a.Parent; up.DataAtom == atom.Sup && isBlankBut(up, a) {
		at = up
	}
	ref := &html.Node{Type: html.ElementNode, Data: noteRefTag, Attr: []html.Attribute{{Key: "label", Val: label}}}
	ref.AppendChild(&html.Node{Type: html.TextNode, Data: label})
	replace(at, ref)
}

// isBlankBut reports whether n has no text outside of one of its children.
func isBlankBut(n, child *html.Node) bool {
	for c := range n.ChildNodes() {
		if c != child && !isBlank(c) {
			return false
		}
	}
	return true
}

// isBlank reports whether n has no text but white space. It ends at the first.
func isBlank(n *html.Node) bool {
	if n.Type == html.TextNode {
		return strings.TrimSpace(n.Data) == ""
	}
	for c := range n.ChildNodes() {
		if !isBlank(c) {
			return false
		}
	}
	return true
}

func renderNoteRef(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	write(w, "[^", attr(n, "label"), "]")
	return converter.RenderSuccess
}

// cutNotes removes the notes from their places and renders them without the links that lead back.
func (d *document) cutNotes(found map[*html.Node]int) {
	for body, i := range found {
		for _, a := range slices.Collect(body.Descendants()) {
			if a.DataAtom == atom.A && strings.HasPrefix(attr(a, "href"), "#") && a.Parent != nil && !hasWord(textOf(a)) {
				a.Parent.RemoveChild(a)
			}
		}
		up := body.Parent
		if up == nil {
			continue
		}
		up.RemoveChild(body)
		if (up.DataAtom == atom.Ol || up.DataAtom == atom.Ul) && up.Parent != nil && isBlank(up) {
			up.Parent.RemoveChild(up)
		}
		d.notes[i].text = d.noteText(body)
	}
}

// noteText renders a note by itself.
func (d *document) noteText(body *html.Node) string {
	inner := &document{body: element(atom.Body), options: d.options}
	for c := body.FirstChild; c != nil; c = body.FirstChild {
		body.RemoveChild(c)
		inner.body.AppendChild(c)
	}
	findFormulas(inner.body)
	flattenCells(inner.body)
	if inner.options.Links == Collected {
		inner.options.Links = Inline
	}
	md, err := inner.converter().ConvertNode(inner.body)
	if err != nil {
		return textOf(inner.body)
	}
	return indent(strings.TrimSpace(string(md)), "    ")
}

func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
