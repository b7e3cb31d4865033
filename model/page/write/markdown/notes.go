package markdown

import (
	"iter"
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
	// body is the element that holds the note, refs are the links to it.
	body *html.Node
	refs []*html.Node
}

// noteClass is the class of a small element that holds a note in the line that it belongs to.
const noteClass = "note"

// findNotes finds footnotes. A short link to a place in the page is a reference, and that place is its note, if the
// note links back, or if the reference is raised and the note begins with the same mark. Sidenotes stand beside
// their mark.
func (d *document) findNotes() {
	ids := map[string]*html.Node{}
	for n := range d.body.Descendants() {
		if id := attr(n, "id"); id != "" && ids[id] == nil {
			ids[id] = n
		}
	}
	cells := lastCells{}
	found := map[*html.Node]int{} // by the element that holds it, its place in d.notes
	for _, a := range slices.Collect(d.body.Descendants()) {
		if d.options.over() {
			return // Convert asks, too
		}
		if a.DataAtom == atom.Small && attr(a, "class") == noteClass && a.Parent != nil {
			d.notes = append(d.notes, note{label: d.label("*"), body: a})
			putReference(a, d.notes[len(d.notes)-1].label)
			continue
		}
		target := ids[strings.TrimPrefix(attr(a, "href"), "#")]
		if a.DataAtom != atom.A || a.Parent == nil || target == nil || !strings.HasPrefix(attr(a, "href"), "#") || !isMark(textOf(a)) {
			continue
		}
		body := cells.noteBody(target)
		if body == nil || isInNote(a, found) || contains(body, a) || !leadsBack(body, a) && !(isRaised(a) && isMarked(body, textOf(a))) {
			continue
		}
		i, known := found[body]
		if !known {
			i = len(d.notes)
			found[body] = i
			d.notes = append(d.notes, note{label: d.label(textOf(a)), body: body})
		}
		d.notes[i].refs = append(d.notes[i].refs, a)
	}
	for i := range d.notes {
		d.notes[i].cutBackLinks()
	}
	for _, n := range d.notes {
		for _, a := range n.refs {
			putReference(a, n.label)
		}
	}
	for i := range d.notes {
		d.cutNote(&d.notes[i])
	}
}

// isInNote reports whether a link is in a note that was found: it may lead back.
func isInNote(a *html.Node, found map[*html.Node]int) bool {
	for up := a.Parent; up != nil; up = up.Parent {
		if _, known := found[up]; known {
			return true
		}
		if up.DataAtom == atom.Tr || up.DataAtom == atom.Dl { // a link back may be beside the note
			for c := range near(up.ChildNodes()) {
				if _, known := found[c]; known {
					return true
				}
			}
		}
	}
	return false
}

// isRaised reports whether a link is superscript.
func isRaised(a *html.Node) bool {
	if a.Parent.DataAtom == atom.Sup {
		return true
	}
	first := a.FirstChild
	return first != nil && first == a.LastChild && first.DataAtom == atom.Sup
}

// isMarked reports whether a note has the mark of its reference: it begins with it ("1. ", "[2] ", "* "), stands beside
// it in its row, or has that place in its list.
func isMarked(body *html.Node, mark string) bool {
	mark = strings.Trim(mark, marks)
	text, found := strings.CutPrefix(strings.TrimLeft(startOf(body), marks), mark)
	switch {
	case found && text != "" && !hasWord(text[:1]):
		return true
	case body.DataAtom == atom.Td && body.Parent.DataAtom == atom.Tr:
		first := body.Parent.FirstChild
		for first.Type == html.TextNode && first != body {
			first = first.NextSibling
		}
		return first != body && strings.Trim(startOf(first), marks+"^↑") == mark
	case body.DataAtom == atom.Li && body.Parent != nil && body.Parent.DataAtom == atom.Ol:
		place, err := strconv.Atoi(mark)
		for li := body; li != nil && place >= 0; li = li.PrevSibling { // a mark has at most four digits
			if li.DataAtom == atom.Li {
				place--
			}
		}
		return err == nil && place == 0
	}
	return false
}

// marks are the characters around the mark of a note.
const marks = "[]() \n\t\u00a0"

// isMark reports whether a text may be the mark of a note: "1", "[2]", "a", "*".
func isMark(text string) bool {
	text = strings.Trim(text, marks)
	return text != "" && len([]rune(text)) <= 4 && !strings.ContainsFunc(text, unicode.IsSpace)
}

// lastCells has the last cell of each row, and of each table of one row, that was asked for: a row can hold many notes.
type lastCells map[*html.Node]*html.Node

// noteBody returns the element that holds the note whose id is on n.
func (c lastCells) noteBody(n *html.Node) *html.Node {
	for up := n; up != nil; up = up.Parent {
		switch up.DataAtom {
		case atom.Dt:
			for next, looked := up.NextSibling, 0; next != nil && looked < longestNote; next, looked = next.NextSibling, looked+1 {
				if next.DataAtom == atom.Dd {
					return next
				}
			}
			return nil
		case atom.Td, atom.Th, atom.Tr:
			return c.of(up)
		case atom.Table:
			if _, known := c[up]; !known {
				c[up] = nil
				if rows := elements(up, atom.Tr); len(rows) == 1 {
					c[up] = c.of(rows[0])
				}
			}
			return c[up]
		case atom.Li, atom.P, atom.Dd, atom.Div, atom.Blockquote:
			return up
		case atom.Body:
			return nil
		}
	}
	return nil
}

// of returns the last of the two or more cells of the row that n is, or is in.
func (c lastCells) of(n *html.Node) *html.Node {
	for n != nil && n.DataAtom != atom.Tr {
		n = n.Parent
	}
	if n == nil {
		return nil
	}
	if _, known := c[n]; !known {
		c[n] = nil
		if cells := append(elements(n, atom.Th), elements(n, atom.Td)...); len(cells) > 1 {
			c[n] = cells[len(cells)-1]
		}
	}
	return c[n]
}

// elements returns the elements of a tag in n.
func elements(n *html.Node, tag atom.Atom) (all []*html.Node) {
	for d := range n.Descendants() {
		if d.DataAtom == tag {
			all = append(all, d)
		}
	}
	return all
}

// longestNote bounds the nodes in and beside a note that are searched for each reference to it.
const longestNote = 500

// near yields the first of some nodes, as many as are looked at.
func near(nodes iter.Seq[*html.Node]) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		looked := 0
		for n := range nodes {
			if looked++; looked > longestNote || !yield(n) {
				return
			}
		}
	}
}

// startOf returns the beginning of the text of n.
func startOf(n *html.Node) string {
	const most = 256
	var b strings.Builder
	for c := range near(n.Descendants()) {
		if b.Len() >= most {
			break
		}
		if c.Type == html.TextNode {
			b.WriteString(c.Data[:min(len(c.Data), most)])
		}
	}
	return b.String()
}

// leadsBack reports whether a link in the note, or beside it in its row, leads to the reference.
func leadsBack(body, ref *html.Node) bool {
	for n := range near(noteBox(body).Descendants()) {
		if href, found := strings.CutPrefix(attr(n, "href"), "#"); n.DataAtom == atom.A && found && href != "" && isAt(ref, href) {
			return true
		}
	}
	return false
}

// isAt reports whether an id is that of a reference, of an element directly around it, or of an empty one before that.
func isAt(ref *html.Node, id string) bool {
	for up, i := ref, 0; up != nil && i < 3; up, i = up.Parent, i+1 {
		if attr(up, "id") == id {
			return true
		}
		if prev := up.PrevSibling; prev != nil && attr(prev, "id") == id && isBlank(prev) {
			return true
		}
	}
	return false
}

// noteBox returns what a note consists of: the element that holds it, its row, or its pair of term and definition.
func noteBox(body *html.Node) *html.Node {
	switch body.DataAtom {
	case atom.Td, atom.Th, atom.Dd:
		return body.Parent
	}
	return body
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
	mark = strings.Trim(mark, marks)
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

// isBlankBut reports whether n has few children, and no text outside of one of them, but brackets.
func isBlankBut(n, child *html.Node) bool {
	looked := 0
	for c := range n.ChildNodes() {
		if looked++; looked > longestNote {
			return false
		}
		if c != child && strings.Trim(textOf(c), marks) != "" {
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

// cutBackLinks removes the links from a note to its references.
func (n *note) cutBackLinks() {
	for _, a := range slices.Collect(near(n.body.Descendants())) {
		id, found := strings.CutPrefix(attr(a, "href"), "#")
		if a.DataAtom != atom.A || !found || a.Parent == nil {
			continue
		}
		if !hasWord(textOf(a)) || slices.ContainsFunc(n.refs, func(ref *html.Node) bool { return isAt(ref, id) }) {
			a.Parent.RemoveChild(a)
		}
	}
}

// cutNote removes a note from its place and renders it.
func (d *document) cutNote(n *note) {
	if len(n.refs) > 0 {
		cutStart(n.body, strings.Trim(textOf(n.refs[0]), marks))
	}
	if up := n.body.Parent; up != nil {
		if n.body.DataAtom == atom.Dd {
			cutTerm(n.body)
		}
		cutBefore(n.body)
		up.RemoveChild(n.body)
		cutRest(up)
	}
	n.text = d.noteText(n.body)
}

// cutTerm removes the term before a definition if it is only a mark.
func cutTerm(dd *html.Node) {
	dt := dd.PrevSibling
	for dt != nil && dt.Type == html.TextNode && isBlank(dt) {
		dt = dt.PrevSibling
	}
	if dt != nil && dt.DataAtom == atom.Dt && isOnlyMark(dt) {
		dt.Parent.RemoveChild(dt)
	}
}

// cutStart removes from the start of a note its mark, and what stood around links that are gone: "1. ", "[2] ", "^ ".
func cutStart(body *html.Node, mark string) {
	const around = marks + "^↑.,"
	for d := range body.Descendants() {
		if d.Type != html.TextNode || strings.TrimSpace(d.Data) == "" {
			continue
		}
		if text, found := strings.CutPrefix(strings.TrimLeft(d.Data, marks), mark); found && mark != "" && (text == "" || !hasWord(text[:1])) {
			d.Data = text
		}
		if d.Data = strings.TrimLeft(d.Data, around); d.Data != "" {
			return
		}
	}
}

// cutRest removes what a note that is gone leaves empty: its list, its row, its table.
func cutRest(n *html.Node) {
	for up := n.Parent; up != nil && n.DataAtom != atom.Li && isOnlyMark(n); n, up = up, up.Parent {
		cutBefore(n)
		up.RemoveChild(n)
	}
}

// cutBefore removes a line or a heading before the last of the notes, if no text follows.
func cutBefore(n *html.Node) {
	if isFollowed(n) {
		return
	}
	for before := n.PrevSibling; before != nil; {
		prev := before.PrevSibling
		switch {
		case before.Type == html.TextNode && isBlank(before):
		case before.DataAtom == atom.Hr, before.DataAtom == atom.Br, isNotesHeading(before):
			n.Parent.RemoveChild(before)
		default:
			return
		}
		before = prev
	}
}

// isOnlyMark reports whether nothing is left in n but the mark of a note, or the heading of a table of notes.
func isOnlyMark(n *html.Node) bool {
	text := ""
	for d := range n.Descendants() {
		switch {
		case d.DataAtom == atom.Img:
			return false
		case d.Type == html.TextNode && !(d.Parent.DataAtom == atom.Caption && isNotesHeading(d.Parent)):
			text += strings.Trim(d.Data, marks+"^↑")
		}
		if len(text) > longestMark {
			return false
		}
	}
	return text == "" || (n.DataAtom == atom.Dt || n.DataAtom == atom.Tr) && isMark(text)
}

// longestMark is the most bytes of a mark.
const longestMark = 16

// isNotesHeading reports whether n is a heading, or a line, that only says that notes follow.
func isNotesHeading(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.P, atom.Div, atom.Caption:
	default:
		return false
	}
	const longest = 64
	text := textOf(n)
	if len(text) > longest {
		return false
	}
	switch strings.ToLower(strings.Trim(text, " :.\n\t")) {
	case "footnotes", "footnote", "notes", "note", "endnotes", "references", "notes and references", "references and notes", "citations", "anmerkungen",
		"fußnoten", "fussnoten", "einzelnachweise", "quellen", "notas", "referencias", "notes et références", "références", "notes de bas de page",
		"note a piè di pagina", "voetnoten", "noten", "przypisy", "примечания", "сноски", "脚注", "注释", "注釋", "参考资料":
		return true
	}
	return false
}

// isFollowed reports whether text stands between n and the next heading.
func isFollowed(n *html.Node) bool {
	for next := n.NextSibling; next != nil; next = next.NextSibling {
		switch {
		case isBlank(next):
		case next.DataAtom == atom.H1 || next.DataAtom == atom.H2 || next.DataAtom == atom.H3 || next.DataAtom == atom.H4:
			return false
		default:
			return true
		}
	}
	return false
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
