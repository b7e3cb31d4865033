package parts

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// Cells of a table of data ("3 l", "19 cm", "0.54 EUR") recur in the next row and on the host's other pages, because
// price lists use few words. To features that count recurring texts they look like template. So a rule decides, as for
// facts.

const (
	// rowCells is the least number of blocks in a row of data, tableRows the least number of such rows in a table.
	rowCells  = 3
	TableRows = 3
)

// HasUnits reports whether at least two fifths of the blocks in rows are numbers with a word: prices, sizes, amounts. A
// calendar has none of these.
func HasUnits(v *view.Page, rows []page.ElementID) bool {
	units, all := 0, 0
	for _, row := range rows {
		el := &v.Doc.Elements[row]
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			all++
			if d := &v.Blocks[b]; d.Digits > 0 && d.Words > 1 {
				units++
			}
		}
	}
	return units*5 >= all*2
}

// DataRows returns the rows of a table of data: a table with a header and without another table in it.
func DataRows(v *view.Page, table page.ElementID) (rows []page.ElementID) {
	header := false
	for e := table + 1; e < v.Doc.Elements[table].Sub; e++ {
		el := &v.Doc.Elements[e]
		switch el.Tag {
		case atom.Table:
			return nil
		case atom.Th:
			header = true
		case atom.Tr:
			if el.BlockEnd-el.BlockStart >= rowCells {
				rows = append(rows, e)
			}
		}
	}
	if !header {
		return nil
	}
	return rows
}
