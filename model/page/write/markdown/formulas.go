package markdown

import (
	"regexp"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// findFormulas replaces formulas, in MathML, in code marked as TeX, or in text between the delimiters of MathJax, by
// elements that hold their TeX.
func findFormulas(body *html.Node) {
	for _, n := range slices.Collect(body.Descendants()) {
		switch {
		case n.Parent == nil:
		case n.Type == html.TextNode:
			splitTeX(n)
		case n.Data == "math":
			replace(n, formula(attr(n, "alttext"), attr(n, "display") == "block"))
		case n.DataAtom == atom.Code && (attr(n, "class") == "math" || attr(n, "class") == "math-display"):
			replace(n, formula(textOf(n), attr(n, "class") == "math-display"))
		}
	}
	for n := range body.Descendants() {
		if n.Data == formulaTag && isDisplay(n) && !inCell(n) {
			trimAround(n)
		}
	}
}

func isDisplay(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "display" })
}

// trimAround removes the white space beside a formula on lines of its own.
func trimAround(n *html.Node) {
	if before := n.PrevSibling; before != nil && before.Type == html.TextNode {
		before.Data = strings.TrimRight(before.Data, " \n")
	}
	if after := n.NextSibling; after != nil && after.Type == html.TextNode {
		after.Data = strings.TrimLeft(after.Data, " \n")
	}
}

func formula(tex string, display bool) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: formulaTag}
	n.Attr = []html.Attribute{{Key: "tex", Val: strings.TrimSpace(tex)}}
	if display {
		n.Attr = append(n.Attr, html.Attribute{Key: "display"})
	}
	// Without a text the element would count as empty.
	n.AppendChild(&html.Node{Type: html.TextNode, Data: "x"})
	return n
}

// replace replaces n by another node.
func replace(n, by *html.Node) {
	n.Parent.InsertBefore(by, n)
	n.Parent.RemoveChild(n)
}

// delimited has the formulas in a text.
var delimited = regexp.MustCompile(`(?s)\\\((.+?)\\\)|\\\[(.+?)\\\]|\$\$(.+?)\$\$`)

// splitTeX separates the formulas from a text: \(inline\), \[on lines of its own\] and $$the same$$.
func splitTeX(n *html.Node) {
	for up := n.Parent; up != nil; up = up.Parent {
		switch {
		case up.DataAtom == atom.Pre || up.DataAtom == atom.Code || up.DataAtom == atom.Kbd || up.DataAtom == atom.Samp || up.Data == formulaTag:
			return
		}
	}
	at := 0
	for _, m := range delimited.FindAllStringSubmatchIndex(n.Data, -1) {
		n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: n.Data[at:m[0]]}, n)
		for group := 1; group <= 3; group++ {
			if from, to := m[2*group], m[2*group+1]; from >= 0 {
				n.Parent.InsertBefore(formula(n.Data[from:to], group > 1), n)
			}
		}
		at = m[1]
	}
	n.Data = n.Data[at:]
}

// oneLine matches the starts of lines that would begin a block of Markdown inside a formula.
var oneLine = regexp.MustCompile("(?m)^\\s*([#>`~\\[+*=-]|[0-9]+[.)]|$)")

// inertTeX returns TeX that is only text to a Markdown reader without formulas, because a pair of dollars or brackets
// makes any text of a page a formula. Spaces have no meaning in a formula, so they break up tags and links.
func inertTeX(tex string) string {
	if oneLine.MatchString(tex) {
		tex = strings.Join(strings.Fields(tex), " ")
	}
	tex = strings.ReplaceAll(strings.ReplaceAll(tex, "](", "] ("), "][", "] [")
	var b strings.Builder
	for i := range len(tex) {
		b.WriteByte(tex[i])
		if tex[i] == '<' && i+1 < len(tex) && (tex[i+1]|0x20 >= 'a' && tex[i+1]|0x20 <= 'z' || strings.IndexByte("/!?", tex[i+1]) >= 0) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// renderFormula writes TeX between dollars, as GitHub, Pandoc and Jupyter read it.
func renderFormula(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	tex := inertTeX(attr(n, "tex"))
	switch {
	case tex == "":
	case !isDisplay(n):
		write(w, "$", strings.Join(strings.Fields(tex), " "), "$")
	case inCell(n):
		write(w, "$$", strings.Join(strings.Fields(tex), " "), "$$")
	default:
		write(w, "\n\n$$\n", tex, "\n$$\n\n")
	}
	return converter.RenderSuccess
}

func inCell(n *html.Node) bool {
	for up := n.Parent; up != nil; up = up.Parent {
		if up.DataAtom == atom.Td || up.DataAtom == atom.Th {
			return true
		}
	}
	return false
}
