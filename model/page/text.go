package page

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

// writeText writes the content as plain text: each block on a line of its own, table cells apart by tabs, list items
// with bullets, preformatted text as it is.
func (p *Page) writeText(m *Marking) (*Output, error) {
	return &Output{Body: []byte(p.plainText(m)), ContentType: "text/plain; charset=utf-8", Removed: p.removedShare(m)}, nil
}

// plainText returns the content as text, with a line feed at its end unless it is empty.
func (p *Page) plainText(m *Marking) string {
	w := textWriter{view: p.viewContent(m)}
	if len(p.Elements) > 0 {
		w.element(max(p.Body, 0))
	}
	if w.b.Len() == 0 {
		return ""
	}
	return w.b.String() + "\n"
}

// textWriter writes white space only once text follows, so that none stands at the ends and no two gaps add up.
type textWriter struct {
	view *contentView
	b    strings.Builder
	// gap is the white space due before the next text.
	gap spacing
	// bullet is due before the next text; items are the numbers of the items of the open lists, -1 for bullets.
	bullet string
	items  []int
	cells  int
	pre    int
}

// spacing is white space by rank: the widest that is due wins.
type spacing uint8

const (
	gapNone spacing = iota
	gapSpace
	gapTab
	gapLine
	gapParagraph
)

func (w *textWriter) due(g spacing) {
	if w.cells > 0 && g > gapTab {
		g = gapSpace // a line feed in a cell would end the row
	}
	w.gap = max(w.gap, g)
}

func (w *textWriter) element(e ElementID) {
	el := &w.view.p.Elements[e]
	if !w.view.alive[e] {
		w.due(gapAround(el.Tag))
		return
	}
	cell := (el.Tag == atom.Td || el.Tag == atom.Th) && !w.view.layout[e]
	switch {
	case el.Tag == atom.Br:
		w.due(gapLine)
		return
	case cell:
		w.due(gapTab)
		w.cells++
	default:
		w.due(gapAround(el.Tag))
	}
	w.open(el.Tag)
	w.view.walk(e, w.element, w.text)
	w.close(el.Tag)
	if cell {
		w.cells--
		w.due(gapTab)
		return
	}
	w.due(gapAround(el.Tag))
}

func (w *textWriter) open(tag atom.Atom) {
	switch tag {
	case atom.Ul, atom.Ol, atom.Menu:
		n := -1
		if tag == atom.Ol {
			n = 0
		}
		w.items = append(w.items, n)
	case atom.Li:
		w.bullet = "- "
		if n := len(w.items); n > 0 && w.items[n-1] >= 0 {
			w.items[n-1]++
			w.bullet = strconv.Itoa(w.items[n-1]) + ". "
		}
	case atom.Pre:
		w.pre++
	}
}

func (w *textWriter) close(tag atom.Atom) {
	switch tag {
	case atom.Ul, atom.Ol, atom.Menu:
		w.items = w.items[:len(w.items)-1]
	case atom.Li:
		w.bullet = "" // an item without text
	case atom.Pre:
		w.pre--
	}
}

func (w *textWriter) text(t *Text) {
	if w.pre > 0 && w.cells == 0 {
		if w.gap > gapNone || strings.TrimSpace(t.Data) != "" || w.b.Len() > 0 {
			w.flush()
			w.b.WriteString(strings.TrimRight(t.Data, "\r\n"))
			if strings.HasSuffix(t.Data, "\n") {
				w.due(gapLine)
			}
		}
		return
	}
	for i, word := range strings.FieldsFunc(t.Data, isSpace) {
		if i > 0 || isSpace(rune(t.Data[0])) {
			w.due(gapSpace)
		}
		w.flush()
		w.b.WriteString(word)
	}
	if n := len(t.Data); n > 0 && isSpace(rune(t.Data[n-1])) {
		w.due(gapSpace)
	}
}

func isSpace(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' }

// flush writes the gap and the bullet that are due.
func (w *textWriter) flush() {
	indent := strings.Repeat("  ", max(len(w.items)-1, 0))
	if w.b.Len() > 0 {
		switch w.gap {
		case gapSpace:
			w.b.WriteByte(' ')
		case gapTab:
			w.b.WriteByte('\t')
		case gapLine:
			w.b.WriteString("\n" + indent)
		case gapParagraph:
			w.b.WriteString("\n\n" + indent)
		}
	}
	w.b.WriteString(w.bullet)
	w.gap, w.bullet = gapNone, ""
}

// gapAround returns the gap before and after elements of this tag.
func gapAround(tag atom.Atom) spacing {
	switch tag {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Table, atom.Blockquote, atom.Pre, atom.Figure, atom.Dl,
		atom.Section, atom.Article:
		return gapParagraph
	}
	switch {
	case isControl(tag):
		return gapSpace
	case IsInline(tag):
		return gapNone
	}
	return gapLine
}
