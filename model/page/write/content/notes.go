package content

import (
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
	"github.com/winnow-proxy/winnow/model/page/visibility"
)

// Notes in the margin and quotations pulled out of a text say what stands elsewhere. They come once.

// IsInlineNote reports whether e is a note in the margin whose text stands in the line that it belongs to.
func IsInlineNote(p *page.Page, e page.ElementID) bool {
	return p.Elements[e].Tag == atom.Span && markup.HasClass(p, e, "sidenote", "marginnote", "margin-note", "side-note", "ltx_note_outer")
}

// isNoteMark reports whether e is the mark, or the switch, of a note in the margin.
func isNoteMark(p *page.Page, e page.ElementID) bool {
	switch p.Elements[e].Tag {
	case atom.Label, atom.Input:
		return markup.HasClass(p, e, "margin-toggle")
	case atom.Sup, atom.Span:
		return markup.HasClass(p, e, "ltx_note_mark", "ltx_tag_note")
	}
	return false
}

// NoteRefOf returns the place of the note that a script shows for a mark (a plugin of WordPress), or an empty string.
func NoteRefOf(p *page.Page, e page.ElementID) string {
	if p.Elements[e].Tag != atom.Sup {
		return ""
	}
	id, _ := p.Attr(e, "id")
	if n, found := strings.CutPrefix(id, "footnote_plugin_tooltip_"); found {
		return "footnote_plugin_reference_" + n
	}
	return ""
}

// isRepetition reports whether e may repeat a text of the page, and how many words that has at least.
func isRepetition(p *page.Page, e page.ElementID) (words int, ok bool) {
	const sidenote, quotation = 2, 3
	switch tag := p.Elements[e].Tag; {
	case len(p.Attrs(e)) == 0:
		return 0, false
	case tag == atom.Span:
		if markup.HasClass(p, e, "footnote_tooltip") {
			return 1, true
		}
		return sidenote, IsInlineNote(p, e)
	case tag == atom.Aside || tag == atom.Figure || tag == atom.Blockquote || tag == atom.Div || tag == atom.P:
		class, _ := p.Attr(e, "class")
		class = strings.ToLower(class)
		return quotation, strings.Contains(class, "pullquote") || strings.Contains(class, "pull-quote")
	}
	return 0, false
}

const (
	// maxRepetitions is how many elements of a page are compared with its text, longestRepetition the most words in one.
	maxRepetitions, longestRepetition = 100, 120
)

// omitRepetitions marks the elements that only repeat a text of the content.
func (v *View) omitRepetitions() {
	var all string
	var at []int // where the words of each text begin
	n := 0
	for e := page.ElementID(0); int(e) < len(v.Page.Elements) && n < maxRepetitions && !page.IsDone(v.Done); e++ {
		least, ok := isRepetition(v.Page, e)
		if !ok || !v.Alive[e] || v.Omitted[e] {
			continue
		}
		if at == nil {
			all, at = v.wordsOfTexts()
		}
		n++
		el := &v.Page.Elements[e]
		said := strings.TrimLeft(strings.TrimSpace(all[at[el.TextStart]:at[el.TextEnd]]), "0123456789 ")
		if words := strings.Count(said, " ") + 1; said == "" || words < least || words > longestRepetition {
			continue
		}
		if said = " " + said + " "; strings.Contains(all[:at[el.TextStart]]+" ", said) || strings.Contains(all[at[el.TextEnd]:]+" ", said) {
			v.Omitted[e] = true
			e = el.Sub - 1
		}
	}
}

// wordsOfTexts returns the words of the content in lower case, each with a space before it, and where those of each
// text begin.
func (v *View) wordsOfTexts() (all string, at []int) {
	var b strings.Builder
	at = make([]int, len(v.Page.Texts)+1)
	for i := range v.Page.Texts {
		at[i] = b.Len()
		if t := &v.Page.Texts[i]; t.Block != page.None && !v.Gone.Texts[i] && v.Seen.Text[t.Parent] == visibility.Shown {
			for w := range page.Words(strings.ToLower(t.Data)) {
				b.WriteString(" " + w)
			}
		}
	}
	at[len(v.Page.Texts)] = b.Len()
	return b.String(), at
}
