package blend

import (
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// Cells of a table of data ("3 l", "19 cm", "0.54 EUR") recur in the next row and on the host's other pages, because
// price lists use few words. To features that count recurring texts they look like template. So a rule decides, as for
// facts.

const (
	// rowCells is the least number of blocks in a row of data, tableRows the least number of such rows in a table.
	rowCells  = 3
	tableRows = 3
)

// keepRows lowers the log-odds of noise of the blocks in tables of data.
func (v *view) keepRows(odds []float32) {
	p := v.p
	for e := page.ElementID(0); int(e) < len(p.Elements); e++ {
		if p.Elements[e].Tag != atom.Table {
			continue
		}
		rows := v.dataRows(e)
		if len(rows) < tableRows || !v.hasUnits(rows) {
			continue
		}
		for _, row := range rows {
			el := &p.Elements[row]
			for b := el.BlockStart; b < el.BlockEnd; b++ {
				odds[b] = min(odds[b], factOdds)
			}
		}
	}
}

// hasUnits reports whether at least two fifths of the blocks in rows are numbers with a word: prices, sizes, amounts. A
// calendar has none of these.
func (v *view) hasUnits(rows []page.ElementID) bool {
	units, all := 0, 0
	for _, row := range rows {
		el := &v.p.Elements[row]
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			all++
			if d := &v.blocks[b]; d.digits > 0 && d.words > 1 {
				units++
			}
		}
	}
	return units*5 >= all*2
}

// dataRows returns the rows of a table of data: a table with a header and without another table in it.
func (v *view) dataRows(table page.ElementID) (rows []page.ElementID) {
	header := false
	for e := table + 1; e < v.p.Elements[table].Sub; e++ {
		el := &v.p.Elements[e]
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
