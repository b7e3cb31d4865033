package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/evaluate"
)

// printSites prints a row per site and per arrival bucket, the detectors' columns side by side.
func printSites(p *program, protocol evaluate.Protocol, results []evaluate.SiteResult) error {
	bold := p.paint()
	var b strings.Builder
	fmt.Fprintf(&b, "protocol: %s\n", protocol)
	heading := func(title, count string) {
		var first, second strings.Builder
		for _, r := range results {
			fmt.Fprintf(&first, "   %-55s", r.Detector)
			fmt.Fprintf(&second, "   %7s %7s %7s %7s %7s %7s %7s", "F1", "P", "R", "kept%", "noise-%", "P1%", "P2%")
		}
		row := fmt.Sprintf("%-28s %6s %s", "", "", strings.TrimRight(first.String(), " "))
		fmt.Fprintf(&b, "%s\n%s\n", bold("1", row), bold("1", fmt.Sprintf("%-28s %6s %s", title, count, second.String())))
	}
	heading("site", "pages")
	for i, s := range results[0].Sites {
		row(&b, s.Site, s.N, results, func(r evaluate.SiteResult) evaluate.Mean { return r.Sites[i].Mean })
	}
	b.WriteByte('\n')
	heading("macro mean", "sites")
	estimate(&b, "all pages", results, func(r evaluate.SiteResult) evaluate.Estimate { return r.All })
	for k, name := range evaluate.BucketNames() {
		estimate(&b, "pages "+name, results, func(r evaluate.SiteResult) evaluate.Estimate { return r.Buckets[k] })
	}
	accuracies(&b, bold, results)
	passed(&b, results)
	for _, r := range results {
		printDiffs(p, &b, r.Detector, r.Diffs)
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}

// row prints one line of figures per detector.
func row(b *strings.Builder, name string, n int, results []evaluate.SiteResult, get func(evaluate.SiteResult) evaluate.Mean) {
	count := ""
	if n > 0 {
		count = fmt.Sprint(n)
	}
	fmt.Fprintf(b, "%-28s %6s ", name, count)
	for _, r := range results {
		m := get(r)
		fmt.Fprintf(b, "   %7.4f %7.4f %7.4f %7.2f %7.2f %7.2f %7.2f", m.F1, m.P, m.R, 100*m.Kept, 100*m.Removed, 100*m.P1, 100*m.P2)
	}
	b.WriteByte('\n')
}

// estimate prints a mean over sites with its spread below. A bucket that no site reaches is left out.
func estimate(b *strings.Builder, name string, results []evaluate.SiteResult, get func(evaluate.SiteResult) evaluate.Estimate) {
	n := get(results[0]).N
	if n == 0 {
		return
	}
	row(b, name, n, results, func(r evaluate.SiteResult) evaluate.Mean { return get(r).Mean })
	row(b, "  +-", 0, results, func(r evaluate.SiteResult) evaluate.Mean { return get(r).Spread })
}

// accuracies prints the accuracy by site of the pages after the first, where there are such pages.
func accuracies(b *strings.Builder, bold func(style, text string) string, results []evaluate.SiteResult) {
	if results[0].Accuracy.N == 0 {
		return
	}
	g := grid{head: []string{fmt.Sprintf("after the first %d pages", evaluate.AccuracySkips), "pages"}}
	for _, r := range results {
		g.head = append(g.head, r.Detector+": pages right", "characters right")
	}
	add := func(name string, n int, get func(evaluate.SiteResult) evaluate.Accuracy) {
		row := []string{name, fmt.Sprint(n)}
		for _, r := range results {
			row = append(row, percent(get(r).Right), percent(get(r).Chars))
		}
		g.rows = append(g.rows, row)
	}
	for i, s := range results[0].Sites {
		if s.Accuracy.N > 0 {
			add(s.Site, s.Accuracy.N, func(r evaluate.SiteResult) evaluate.Accuracy { return r.Sites[i].Accuracy })
		}
	}
	for _, class := range slices.Sorted(maps.Keys(results[0].AccuracyByClass)) {
		n := results[0].AccuracyByClass[class].N
		add(fmt.Sprintf("%d %s sites", n, class), n, func(r evaluate.SiteResult) evaluate.Accuracy { return r.AccuracyByClass[class] })
	}
	add("all sites", results[0].Accuracy.N, func(r evaluate.SiteResult) evaluate.Accuracy { return r.Accuracy })
	b.WriteByte('\n')
	g.text(b, bold)
}

// passed says which pages went out unchanged and why: they count as they are.
func passed(b *strings.Builder, results []evaluate.SiteResult) {
	for _, r := range results {
		for _, s := range r.Sites {
			for _, pg := range s.Pages {
				if pg.Passed != "" {
					fmt.Fprintf(b, "%s: %s/%s went out unchanged: %s\n", r.Detector, s.Site, pg.Page, pg.Passed)
				}
			}
		}
	}
}

// printSingles prints a row per page type, the detectors' columns side by side.
func printSingles(p *program, results []evaluate.SingleResult) error {
	bold := p.paint()
	var b, names, columns strings.Builder
	for _, r := range results {
		fmt.Fprintf(&names, "   %-58s", r.Detector)
		fmt.Fprintf(&columns, "   %7s %7s %7s %7s %10s %7s %7s", "F1", "P", "R", "with%", "without%", "P1%", "P2%")
	}
	fmt.Fprintln(&b, bold("1", strings.TrimRight(fmt.Sprintf("%-16s %6s %s", "", "", names.String()), " ")))
	fmt.Fprintln(&b, bold("1", fmt.Sprintf("%-16s %6s %s", "type", "pages", columns.String())))
	for i, t := range results[0].Types {
		fmt.Fprintf(&b, "%-16s %6d ", t.Type, t.Pages)
		for _, r := range results {
			m := r.Types[i]
			fmt.Fprintf(&b, "   %7.4f %7.4f %7.4f %7.1f %10.1f %7.2f %7.2f", m.F1, m.P, m.R, 100*m.With, 100*m.Without, 100*m.P1, 100*m.P2)
		}
		b.WriteByte('\n')
	}
	for _, r := range results {
		printDiffs(p, &b, r.Detector, r.Diffs)
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}

// diffWidth is the most characters shown of a line.
const diffWidth = 160

// printDiffs shows what was wrongly removed and kept.
func printDiffs(p *program, b *strings.Builder, detector string, diffs []evaluate.Diff) {
	paint := p.paint()
	for _, d := range diffs {
		fmt.Fprintf(b, "\n%s\n", paint("1", fmt.Sprintf("%s: %s  F1 %.4f", detector, strings.TrimPrefix(d.Site+"/"+d.Page, "/"), d.F1)))
		for _, l := range d.Lost {
			fmt.Fprintln(b, paint("31", "- "+shortened(l)))
		}
		for _, l := range d.Left {
			fmt.Fprintln(b, paint("32", "+ "+shortened(l)))
		}
	}
}

// shortened makes a line printable and cuts it.
func shortened(l string) string {
	runes := []rune(printable([]byte(l)))
	if len(runes) > diffWidth {
		return string(runes[:diffWidth]) + "…"
	}
	return string(runes)
}
