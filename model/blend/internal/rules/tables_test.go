package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
)

// prices is a page with a table of pots and their prices, or of the days of a month.
func prices(header string, cell func(row, column int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<html><body><h1>Pots</h1><table><tr>%s</tr>`, header)
	for row := range 6 {
		b.WriteString("<tr>")
		for column := range 4 {
			fmt.Fprintf(&b, "<td>%s</td>", cell(row, column))
		}
		b.WriteString("</tr>")
	}
	b.WriteString(`</table></body></html>`)
	return b.String()
}

// Rows of data stay, whatever their log-odds. Rows of a calendar and of a layout table keep their log-odds.
func TestRowsOfDataStay(t *testing.T) {
	amounts := func(row, column int) string {
		return []string{fmt.Sprintf("%d.50 EUR", row), fmt.Sprintf("%d cm", 10*row), fmt.Sprintf("%d l", row), "in stock"}[column]
	}
	days := func(row, column int) string { return fmt.Sprint(4*row + column + 1) }
	for name, c := range map[string]struct {
		page  string
		stays bool
	}{
		"prices":      {prices("<th>Price<th>Height<th>Volume<th>Left", amounts), true},
		"no header":   {prices("<td>Price<td>Height<td>Volume<td>Left", amounts), false},
		"a calendar":  {prices("<th>Mon<th>Tue<th>Wed<th>Thu", days), false},
		"a layout":    {"<html><body><table><tr><th>Shop</th></tr><tr><td>" + prices("<td>a<td>b<td>c", days) + "</table>", false},
		"a short one": {`<html><body><table><tr><th>Price<th>Height</tr><tr><td>1 EUR<td>2 cm<td>3 l</tr></table></body></html>`, false},
	} {
		v := viewtest.ViewAt(t, c.page, "")
		odds := make([]float32, len(v.Blocks))
		for i := range odds {
			odds[i] = 4
		}
		keepRows(v, odds)
		stayed := 0
		for _, o := range odds {
			if o < 0 {
				stayed++
			}
		}
		if want := map[bool]int{true: 6 * 4}[c.stays]; stayed < want || want == 0 && stayed > 0 {
			t.Errorf("%s: %d of %d blocks stay", name, stayed, len(odds))
		}
	}
}
