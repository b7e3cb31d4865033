package markdown

import (
	"bytes"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A few bytes of HTML can ask for any amount of Markdown: a cell that spans a million columns, rows that are filled up
// to the widest, a quotation of which each line carries the marks of all around it. What goes beyond these bounds is
// written without its form; no text is lost.
const (
	// maxColumns is the most columns that a cell spans (HTML, "algorithm for processing rows").
	maxColumns = 1000
	// A table's grid has at most gridPerCell fields for each of its cells; all tables together have gridSpare more.
	gridPerCell, gridSpare = 8, 20_000
	// maxNested bounds the quotations and lists inside each other: each level copies what is in it.
	maxNested = 16
	// maxDepth is how deep elements with a form of their own stand.
	maxDepth = 100
)

// escapeBracket escapes a bracket unless a link can't begin there. The converter looks for the end of the link up to
// the end of the line, from each bracket, so that it is asked only about short lines.
func escapeBracket(text []byte, at int) int {
	const near = 256
	if text[at] != '[' || len(text)-at <= near || bytes.ContainsAny(text[at+1:at+near], "]\n") {
		return -1
	}
	return 1
}

// boundNesting takes the form from elements that stand too deep.
func boundNesting(n *html.Node, depth, nested int) {
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode {
			continue
		}
		within := nested
		switch c.DataAtom {
		case atom.Blockquote, atom.Ul, atom.Ol, atom.Dl, atom.Table:
			if within++; within > maxNested {
				rename(c, atom.Div)
			}
		case atom.Li, atom.Dd, atom.Dt, atom.Tr, atom.Td, atom.Th, atom.Thead, atom.Tbody, atom.Tfoot, atom.Caption:
			if nested > maxNested {
				rename(c, atom.Div)
			}
		}
		if depth > maxDepth {
			rename(c, atom.Div)
		}
		boundNesting(c, depth+1, within)
	}
}

// boundTables bounds the grids of all tables.
func boundTables(body *html.Node) {
	spare := gridSpare
	for n := range body.Descendants() {
		if n.DataAtom != atom.Table {
			continue
		}
		t := gridOf(n)
		most := gridPerCell*t.cells + spare
		if t.fields() > most {
			t.withoutSpans()
		}
		if t.fields() > most {
			t.withoutForm()
			continue
		}
		spare -= max(0, t.fields()-gridPerCell*t.cells)
	}
}

// grid is a table and what its rows ask for.
type grid struct {
	table *html.Node
	// rows are the cells of each row.
	rows  [][]*html.Node
	cells int
}

func gridOf(table *html.Node) grid {
	g := grid{table: table}
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		for c := range n.ChildNodes() {
			switch c.DataAtom {
			case atom.Thead, atom.Tbody, atom.Tfoot:
				visit(c)
			case atom.Tr:
				var cells []*html.Node
				for cell := range c.ChildNodes() {
					if cell.DataAtom == atom.Td || cell.DataAtom == atom.Th {
						cells = append(cells, cell)
					}
				}
				g.rows = append(g.rows, cells)
				g.cells += len(cells)
			}
		}
	}
	visit(table)
	for i, row := range g.rows {
		for _, cell := range row {
			clamp(cell, "colspan", maxColumns)
			clamp(cell, "rowspan", len(g.rows)-i)
		}
	}
	return g
}

// clamp lowers a number among the attributes of n.
func clamp(n *html.Node, key string, most int) {
	for i, a := range n.Attr {
		if a.Key == key {
			span, err := strconv.Atoi(a.Val)
			if err != nil || span < 1 {
				span = 1
			}
			n.Attr[i].Val = strconv.Itoa(min(span, most))
		}
	}
}

// fields is how many fields the grid may have: each row is as wide as the widest, which has its own cells and those
// that reach into it.
func (g grid) fields() int {
	width, inside := make([]int, len(g.rows)), 0
	for i, row := range g.rows {
		for _, cell := range row {
			across, down := spanOf(cell, "colspan"), spanOf(cell, "rowspan")
			inside += across * down
			for d := i; d < min(i+down, len(width)) && inside <= gridPerCell*g.cells+gridSpare; d++ {
				width[d] += across
			}
		}
	}
	widest := 0
	for _, w := range width {
		widest = max(widest, w)
	}
	return max(inside, widest*len(g.rows))
}

func spanOf(n *html.Node, key string) int {
	if span, err := strconv.Atoi(attr(n, key)); err == nil {
		return max(1, span)
	}
	return 1
}

// withoutSpans has each cell fill one field.
func (g grid) withoutSpans() {
	for _, row := range g.rows {
		for _, cell := range row {
			clamp(cell, "colspan", 1)
			clamp(cell, "rowspan", 1)
		}
	}
}

// withoutForm makes a table one of lines.
func (g grid) withoutForm() {
	rename(g.table, atom.Div)
	for _, row := range g.rows {
		for _, cell := range row {
			rename(cell, atom.Span)
			cell.AppendChild(&html.Node{Type: html.TextNode, Data: " "})
			rename(cell.Parent, atom.Div)
		}
	}
}
