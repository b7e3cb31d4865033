package content

import (
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/markup"
	"github.com/winnow-proxy/winnow/model/page/visibility"
)

// Listing returns the wanted text of a listing with its white space, but without line numbers. Texts that blocks or
// line breaks separate are on lines of their own.
func (v *View) Listing(e page.ElementID, wanted func(*page.Text) bool) string {
	w := listingWriter{view: v, wanted: wanted, pre: v.Page.Elements[e].Tag == atom.Pre}
	w.inside(e)
	return strings.ReplaceAll(w.b.String(), "\u00a0", " ") // indents the code of some highlighters
}

// listingWriter writes the text of one listing.
type listingWriter struct {
	view   *View
	wanted func(*page.Text) bool
	// pre says that the white space between elements is part of the listing.
	pre bool
	b   strings.Builder
}

func (w *listingWriter) newLine() {
	if s := w.b.String(); s != "" && !strings.HasSuffix(s, "\n") {
		w.b.WriteByte('\n')
	}
}

func (w *listingWriter) inside(e page.ElementID) {
	w.view.Walk(e, w.element, func(t *page.Text) {
		if w.wanted(t) && !(page.IsBlank(t.Data) && w.betweenBlocks(t.Parent)) {
			w.b.WriteString(t.Data)
		}
	})
}

func (w *listingWriter) element(e page.ElementID) {
	v := w.view
	tag := v.Page.Elements[e].Tag
	switch {
	case v.Gone.Elements[e] || v.Omitted[e]:
	case tag == atom.Br:
		w.b.WriteByte('\n')
	case page.IsInline(tag) || tag == 0:
		w.inside(e)
	default:
		w.newLine()
		before := w.b.Len()
		w.inside(e)
		if w.b.Len() == before && markup.IsCodeLine(v.Page, e) {
			w.b.WriteByte('\n')
		}
		w.newLine()
	}
}

// betweenBlocks reports whether white space in e only separates its elements.
func (w *listingWriter) betweenBlocks(e page.ElementID) bool {
	switch w.view.Page.Elements[e].Tag {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tr:
		return true
	}
	return !w.pre && w.view.broken[e]
}

// IsSeen reports whether people see a text.
func (v *View) IsSeen(t *page.Text) bool { return v.Seen.Text[t.Parent] == visibility.Shown }

// IsFolded reports whether a text unfolds.
func (v *View) IsFolded(t *page.Text) bool { return v.Seen.Text[t.Parent] == visibility.Folded }

// IsEither reports whether people see a text, or it unfolds.
func (v *View) IsEither(t *page.Text) bool { return v.Seen.Text[t.Parent] != visibility.Concealed }
