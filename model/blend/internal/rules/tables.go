package rules

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// keepRows lowers the log-odds of noise of the blocks in tables of data.
func keepRows(v *view.Page, odds []float32) {
	p := v.Doc
	for e := page.ElementID(0); int(e) < len(p.Elements); e++ {
		if p.Elements[e].Tag != atom.Table {
			continue
		}
		rows := parts.DataRows(v, e)
		if len(rows) < parts.TableRows || !parts.HasUnits(v, rows) {
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
