package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// TextSites prints, for each detector, the means by arrival for sites with text as gold, and their facts.
func TextSites(p *console.Console, protocol evaluate.Protocol, results []evaluate.TextResult) error {
	bold := p.Paint()
	var b strings.Builder
	fmt.Fprintf(&b, "protocol: %s\n", protocol)
	for _, t := range TextSiteTables(results) {
		t.Text(&b, bold)
		b.WriteByte('\n')
	}
	for _, r := range results {
		printDiffs(p, &b, r.Detector, r.Diffs)
	}
	_, err := fmt.Fprint(p.Stdout, b.String())
	return err
}

// TextSiteTables has, for each detector, a row per range of arrival and per site, and for each fact the share of pages
// that keep it.
func TextSiteTables(results []evaluate.TextResult) (tables []console.Table) {
	for _, r := range results {
		scores := console.Table{Head: []string{r.Detector, "pages", "ROUGE-L", "P", "R", "word F1"}}
		row := func(name string, m evaluate.TextMean) {
			if m.N > 0 {
				scores.Add(name, fmt.Sprint(m.N), digits(m.RougeL), digits(m.P), digits(m.R), digits(m.WordF1))
			}
		}
		facts := console.Table{Head: []string{r.Detector + ": fact", "site", "pages", "kept"}}
		for _, s := range r.Sites {
			row(s.Site, s.Mean)
			for _, name := range slices.Sorted(maps.Keys(s.Facts)) {
				f := s.Facts[name]
				facts.Add(name, s.Site, fmt.Sprint(f.Pages), digits(float64(f.Kept)/float64(f.Pages)))
			}
		}
		for i, name := range evaluate.TextBucketNames() {
			row("hosts, page "+name, r.Buckets[i])
		}
		row("all pages", r.All)
		for _, t := range []console.Table{scores, facts} {
			if len(t.Rows) > 0 {
				tables = append(tables, t)
			}
		}
	}
	return tables
}
