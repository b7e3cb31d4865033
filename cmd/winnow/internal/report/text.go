// Package report prints the results of winnow eval: as text for people, as Markdown tables for documents.
package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/evalcli"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// Sites prints, for each detector, a row per site and per arrival bucket. With several detectors, a row for each
// follows at the end.
func Sites(p *console.Console, protocol evaluate.Protocol, results []evaluate.SiteResult) error {
	bold := p.Paint()
	var b strings.Builder
	fmt.Fprintf(&b, "protocol: %s\n", protocol)
	for i, r := range results {
		if i > 0 {
			b.WriteByte('\n')
		}
		siteTable(&b, bold, r)
	}
	if len(results) > 1 {
		b.WriteByte('\n')
		comparison(results).Text(&b, bold)
	}
	for _, r := range results {
		printDiffs(p, &b, r.Detector, r.Diffs)
	}
	_, err := fmt.Fprint(p.Stdout, b.String())
	return err
}

// siteTable has the figures of one detector.
func siteTable(b *strings.Builder, bold console.Painter, r evaluate.SiteResult) {
	heading := func(title, count string) {
		columns := fmt.Sprintf("%-28s %6s    %7s %7s %7s %7s %7s %7s %7s", title, count, "F1", "P", "R", "kept%", "noise-%", "P1%", "P2%")
		fmt.Fprintf(b, "%s\n%s\n", bold("1", fmt.Sprintf("%-38s %s", "", r.Detector)), bold("1", columns))
	}
	heading("site", "pages")
	for _, s := range r.Sites {
		row(b, s.Site, s.N, s.Mean)
	}
	b.WriteByte('\n')
	heading("macro mean", "sites")
	estimate(b, "all pages", r.All)
	for k, name := range evaluate.BucketNames() {
		estimate(b, "pages "+name, r.Buckets[k])
	}
	optionalParts(b, bold, r)
	accuracies(b, bold, r)
	passed(b, r)
}

// row prints one line of figures. It prints the number of sites or pages if there are any.
func row(b *strings.Builder, name string, n int, m evaluate.Mean) {
	count := ""
	if n > 0 {
		count = fmt.Sprint(n)
	}
	fmt.Fprintf(b, "%-28s %6s    %7.4f %7.4f %7.4f %7.2f %7.2f %7.2f %7.2f\n",
		name, count, m.F1, m.P, m.R, 100*m.Kept, 100*m.Removed, 100*m.P1, 100*m.P2)
}

// estimate prints a mean over sites with its spread below. It leaves out a bucket without sites.
func estimate(b *strings.Builder, name string, e evaluate.Estimate) {
	if e.N > 0 {
		row(b, name, e.N, e.Mean)
		row(b, "  +-", 0, e.Spread)
	}
}

// comparison has a row for each detector: F1 by order of arrival, and the text kept and removed at the end.
func comparison(results []evaluate.SiteResult) console.Table {
	t := console.Table{Head: []string{"F1 on pages"}}
	for _, name := range evaluate.BucketNames() {
		t.Head = append(t.Head, name)
	}
	t.Head = append(t.Head, "all", "kept", "removed")
	for _, r := range results {
		row := []string{r.Detector}
		for _, e := range append(r.Buckets[:], r.All) {
			if e.N == 0 {
				row = append(row, "-")
				continue
			}
			row = append(row, digits(e.F1))
		}
		t.Rows = append(t.Rows, append(row, evalcli.Percent(r.All.Kept), evalcli.Percent(r.All.Removed)))
	}
	return t
}

// optionalParts prints how much is kept of the parts on which readers differ, which no other figure counts.
func optionalParts(b *strings.Builder, bold console.Painter, r evaluate.SiteResult) {
	if len(r.Optional) == 0 {
		return
	}
	t := console.Table{Head: []string{"optional parts", "sites", "kept"}}
	for _, kind := range slices.Sorted(maps.Keys(r.Optional)) {
		o := r.Optional[kind]
		t.Add(kind, fmt.Sprint(o.Sites), evalcli.Percent(o.Kept))
	}
	b.WriteByte('\n')
	t.Text(b, bold)
}

// accuracies prints the accuracy by site of the pages after the first ones, if there are such pages.
func accuracies(b *strings.Builder, bold console.Painter, r evaluate.SiteResult) {
	if r.Accuracy.N == 0 {
		return
	}
	t := console.Table{Head: []string{fmt.Sprintf("after the first %d pages", evaluate.AccuracySkips), "pages", "pages right", "characters right"}}
	add := func(name string, a evaluate.Accuracy) {
		t.Rows = append(t.Rows, []string{name, fmt.Sprint(a.N), evalcli.Percent(a.Right), evalcli.Percent(a.Chars)})
	}
	for _, s := range r.Sites {
		if s.Accuracy.N > 0 {
			add(s.Site, s.Accuracy)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(r.AccuracyByClass)) {
		a := r.AccuracyByClass[class]
		add(fmt.Sprintf("sites of class %s: %d", class, a.N), a)
	}
	add(fmt.Sprintf("all sites: %d", r.Accuracy.N), r.Accuracy)
	b.WriteByte('\n')
	t.Text(b, bold)
}

// passedShown bounds how many unchanged pages are named.
const passedShown = 5

// passed says by site and reason how many pages passed unchanged, and names the first. They are scored unchanged.
func passed(b *strings.Builder, r evaluate.SiteResult) {
	for _, s := range r.Sites {
		byReason := map[string][]string{}
		for _, pg := range s.Pages {
			if pg.Passed != "" {
				byReason[pg.Passed] = append(byReason[pg.Passed], pg.Page)
			}
		}
		for _, reason := range slices.Sorted(maps.Keys(byReason)) {
			pages, more := byReason[reason], ""
			n := len(pages)
			if n > passedShown {
				pages, more = pages[:passedShown], ", …"
			}
			fmt.Fprintf(b, "%s: %d of %d pages passed unchanged, %s: %s%s\n", s.Site, n, len(s.Pages), reason, strings.Join(pages, ", "), more)
		}
	}
}

// Singles prints a row per page type for each detector.
func Singles(p *console.Console, results []evaluate.SingleResult) error {
	bold := p.Paint()
	var b strings.Builder
	for i, r := range results {
		if i > 0 {
			b.WriteByte('\n')
		}
		columns := fmt.Sprintf("%-16s %6s    %7s %7s %7s %7s %7s %10s %7s %7s", "type", "pages", "F1", "P", "R", "ROUGE-L", "with%", "without%", "P1%", "P2%")
		fmt.Fprintf(&b, "%s\n%s\n", bold("1", fmt.Sprintf("%-26s %s", "", r.Detector)), bold("1", columns))
		for _, m := range r.Types {
			fmt.Fprintf(&b, "%-16s %6d    %7.4f %7.4f %7.4f %7.4f %7.1f %10.1f %7.2f %7.2f\n",
				m.Type, m.Pages, m.F1, m.P, m.R, m.RougeL, 100*m.With, 100*m.Without, 100*m.P1, 100*m.P2)
		}
	}
	printFields(&b, bold, results[0].Metadata)
	for _, r := range results {
		printDiffs(p, &b, r.Detector, r.Diffs)
	}
	_, err := fmt.Fprint(p.Stdout, b.String())
	return err
}

// printFields prints how well titles, authors and dates are read. Detectors have no influence on that.
func printFields(b *strings.Builder, bold func(code, text string) string, scores []evaluate.FieldScore) {
	if len(scores) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", bold("1", fmt.Sprintf("%-16s %6s    %7s %7s %9s", "metadata", "pages", "right%", "wrong%", "invented")))
	for _, f := range scores {
		n := float64(max(f.Pages, 1)) / 100
		fmt.Fprintf(b, "%-16s %6d    %7.1f %7.1f %9d\n", f.Field, f.Pages, float64(f.Right)/n, float64(f.Given-f.Right)/n, f.Invented)
	}
}

// diffWidth is the maximum length of a printed line, in characters.
const diffWidth = 160

// printDiffs shows what was wrongly removed and kept.
func printDiffs(p *console.Console, b *strings.Builder, detector string, diffs []*evaluate.Diff) {
	paint := p.Paint()
	for _, d := range diffs {
		fmt.Fprintf(b, "\n%s\n", paint("1", fmt.Sprintf("%s: %s  F1 %.4f", detector, strings.TrimPrefix(d.Site+"/"+d.Page, "/"), d.F1)))
		for _, l := range d.Lost {
			fmt.Fprintln(b, paint("31", "- "+console.Shorten(console.Printable(l), diffWidth)))
		}
		for _, l := range d.Left {
			fmt.Fprintln(b, paint("32", "+ "+console.Shorten(console.Printable(l), diffWidth)))
		}
	}
}
