package page

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// listing returns the wanted text of a listing with its white space, but without line numbers. Texts that blocks or
// line breaks separate are on lines of their own.
func (v *contentView) listing(e ElementID, wanted func(*Text) bool) string {
	w := listingWriter{view: v, wanted: wanted, pre: v.p.Elements[e].Tag == atom.Pre}
	w.inside(e)
	return strings.ReplaceAll(w.b.String(), "\u00a0", " ") // indents the code of some highlighters
}

// listingWriter writes the text of one listing.
type listingWriter struct {
	view   *contentView
	wanted func(*Text) bool
	// pre says that the white space between elements is part of the listing.
	pre bool
	b   strings.Builder
}

func (w *listingWriter) newLine() {
	if s := w.b.String(); s != "" && !strings.HasSuffix(s, "\n") {
		w.b.WriteByte('\n')
	}
}

func (w *listingWriter) inside(e ElementID) {
	w.view.walk(e, w.element, func(t *Text) {
		if w.wanted(t) && !(isBlank(t.Data) && w.betweenBlocks(t.Parent)) {
			w.b.WriteString(t.Data)
		}
	})
}

func (w *listingWriter) element(e ElementID) {
	v := w.view
	tag := v.p.Elements[e].Tag
	switch {
	case v.gone.elements[e] || v.omitted[e]:
	case tag == atom.Br:
		w.b.WriteByte('\n')
	case IsInline(tag) || tag == 0:
		w.inside(e)
	default:
		w.newLine()
		before := w.b.Len()
		w.inside(e)
		if w.b.Len() == before && v.p.isCodeLine(e) {
			w.b.WriteByte('\n')
		}
		w.newLine()
	}
}

// betweenBlocks reports whether white space in e only separates its elements.
func (w *listingWriter) betweenBlocks(e ElementID) bool {
	switch w.view.p.Elements[e].Tag {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tr:
		return true
	}
	return !w.pre && w.view.broken[e]
}

// isSeen reports whether people see a text, isFolded whether it unfolds, isEither whether one of both is so.
func (v *contentView) isSeen(t *Text) bool   { return v.seen.text[t.Parent] == Shown }
func (v *contentView) isFolded(t *Text) bool { return v.seen.text[t.Parent] == Folded }
func (v *contentView) isEither(t *Text) bool { return v.seen.text[t.Parent] != Concealed }
