package report

import (
	"fmt"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// History prints, for each detector, what the earlier pages of a host are worth.
func History(p *console.Console, histories []evaluate.History) error {
	bold := p.Paint()
	var b strings.Builder
	for i, t := range HistoryTables(histories) {
		if i > 0 {
			b.WriteByte('\n')
		}
		t.Text(&b, bold)
	}
	_, err := fmt.Fprint(p.Stdout, b.String())
	return err
}

// HistoryTables has, for each detector, a row for each measure of the corpus, each range of arrival and each host.
func HistoryTables(histories []evaluate.History) (tables []console.Table) {
	for _, h := range histories {
		t := console.Table{Head: []string{h.Detector, "measure", "n", "arrival", "first", "gain"}}
		row := func(name string, g evaluate.Gain) {
			t.Add(name, g.Measure, fmt.Sprint(g.N), digits(g.Arrival), digits(g.First), fmt.Sprintf("%+.4f", g.Gain))
		}
		for _, g := range h.Hosts {
			row(g.Of, g)
		}
		for _, g := range h.Buckets {
			row("hosts, page "+g.Of, g)
		}
		for _, g := range h.Corpus {
			row("corpus", g)
		}
		tables = append(tables, t)
	}
	return tables
}
