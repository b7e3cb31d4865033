package content

import (
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/facts"
)

// layoutTables returns the layout tables and their parts. A table with headings, a caption or a role has data. A layout
// table contains other tables, declares that it is one, has posts, or has a single column of more than words. A table
// that has headings, and small tables in few of its rows, still has data, and those lay out its cells.
func (v *View) layoutTables() []bool {
	p := v.Page
	layout := make([]bool, len(p.Elements))
	for e := range p.Elements {
		switch el := &p.Elements[e]; el.Tag {
		case atom.Table:
			layout[e] = v.isInData(el.Parent, layout) || v.isLayout(page.ElementID(e))
		case atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption, atom.Colgroup, atom.Col:
			layout[e] = el.Parent != page.None && layout[el.Parent]
		}
	}
	return layout
}

func (v *View) isLayout(table page.ElementID) bool {
	p := v.Page
	switch role, _ := p.Attr(table, "role"); role {
	case "presentation", "none":
		return true
	case "table", "grid", "treegrid":
		return false
	}
	columns, rows, tables, writers, boxes, labelled := 0, 0, 0, 0, false, false
	for d := table + 1; d < p.Elements[table].Sub; d++ {
		if v.Alive[d] && facts.NamesOf(p, d).IsWriter() {
			writers++
		}
		switch p.Elements[d].Tag {
		case atom.Table:
			tables++
			d = p.Elements[d].Sub - 1
		case atom.Th, atom.Caption, atom.Thead:
			labelled = labelled || v.Alive[d] && p.Elements[d].BlockEnd > p.Elements[d].BlockStart
		case atom.Tr:
			if n := v.cells(d); n > 0 {
				columns, rows = max(columns, n), rows+1
			}
		case atom.Pre, atom.H1, atom.H2, atom.H3, atom.H4, atom.Form, atom.Article, atom.Section:
			boxes = boxes || v.Alive[d]
		}
	}
	if tables > 0 {
		return !labelled || rowsToTable*tables > rows
	}
	return !labelled && (boxes || writers > 0 && v.ink(table) >= writers*post) || columns == 1 && (boxes || !labelled && rows == 1)
}

// rowsToTable is the number of rows of a data table for each table in them. Layout tables with headings, like those of
// forums, have one in each row.
const rowsToTable = 4

// post is the least ink of a post, which old forums lay out in a table with the name of who wrote it.
const post = 120

// ink is that of the text of e that stays.
func (v *View) ink(e page.ElementID) (n int) {
	for t := v.Page.Elements[e].TextStart; t < v.Page.Elements[e].TextEnd; t++ {
		if !v.Gone.Texts[t] {
			n += page.Ink(v.Page.Texts[t].Data)
		}
	}
	return n
}

// isInData reports whether e is in a cell of a data table.
func (v *View) isInData(e page.ElementID, layout []bool) bool {
	for ; e != page.None; e = v.Page.Elements[e].Parent {
		if tag := v.Page.Elements[e].Tag; tag == atom.Td || tag == atom.Th {
			return !layout[e]
		}
	}
	return false
}

// cells is the number of cells of a row that are not empty.
func (v *View) cells(row page.ElementID) (n int) {
	p := v.Page
	for c := range p.Children(row) {
		if tag := p.Elements[c].Tag; (tag == atom.Td || tag == atom.Th) && v.filled[c] && !v.Omitted[c] {
			n++
		}
	}
	return n
}
