package page

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Notes in the margin and quotations pulled out of a text say what stands elsewhere. They come once.

// isInlineNote reports whether e is a note in the margin whose text stands in the line that it belongs to.
func (p *Page) isInlineNote(e ElementID) bool {
	return p.Elements[e].Tag == atom.Span && p.classHas(e, "sidenote", "marginnote", "margin-note", "side-note", "ltx_note_outer")
}

// isNoteMark reports whether e is the mark, or the switch, of a note in the margin.
func (p *Page) isNoteMark(e ElementID) bool {
	switch p.Elements[e].Tag {
	case atom.Label, atom.Input:
		return p.classHas(e, "margin-toggle")
	case atom.Sup, atom.Span:
		return p.classHas(e, "ltx_note_mark", "ltx_tag_note")
	}
	return false
}

// noteRefOf returns the place of the note that a script shows for a mark (a plugin of WordPress), or an empty string.
func (p *Page) noteRefOf(e ElementID) string {
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
func (p *Page) isRepetition(e ElementID) (words int, ok bool) {
	const sidenote, quotation = 2, 3
	switch tag := p.Elements[e].Tag; {
	case len(p.Attrs(e)) == 0:
		return 0, false
	case tag == atom.Span:
		if p.classHas(e, "footnote_tooltip") {
			return 1, true
		}
		return sidenote, p.isInlineNote(e)
	case tag == atom.Aside || tag == atom.Figure || tag == atom.Blockquote || tag == atom.Div || tag == atom.P:
		class, _ := p.Attr(e, "class")
		class = strings.ToLower(class)
		return quotation, strings.Contains(class, "pullquote") || strings.Contains(class, "pull-quote")
	}
	return 0, false
}

const (
	// mostRepetitions is how many elements of a page are compared with its text, longestRepetition the most words in one.
	mostRepetitions, longestRepetition = 100, 120
)

// omitRepetitions marks the elements that only repeat a text of the content.
func (v *contentView) omitRepetitions() {
	var all string
	var at []int // where the words of each text begin
	n := 0
	for e := ElementID(0); int(e) < len(v.p.Elements) && n < mostRepetitions && !IsDone(v.done); e++ {
		least, ok := v.p.isRepetition(e)
		if !ok || !v.alive[e] || v.omitted[e] {
			continue
		}
		if at == nil {
			all, at = v.wordsOfTexts()
		}
		n++
		el := &v.p.Elements[e]
		said := strings.TrimLeft(strings.TrimSpace(all[at[el.TextStart]:at[el.TextEnd]]), "0123456789 ")
		if words := strings.Count(said, " ") + 1; said == "" || words < least || words > longestRepetition {
			continue
		}
		if said = " " + said + " "; strings.Contains(all[:at[el.TextStart]]+" ", said) || strings.Contains(all[at[el.TextEnd]:]+" ", said) {
			v.omitted[e] = true
			e = el.Sub - 1
		}
	}
}

// wordsOfTexts returns the words of the content in lower case, each with a space before it, and where those of each text
// begin.
func (v *contentView) wordsOfTexts() (all string, at []int) {
	var b strings.Builder
	at = make([]int, len(v.p.Texts)+1)
	for i := range v.p.Texts {
		at[i] = b.Len()
		if t := &v.p.Texts[i]; t.Block != None && !v.gone.texts[i] && v.seen.text[t.Parent] == Shown {
			for w := range Words(strings.ToLower(t.Data)) {
				b.WriteString(" " + w)
			}
		}
	}
	at[len(v.p.Texts)] = b.Len()
	return b.String(), at
}
