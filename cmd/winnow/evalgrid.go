package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/evaluate"
)

// grid is a table of texts; the first column names the row.
type grid struct {
	head []string
	rows [][]string
}

// printGrids prints tables for people, columns aligned.
func printGrids(p *program, title string, grids []grid) error {
	bold := p.paint()
	var b strings.Builder
	fmt.Fprintln(&b, title)
	for _, g := range grids {
		b.WriteByte('\n')
		g.text(&b, bold)
	}
	_, err := io.WriteString(p.stdout, b.String())
	return err
}

// text writes the first column to the left and all others to the right of their widths.
func (g grid) text(b *strings.Builder, bold func(style, text string) string) {
	widths := make([]int, len(g.head))
	for _, row := range append([][]string{g.head}, g.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	line := func(row []string) string {
		var l strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				l.WriteString(cell + pad)
				continue
			}
			l.WriteString("   " + pad + cell)
		}
		return strings.TrimRight(l.String(), " ")
	}
	fmt.Fprintln(b, bold("1", line(g.head)))
	for _, row := range g.rows {
		fmt.Fprintln(b, line(row))
	}
}

// printMarkdown writes the tables in the README's form.
func printMarkdown(w io.Writer, grids []grid) error {
	var b strings.Builder
	for i, g := range grids {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(g.head, " | "), strings.Repeat("---|", len(g.head)))
		for _, row := range g.rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// siteGrids are the README's tables over sites: by order of arrival, accuracy, and F1 by site.
func siteGrids(results []evaluate.SiteResult) []grid {
	return []grid{arrivalGrid(results), accuracyGrid(results), bySiteGrid(results)}
}

func arrivalGrid(results []evaluate.SiteResult) grid {
	g := grid{head: []string{"F1 on a host's pages"}}
	for _, name := range evaluate.BucketNames() {
		g.head = append(g.head, strings.ReplaceAll(name, "-", "–"))
	}
	g.head = append(g.head, "all", "kept, 21+", "removed, 21+", "P1", "P2")
	for _, r := range results {
		row := []string{r.Detector}
		for _, e := range r.Buckets {
			row = append(row, estimated(e))
		}
		last := r.Buckets[evaluate.LastBucket]
		if last.N == 0 {
			row = append(row, estimated(r.All), "-", "-", percent(r.All.P1), percent(r.All.P2))
		} else {
			row = append(row, estimated(r.All), percent(last.Kept), percent(last.Removed), percent(r.All.P1), percent(r.All.P2))
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// estimated prints a mean over sites with its spread, as the README does; no site, no figure.
func estimated(e evaluate.Estimate) string {
	if e.N == 0 {
		return "-"
	}
	return digits(e.F1) + " ±" + digits(e.Spread.F1)
}

// digits prints a share without its leading 0.
func digits(share float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", share), "0") }

// accuracyGrid has the share of right pages over all sites and by class, and that of characters.
func accuracyGrid(results []evaluate.SiteResult) grid {
	classes := slices.Sorted(maps.Keys(results[0].AccuracyByClass))
	g := grid{head: append([]string{"pages right after the first 10", "all sites"}, append(classes, "characters right, all sites")...)}
	for _, r := range results {
		row := []string{r.Detector, right(r.Accuracy)}
		for _, class := range classes {
			row = append(row, right(r.AccuracyByClass[class]))
		}
		chars := "-"
		if r.Accuracy.N > 0 {
			chars = percent(r.Accuracy.Chars)
		}
		g.rows = append(g.rows, append(row, chars))
	}
	return g
}

func right(a evaluate.Accuracy) string {
	if a.N == 0 {
		return "-"
	}
	return percent(a.Right)
}

func bySiteGrid(results []evaluate.SiteResult) grid {
	g := grid{head: []string{"F1 by site, all pages", "pages"}}
	for _, r := range results {
		g.head = append(g.head, r.Detector)
	}
	for i, s := range results[0].Sites {
		row := []string{s.Site, fmt.Sprint(s.N)}
		for _, r := range results {
			row = append(row, digits(r.Sites[i].F1))
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// singleGrids is the README's table over single pages: word F1 by type, and P1 and P2 over all.
func singleGrids(results []evaluate.SingleResult) []grid {
	g := grid{head: []string{"word F1 by type", "pages"}}
	for _, r := range results {
		g.head = append(g.head, r.Detector)
	}
	for i, t := range results[0].Types {
		row := []string{t.Type, fmt.Sprint(t.Pages)}
		for _, r := range results {
			row = append(row, digits(r.Types[i].F1))
		}
		g.rows = append(g.rows, row)
	}
	last := len(results[0].Types) - 1
	p1, p2 := []string{"P1, all types", ""}, []string{"P2, all types", ""}
	for _, r := range results {
		p1, p2 = append(p1, percent(r.Types[last].P1)), append(p2, percent(r.Types[last].P2))
	}
	g.rows = append(g.rows, p1, p2)
	return []grid{g}
}
