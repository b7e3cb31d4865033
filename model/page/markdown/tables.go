package markdown

import (
	"slices"
	"strings"

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
					code.AppendChild(&html.Node{Type: html.TextNode, Data: line})
					n.Parent.InsertBefore(code, n)
				}
			}
			n.Parent.RemoveChild(n)
		}
	}
}

// onLine puts the contents of n on a line of its own.
func onLine(n *html.Node) {
	n.Attr = nil
	rename(n, atom.Span)
	before := n.PrevSibling
	for before != nil && before.Type == html.TextNode && strings.TrimSpace(before.Data) == "" {
		before = before.PrevSibling
	}
	if before != nil || n.Parent.DataAtom == atom.Span {
		n.Parent.InsertBefore(element(atom.Br), n)
	}
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
