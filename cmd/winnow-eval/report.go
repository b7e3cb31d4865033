package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/evalcli"
	"github.com/winnow-proxy/winnow/cmd/winnow-eval/mining"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// taskReport has the results of the tasks for all detectors.
type taskReport struct {
	Protocol evaluate.Protocol `json:"protocol"`
	Runs     int               `json:"runs"`
	Results  []*taskResult     `json:"results"`
}

// taskResult has the results of the tasks for one detector. Tasks that were not selected are nil.
type taskResult struct {
	Detector string                 `json:"detector"`
	Classify *mining.Classification `json:"classify,omitempty"`
	Cluster  *mining.Clustering     `json:"cluster,omitempty"`
	Search   *mining.Search         `json:"search,omitempty"`
}

// heading describes the basis of the figures.
func (r *taskReport) heading(variants []evaluate.Variant) string {
	docs := variants[0].Documents
	sites, classes, classified := map[string]bool{}, map[string]bool{}, 0
	for _, d := range docs {
		sites[d.Site] = true
		if d.Class != "" {
			classes[d.Class] = true
			classified++
		}
	}
	return fmt.Sprintf("protocol: %s; %d pages of %d sites, %d of them in %d classes; %d runs",
		r.Protocol, len(docs), len(sites), classified, len(classes), r.Runs)
}

// tables has one table for each task that has results.
func (r *taskReport) tables(tasks []string) (tables []console.Table) {
	for _, task := range tasks {
		var t console.Table
		switch task {
		case taskClassify:
			t = r.classifyTable()
		case taskCluster:
			t = r.clusterTable()
		default:
			t = r.searchTable()
		}
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

func (r *taskReport) classifyTable() console.Table {
	t := console.Table{Head: []string{"naive Bayes, F", "plain", "confounded", "transfer"}}
	for _, res := range r.Results {
		if c := res.Classify; c != nil {
			t.Add(res.Detector, figure(&c.Plain), figure(c.Confounded), figure(c.Transfer))
		}
	}
	return t
}

func (r *taskReport) clusterTable() console.Table {
	t := console.Table{Head: []string{"k-means, F", "F"}}
	for _, res := range r.Results {
		if c := res.Cluster; c != nil {
			t.Add(res.Detector, figure(&c.F))
		}
	}
	return t
}

func (r *taskReport) searchTable() console.Table {
	t := console.Table{Head: []string{"search by title", "queries", "MRR", "found first", "text", "index"}}
	for _, res := range r.Results {
		if s := res.Search; s != nil {
			t.Add(
				res.Detector, fmt.Sprint(s.Queries), fmt.Sprintf("%.3f", s.MRR), evalcli.Percent(s.First), kilobytes(float64(s.TextBytes)), kilobytes(float64(s.IndexBytes)))
		}
	}
	return t
}

// figure prints a mean with its spread, or nothing for a trial that the corpus does not allow.
func figure(f *mining.Figure) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f ±%.3f", f.Mean, f.Spread)
}

func kilobytes(n float64) string { return fmt.Sprintf("%.0f kB", n/1000) }

// printTables prints tables for people, columns aligned.
func printTables(p *console.Console, title string, tables []console.Table) error {
	bold := p.Paint()
	var b strings.Builder
	fmt.Fprintln(&b, title)
	for _, t := range tables {
		b.WriteByte('\n')
		t.Text(&b, bold)
	}
	_, err := io.WriteString(p.Stdout, b.String())
	return err
}
