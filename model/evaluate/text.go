package evaluate

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// toUTF8 obeys a byte order mark and contentType. Without these, valid UTF-8 is read as UTF-8 even if a meta element
// says otherwise, because cleaned pages are UTF-8 and may still have such an element. Everything else is read as its
// meta element says or as x/net's charset guesses.
func toUTF8(b []byte, contentType string) []byte {
	e, name, certain := charset.DetermineEncoding(b, contentType)
	if name == "utf-8" || (!certain && utf8.Valid(b)) {
		return b
	}
	out, err := e.NewDecoder().Bytes(b)
	if err != nil {
		return b
	}
	return out
}

// neverShown reports whether n's subtree is never text of the page. It does not look at CSS.
func neverShown(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Svg:
		return true
	}
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == "hidden" {
			return true
		}
	}
	return false
}

// inline reports whether text flows on through n. All other elements separate words.
func inline(n *html.Node) bool {
	switch n.DataAtom {
	case atom.A, atom.Abbr, atom.Acronym, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code, atom.Data,
		atom.Del, atom.Dfn, atom.Em, atom.Font, atom.I, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Nobr, atom.Q,
		atom.Rp, atom.Rt, atom.Ruby, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub,
		atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr:
		return true
	}
	return false
}

// visibleText returns the text of n without the subtrees in drop, with a newline between block-level elements and
// nowhere else.
func visibleText(n *html.Node, drop map[*html.Node]bool) string {
	var b strings.Builder
	appendVisible(&b, n, drop)
	return b.String()
}

// flowing returns a text with spaces in the place of its line ends, which HTML does not show.
func flowing(text string) string { return lineEnds.Replace(text) }

var lineEnds = strings.NewReplacer("\n", " ", "\r", " ") //nolint:gochecknoglobals // never written to

// appendVisible appends the visible text of n without the subtrees in drop. The recursion is bounded by the parser's
// limit on open elements.
func appendVisible(b *strings.Builder, n *html.Node, drop map[*html.Node]bool) {
	separator := ""
	switch n.Type {
	case html.TextNode:
		b.WriteString(flowing(n.Data))
		return
	case html.ElementNode:
		if drop[n] || neverShown(n) {
			b.WriteByte('\n')
			return
		}
		if !inline(n) {
			separator = "\n"
		}
	}
	b.WriteString(separator)
	for c := range n.ChildNodes() {
		appendVisible(b, c, drop)
	}
	b.WriteString(separator)
}
