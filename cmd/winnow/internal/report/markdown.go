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

// SiteTables are the README's tables over sites: by order of arrival, accuracy, and F1 by site.
func SiteTables(results []evaluate.SiteResult) []console.Table {
	return []console.Table{arrivalTable(results), accuracyTable(results), bySiteTable(results)}
}

func arrivalTable(results []evaluate.SiteResult) console.Table {
	t := console.Table{Head: []string{"F1 on a host's pages"}}
	for _, name := range evaluate.BucketNames() {
		t.Head = append(t.Head, strings.ReplaceAll(name, "-", "–"))
	}
	t.Head = append(t.Head, "all", "kept, 21+", "removed, 21+", "P1", "P2")
	for _, r := range results {
		row := []string{r.Detector}
		for _, e := range r.Buckets {
			row = append(row, estimated(e))
		}
		last := r.Buckets[evaluate.LastBucket]
		if last.N == 0 {
			row = append(row, estimated(r.All), "-", "-", evalcli.Percent(r.All.P1), evalcli.Percent(r.All.P2))
		} else {
			row = append(row, estimated(r.All), evalcli.Percent(last.Kept), evalcli.Percent(last.Removed), evalcli.Percent(r.All.P1), evalcli.Percent(r.All.P2))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// estimated prints a mean over sites with its spread in the README's format. Without sites it prints no figure.
func estimated(e evaluate.Estimate) string {
	if e.N == 0 {
		return "-"
	}
	return digits(e.F1) + " ±" + digits(e.Spread.F1)
}

// digits prints a share without its leading 0.
func digits(share float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", share), "0") }

// accuracyTable has the share of correct pages over all sites and by class, and the share of correct characters.
func accuracyTable(results []evaluate.SiteResult) console.Table {
	classes := slices.Sorted(maps.Keys(results[0].AccuracyByClass))
	t := console.Table{Head: append([]string{"pages right after the first 10", "all sites"}, append(classes, "characters right, all sites")...)}
	for _, r := range results {
		row := []string{r.Detector, right(r.Accuracy)}
		for _, class := range classes {
			row = append(row, right(r.AccuracyByClass[class]))
		}
		chars := "-"
		if r.Accuracy.N > 0 {
			chars = evalcli.Percent(r.Accuracy.Chars)
		}
		t.Rows = append(t.Rows, append(row, chars))
	}
	return t
}

func right(a evaluate.Accuracy) string {
	if a.N == 0 {
		return "-"
	}
	return evalcli.Percent(a.Right)
}

func bySiteTable(results []evaluate.SiteResult) console.Table {
	t := console.Table{Head: []string{"F1 by site, all pages", "pages"}}
	for _, r := range results {
		t.Head = append(t.Head, r.Detector)
	}
	for i, s := range results[0].Sites {
		row := []string{s.Site, fmt.Sprint(s.N)}
		for _, r := range results {
			row = append(row, digits(r.Sites[i].F1))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// SingleTables is the README's table over single pages: word F1 by type, and P1 and P2 over all.
func SingleTables(results []evaluate.SingleResult) []console.Table {
	t := console.Table{Head: []string{"word F1 by type", "pages"}}
	for _, r := range results {
		t.Head = append(t.Head, r.Detector)
	}
	for i, of := range results[0].Types {
		row := []string{of.Type, fmt.Sprint(of.Pages)}
		for _, r := range results {
			row = append(row, digits(r.Types[i].F1))
		}
		t.Rows = append(t.Rows, row)
	}
	last := len(results[0].Types) - 1
	p1, p2 := []string{"P1, all types", ""}, []string{"P2, all types", ""}
	for _, r := range results {
		p1, p2 = append(p1, evalcli.Percent(r.Types[last].P1)), append(p2, evalcli.Percent(r.Types[last].P2))
	}
	t.Rows = append(t.Rows, p1, p2)
	return []console.Table{t}
}
