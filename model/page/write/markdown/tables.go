package markdown

import (
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// flattenCells converts contents that a table cell can't have: items of lists into lines, headings into strong text,
// listings into lines of code.
func flattenCells(body *html.Node) {
	for _, n := range slices.Collect(body.Descendants()) {
		if n.Type != html.ElementNode || n.Parent == nil || !inCell(n) {
			continue
		}
		switch n.DataAtom {
		case atom.Hr:
			n.Parent.RemoveChild(n)
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			rename(n, atom.Strong)
		case atom.Ul, atom.Ol, atom.Dl:
			rename(n, atom.Span)
		case atom.Li:
			n.InsertBefore(&html.Node{Type: html.TextNode, Data: "• "}, n.FirstChild)
			onLine(n)
		case atom.P, atom.Div, atom.Blockquote, atom.Dd, atom.Dt:
			onLine(n)
		case atom.Pre:
			lines := strings.Split(strings.Trim(textOf(n), "\n"), "\n")
			for i, line := range lines {
				if i > 0 {
					n.Parent.InsertBefore(element(atom.Br), n)
				}
				if strings.TrimSpace(line) != "" {
					code := element(atom.Code)
					code.AppendChild(&html.Node{Type: html.TextNode, Data: escapeBars(line)})
					n.Parent.InsertBefore(code, n)
				}
			}
			n.Parent.RemoveChild(n)
		case atom.Code:
			for d := range n.Descendants() {
				if d.Type == html.TextNode {
					d.Data = escapeBars(d.Data)
				}
			}
		}
	}
}

// escapeBars escapes the bars in code, because they end a cell there too (GFM §4.10).
func escapeBars(code string) string { return strings.ReplaceAll(code, "|", `\|`) }

// renderBreak writes a line break in a cell as a tag, as a line feed would end the row.
func renderBreak(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	if !inCell(n) {
		return converter.RenderTryNext
	}
	write(w, "<br />")
	return converter.RenderSuccess
}

// liftCaptions puts the captions of tables before them.
func liftCaptions(body *html.Node) {
	for _, n := range slices.Collect(body.Descendants()) {
		if table := n.Parent; n.DataAtom == atom.Caption && table.DataAtom == atom.Table && !inCell(table) {
			table.RemoveChild(n)
			rename(n, atom.P)
			table.Parent.InsertBefore(n, table)
		}
	}
}

// onLine puts the contents of n on a line of its own.
func onLine(n *html.Node) {
	n.Attr = nil
	rename(n, atom.Span)
	if !beginsCell(n) {
		n.Parent.InsertBefore(element(atom.Br), n)
	}
}

// beginsCell reports whether nothing but white space stands before n in its cell.
func beginsCell(n *html.Node) bool {
	for ; n != nil && n.DataAtom != atom.Td && n.DataAtom != atom.Th; n = n.Parent {
		for before := n.PrevSibling; before != nil; before = before.PrevSibling {
			if before.Type != html.TextNode || strings.TrimSpace(before.Data) != "" {
				return false
			}
		}
	}
	return true
}

func element(tag atom.Atom) *html.Node {
	return &html.Node{Type: html.ElementNode, DataAtom: tag, Data: tag.String()}
}

func rename(n *html.Node, tag atom.Atom) { n.DataAtom, n.Data = tag, tag.String() }

// alignColumns sets the alignment of the columns on the first row of each table, because the converter reads it there.
func alignColumns(body *html.Node) {
	for n := range body.Descendants() {
		if n.DataAtom == atom.Table {
			alignTable(n)
		}
	}
}

func alignTable(t *html.Node) {
	var rows [][]*html.Node
	for n := range t.Descendants() {
		if n.DataAtom == atom.Tr {
			var cells []*html.Node
			for c := range n.ChildNodes() {
				if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
					cells = append(cells, c)
				}
			}
			rows = append(rows, cells)
		}
	}
	if len(rows) < 2 {
		return
	}
	for i, head := range rows[0] {
		align := ""
		for _, row := range rows[1:] {
			if i >= len(row) {
				continue
			}
			side := attr(row[i], "align")
			if align != "" && side != align {
				align = ""
				break
			}
			align = side
		}
		if align != "" && attr(head, "align") == "" {
			head.Attr = append(head.Attr, html.Attribute{Key: "align", Val: align})
		}
	}
}
