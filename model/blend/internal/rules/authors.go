package rules

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"golang.org/x/net/html/atom"
)

// detailOdds is the least log-odds of noise that a detail of an author has.
const detailOdds = 2.5

// dropDetails raises the log-odds of noise of the details of authors.
func dropDetails(v *view.Page, odds []float32) {
	for i, is := range parts.WriterDetails(v) {
		if is {
			odds[i] = max(odds[i], detailOdds)
		}
	}
}

// dropFields raises the log-odds of noise of the contents of fields to copy from or to write into, unless that is most
// of the page.
func dropFields(v *view.Page, odds []float32) {
	for i := range v.Blocks {
		if v.Doc.Elements[v.Doc.Blocks[i].Element].Tag == atom.Textarea && v.Blocks[i].Words*2 < v.Total.Words {
			odds[i] = max(odds[i], detailOdds)
		}
	}
}
