package page

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page/write/plaintext"
)

// writeText writes the content as plain text: each block on a line of its own, table cells separated by tabs, list
// items with bullets, and preformatted text as it is. What people do not see at once comes at the end, marked.
func (p *Page) writeText(m *Marking, done <-chan struct{}) []byte {
	shown, folded := p.plainText(p.viewContent(m, viewOptions{Done: done}))
	body := plaintext.WithNotShown(shown, strings.Join(folded, "\n\n"))
	return []byte(withoutInvisible(body))
}

// foldedText returns the text of e, which is folded as a whole.
func (v *contentView) foldedText(e ElementID) string {
	w := textWriter{view: v, inFold: true}
	w.element(e)
	return w.b.String()
}

// plainText returns the content as text, with a line feed at its end unless it is empty, and the texts that unfold.
func (p *Page) plainText(v *contentView) (text string, folded []string) {
	w := textWriter{view: v}
	if len(p.Elements) > 0 {
		w.element(max(p.Body, 0))
	}
	if w.b.Len() == 0 {
		return "", w.folded
	}
	return w.b.String() + "\n", w.folded
}

// textWriter writes white space only before text, so that there is none at the ends and no two gaps add up.
type textWriter struct {
	view *contentView
	b    strings.Builder
	// gap is the white space due before the next text.
	gap spacing
	// bullet is due before the next text; items are the numbers of the items of the open lists, or noNumber.
	bullet string
	items  []int
	cells  int
	// folded are the texts that unfold, each written by a writer that is inside of one.
	folded []string
	inFold bool
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
	v := w.view
	el := &v.p.Elements[e]
	switch {
	case v.omitted[e] || v.p.leadsBack(e):
	case v.alive[e] && !w.inFold && v.seen.folds(v.p, e):
		w.fold(func(inside *textWriter) { inside.element(e) })
		w.due(gapAround(el.Tag))
	case !v.alive[e]:
		w.lifeless(e)
	case v.p.isMath(e):
		display, _ := v.p.Attr(e, "display")
		w.formula(v.formulaText(e), display == "block")
	case el.Tag == atom.Script:
		w.script(e)
	case w.formulaOf(e):
	case v.isTask(e):
		w.task(e)
	case el.Tag == atom.Br:
		w.due(gapLine)
	case v.p.isListing(e) && w.cells == 0:
		w.listing(e)
	case (el.Tag == atom.Td || el.Tag == atom.Th) && !v.layout[e]:
		w.due(gapTab)
		w.cells++
		w.inside(e)
		w.cells--
		w.due(gapTab)
	default:
		w.due(gapAround(el.Tag))
		w.inside(e)
		w.due(gapAround(el.Tag))
	}
}

// fold writes something that unfolds apart from what is shown.
func (w *textWriter) fold(write func(inside *textWriter)) {
	inside := textWriter{view: w.view, inFold: true}
	if write(&inside); inside.b.Len() > 0 {
		w.folded = append(w.folded, inside.b.String())
	}
}

// script writes the formula that a script of MathJax holds. Nobody sees it if that does not run, so that it must look
// like a formula.
func (w *textWriter) script(e ElementID) {
	tex, display, _ := w.view.p.scriptTeX(e)
	if w.inFold || !isProse(tex) {
		w.formula(tex, display)
		return
	}
	w.fold(func(inside *textWriter) { inside.word(tex) })
}

// lifeless is for an element without content: it separates its neighbours, or is the space between them.
func (w *textWriter) lifeless(e ElementID) {
	if tag := w.view.p.Elements[e].Tag; !IsInline(tag) {
		w.due(gapAround(tag))
	} else if !w.view.gone.elements[e] {
		w.view.walk(e, w.element, w.text)
	}
}

// inside writes the contents of e.
func (w *textWriter) inside(e ElementID) {
	tag := w.view.p.Elements[e].Tag
	if s, ok := w.view.p.scriptText(e); ok {
		w.word(s)
		return
	}
	switch tag {
	case atom.Ul, atom.Ol, atom.Menu:
		w.items = append(w.items, w.view.p.listStart(e))
		defer func() { w.items = w.items[:len(w.items)-1] }()
	case atom.Li:
		w.bullet = w.nextBullet(e)
		defer func() { w.bullet = "" }() // an item without text
	case atom.Q:
		w.word("“")
		defer w.word("”")
	}
	w.view.walk(e, w.element, w.text)
}

// listStart returns the number before the first item of a list, noNumber for one with bullets.
func (p *Page) listStart(e ElementID) int {
	if p.Elements[e].Tag != atom.Ol {
		return noNumber
	}
	if start, ok := p.Attr(e, "start"); ok && isInteger(start) {
		n, _ := strconv.Atoi(start)
		return n - 1
	}
	return 0
}

// noNumber stands for the number of an item that has a bullet.
const noNumber = math.MinInt

// nextBullet returns the text before the item e.
func (w *textWriter) nextBullet(e ElementID) string {
	n := len(w.items)
	if n == 0 || w.items[n-1] == noNumber {
		return "- "
	}
	w.items[n-1]++
	if value, ok := w.view.p.Attr(e, "value"); ok && isInteger(value) {
		w.items[n-1], _ = strconv.Atoi(value)
	}
	return strconv.Itoa(w.items[n-1]) + ". "
}

func (w *textWriter) formula(tex string, display bool) {
	if display {
		w.due(gapParagraph)
		defer w.due(gapParagraph)
	}
	w.word(tex)
}

// formulaOf writes a formula that e stands for, and reports whether there is one.
func (w *textWriter) formulaOf(e ElementID) bool {
	f, ok := w.view.p.formulaOf(e)
	if ok {
		w.formula(f.tex, f.display)
	}
	return ok
}

func (w *textWriter) task(e ElementID) {
	if _, checked := w.view.p.Attr(e, "checked"); checked {
		w.word("[x]")
	} else {
		w.word("[ ]")
	}
	w.due(gapSpace)
}

// listing writes a pre element as it stands.
func (w *textWriter) listing(e ElementID) {
	w.due(gapParagraph)
	wanted := w.view.isSeen
	if w.inFold {
		wanted = w.view.isEither
	}
	if text := strings.TrimRight(w.view.listing(e, wanted), " \t\r\n"); text != "" {
		w.flush()
		w.b.WriteString(strings.TrimPrefix(text, "\n"))
	}
	if el := &w.view.p.Elements[e]; !w.inFold && w.view.seen.folded[el.TextStart] < w.view.seen.folded[el.TextEnd] {
		w.fold(func(inside *textWriter) { inside.word(strings.TrimSpace(w.view.listing(e, w.view.isFolded))) })
	}
	w.due(gapParagraph)
}

// word writes a piece of text without folding.
func (w *textWriter) word(s string) {
	if s != "" {
		w.flush()
		w.b.WriteString(s)
	}
}

func (w *textWriter) text(t *Text) {
	if !w.inFold && w.view.isFolded(t) && !isBlank(t.Data) {
		w.fold(func(inside *textWriter) { inside.text(t) })
		w.due(gapSpace)
		return
	}
	for i, word := range strings.FieldsFunc(t.Data, isSpace) {
		if i > 0 || isSpace(rune(t.Data[0])) {
			w.due(gapSpace)
		}
		w.word(word)
	}
	if n := len(t.Data); n > 0 && isSpace(rune(t.Data[n-1])) {
		w.due(gapSpace)
	}
}

// flush writes the pending gap and bullet.
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
