package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/evaluate"
)

// printTextSites prints, detector by detector, the means by arrival of sites whose gold is text, and their facts.
func printTextSites(p *program, protocol evaluate.Protocol, results []evaluate.TextResult) error {
	bold := p.paint()
	var b strings.Builder
	fmt.Fprintf(&b, "protocol: %s\n", protocol)
	for _, g := range textGrids(results) {
		g.text(&b, bold)
		b.WriteByte('\n')
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}

// textGrids has for each detector a row a range of arrival and one a site, and for each fact the share of pages that
// keep it.
func textGrids(results []evaluate.TextResult) (grids []grid) {
	for _, r := range results {
		scores := grid{head: []string{r.Detector, "pages", "ROUGE-L", "P", "R", "word F1"}}
		row := func(name string, m evaluate.TextMean) {
			if m.N > 0 {
				scores.rows = append(scores.rows, []string{name, fmt.Sprint(m.N), digits(m.RougeL), digits(m.P), digits(m.R), digits(m.WordF1)})
			}
		}
		facts := grid{head: []string{r.Detector + ": fact", "site", "pages", "kept"}}
		for _, s := range r.Sites {
			row(s.Site, s.Mean)
			for _, name := range slices.Sorted(maps.Keys(s.Facts)) {
				f := s.Facts[name]
				facts.rows = append(facts.rows, []string{name, s.Site, fmt.Sprint(f.Pages), digits(float64(f.Kept) / float64(f.Pages))})
			}
		}
		for i, name := range evaluate.TextBucketNames() {
			row("hosts, page "+name, r.Buckets[i])
		}
		row("all pages", r.All)
		for _, g := range []grid{scores, facts} {
			if len(g.rows) > 0 {
				grids = append(grids, g)
			}
		}
	}
	return grids
}
