// Package plaintext writes mode text.
package plaintext

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
	"github.com/winnow-proxy/winnow/model/page/write/content"
)

// Write writes the content as plain text: each block on a line of its own, table cells separated by tabs, list
// items with bullets, and preformatted text as it is. What people do not see at once comes at the end, marked.
func Write(p *page.Page, m *page.Marking, done <-chan struct{}) []byte {
	shown, folded := Plain(p, content.Of(p, m, content.Options{Done: done}))
	body := WithNotShown(shown, strings.Join(folded, "\n\n"))
	return []byte(content.WithoutInvisible(body))
}

// Folded returns the text of e, which is folded as a whole.
func Folded(v *content.View, e page.ElementID) string {
	w := writer{view: v, inFold: true}
	w.element(e)
	return w.b.String()
}

// Plain returns the content as text, with a line feed at its end unless it is empty, and the texts that unfold.
func Plain(p *page.Page, v *content.View) (text string, folded []string) {
	w := writer{view: v}
	if len(p.Elements) > 0 {
		w.element(max(p.Body, 0))
	}
	if w.b.Len() == 0 {
		return "", w.folded
	}
	return w.b.String() + "\n", w.folded
}

// writer writes white space only before text, so that there is none at the ends and no two gaps add up.
type writer struct {
	view *content.View
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

func (w *writer) due(g spacing) {
	if w.cells > 0 && g > gapTab {
		g = gapSpace // a line feed in a cell would end the row
	}
	w.gap = max(w.gap, g)
}

func (w *writer) element(e page.ElementID) {
	v := w.view
	el := &v.Page.Elements[e]
	switch {
	case v.Omitted[e] || markup.LeadsBack(v.Page, e):
	case v.Alive[e] && !w.inFold && v.Seen.Folds(v.Page, e):
		w.fold(func(inside *writer) { inside.element(e) })
		w.due(gapAround(el.Tag))
	case !v.Alive[e]:
		w.lifeless(e)
	case markup.IsMath(v.Page, e):
		display, _ := v.Page.Attr(e, "display")
		w.formula(v.FormulaText(e), display == "block")
	case el.Tag == atom.Script:
		w.script(e)
	case w.formulaOf(e):
	case v.IsTask(e):
		w.task(e)
	case el.Tag == atom.Br:
		w.due(gapLine)
	case markup.IsListing(v.Page, e) && w.cells == 0:
		w.listing(e)
	case (el.Tag == atom.Td || el.Tag == atom.Th) && !v.Layout[e]:
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
func (w *writer) fold(write func(inside *writer)) {
	inside := writer{view: w.view, inFold: true}
	if write(&inside); inside.b.Len() > 0 {
		w.folded = append(w.folded, inside.b.String())
	}
}

// script writes the formula that a script of MathJax holds. Nobody sees it if that does not run, so that it must look
// like a formula.
func (w *writer) script(e page.ElementID) {
	tex, display, _ := markup.ScriptTeX(w.view.Page, e)
	if w.inFold || !markup.IsProse(tex) {
		w.formula(tex, display)
		return
	}
	w.fold(func(inside *writer) { inside.word(tex) })
}

// lifeless is for an element without content: it separates its neighbours, or is the space between them.
func (w *writer) lifeless(e page.ElementID) {
	if tag := w.view.Page.Elements[e].Tag; !page.IsInline(tag) {
		w.due(gapAround(tag))
	} else if !w.view.Gone.Elements[e] {
		w.view.Walk(e, w.element, w.text)
	}
}

// inside writes the contents of e.
func (w *writer) inside(e page.ElementID) {
	tag := w.view.Page.Elements[e].Tag
	if s, ok := scriptText(w.view.Page, e); ok {
		w.word(s)
		return
	}
	switch tag {
	case atom.Ul, atom.Ol, atom.Menu:
		w.items = append(w.items, listStart(w.view.Page, e))
		defer func() { w.items = w.items[:len(w.items)-1] }()
	case atom.Li:
		w.bullet = w.nextBullet(e)
		defer func() { w.bullet = "" }() // an item without text
	case atom.Q:
		w.word("“")
		defer w.word("”")
	}
	w.view.Walk(e, w.element, w.text)
}

// listStart returns the number before the first item of a list, noNumber for one with bullets.
func listStart(p *page.Page, e page.ElementID) int {
	if p.Elements[e].Tag != atom.Ol {
		return noNumber
	}
	if start, ok := p.Attr(e, "start"); ok && content.IsInteger(start) {
		n, _ := strconv.Atoi(start)
		return n - 1
	}
	return 0
}

// noNumber stands for the number of an item that has a bullet.
const noNumber = math.MinInt

// nextBullet returns the text before the item e.
func (w *writer) nextBullet(e page.ElementID) string {
	n := len(w.items)
	if n == 0 || w.items[n-1] == noNumber {
		return "- "
	}
	w.items[n-1]++
	if value, ok := w.view.Page.Attr(e, "value"); ok && content.IsInteger(value) {
		w.items[n-1], _ = strconv.Atoi(value)
	}
	return strconv.Itoa(w.items[n-1]) + ". "
}

func (w *writer) formula(tex string, display bool) {
	if display {
		w.due(gapParagraph)
		defer w.due(gapParagraph)
	}
	w.word(tex)
}

// formulaOf writes a formula that e stands for, and reports whether there is one.
func (w *writer) formulaOf(e page.ElementID) bool {
	f, ok := markup.FormulaOf(w.view.Page, e)
	if ok {
		w.formula(f.Tex, f.Display)
	}
	return ok
}

func (w *writer) task(e page.ElementID) {
	if _, checked := w.view.Page.Attr(e, "checked"); checked {
		w.word("[x]")
	} else {
		w.word("[ ]")
	}
	w.due(gapSpace)
}

// listing writes a pre element as it stands.
func (w *writer) listing(e page.ElementID) {
	w.due(gapParagraph)
	wanted := w.view.IsSeen
	if w.inFold {
		wanted = w.view.IsEither
	}
	if text := strings.TrimRight(w.view.Listing(e, wanted), " \t\r\n"); text != "" {
		w.flush()
		w.b.WriteString(strings.TrimPrefix(text, "\n"))
	}
	if el := &w.view.Page.Elements[e]; !w.inFold && w.view.Seen.Folded[el.TextStart] < w.view.Seen.Folded[el.TextEnd] {
		w.fold(func(inside *writer) { inside.word(strings.TrimSpace(w.view.Listing(e, w.view.IsFolded))) })
	}
	w.due(gapParagraph)
}

// word writes a piece of text without folding.
func (w *writer) word(s string) {
	if s != "" {
		w.flush()
		w.b.WriteString(s)
	}
}

func (w *writer) text(t *page.Text) {
	if !w.inFold && w.view.IsFolded(t) && !page.IsBlank(t.Data) {
		w.fold(func(inside *writer) { inside.text(t) })
		w.due(gapSpace)
		return
	}
	for i, word := range strings.FieldsFunc(t.Data, content.IsSpace) {
		if i > 0 || content.IsSpace(rune(t.Data[0])) {
			w.due(gapSpace)
		}
		w.word(word)
	}
	if n := len(t.Data); n > 0 && content.IsSpace(rune(t.Data[n-1])) {
		w.due(gapSpace)
	}
}

// flush writes the pending gap and bullet.
func (w *writer) flush() {
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
	case page.IsControl(tag):
		return gapSpace
	case page.IsInline(tag):
		return gapNone
	}
	return gapLine
}
