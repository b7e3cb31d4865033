package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/model/evaluate"
	"github.com/winnow-proxy/winnow/model/evaluate/mining"
)

// Names of --task.
const (
	taskScore    = "score"
	taskClassify = "classify"
	taskCluster  = "cluster"
	taskSearch   = "search"
)

func evalTasks() []string { return []string{taskScore, taskClassify, taskCluster, taskSearch} }

// taskReport is what the tasks came to, for all detectors.
type taskReport struct {
	Protocol evaluate.Protocol `json:"protocol"`
	Runs     int               `json:"runs"`
	Results  []*taskResult     `json:"results"`
}

// taskResult is what the tasks came to over what one detector leaves of the pages. Tasks not asked for are nil.
type taskResult struct {
	Detector string                 `json:"detector"`
	Classify *mining.Classification `json:"classify,omitempty"`
	Cluster  *mining.Clustering     `json:"cluster,omitempty"`
	Search   *mining.Search         `json:"search,omitempty"`
}

// tasks cleans the pages with every detector and puts what is left to the tasks.
func (c *evalCmd) tasks(ctx context.Context, p *program, runner *evaluate.Runner, corpus *evalCorpus, done func()) error {
	variants, err := runner.Texts(ctx, corpus.sites)
	done()
	if err != nil {
		return err
	}
	report := &taskReport{Protocol: runner.Protocol, Runs: c.Runs}
	for _, v := range variants {
		report.Results = append(report.Results, &taskResult{Detector: v.Name})
	}
	failed := c.mine(ctx, p, variants, report)
	if err := ctx.Err(); err != nil {
		return err
	}
	grids := report.grids(c.Task)
	err = c.print(p, report, func() error { return printGrids(p, report.heading(variants), grids) }, func() []grid { return grids })
	return errors.Join(failed, err)
}

// mine works through all tasks and variants on as many goroutines as there are processors. A task that the pages are
// not fit for fails by itself; its error is reported once.
func (c *evalCmd) mine(ctx context.Context, p *program, variants []evaluate.Variant, report *taskReport) error {
	step, done := p.progress("mining", len(variants)*len(c.Task))
	defer done()
	errs := make([]error, len(c.Task))
	g := errgroup.Group{}
	g.SetLimit(runtime.GOMAXPROCS(0))
	work := make([]error, len(c.Task)*len(variants))
	for t, task := range c.Task {
		for v := range variants {
			g.Go(func() error {
				defer step()
				work[t*len(variants)+v] = report.Results[v].mine(ctx, task, variants[v].Documents, c.Runs)
				return nil
			})
		}
	}
	_ = g.Wait() // its functions return no error
	for t, task := range c.Task {
		for v := range variants {
			if err := work[t*len(variants)+v]; err != nil && errs[t] == nil {
				errs[t] = fmt.Errorf("--task %s: %w", task, err)
			}
		}
	}
	return errors.Join(errs...)
}

func (r *taskResult) mine(ctx context.Context, task string, docs []mining.Document, runs int) (err error) {
	switch task {
	case taskClassify:
		r.Classify, err = mining.Classify(ctx, docs, runs)
	case taskCluster:
		r.Cluster, err = mining.Cluster(ctx, docs, runs)
	default:
		r.Search, err = mining.Find(ctx, docs)
	}
	return err
}

// heading says what the figures are of.
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

// grids are one for each task that has results.
func (r *taskReport) grids(tasks []string) (grids []grid) {
	for _, task := range tasks {
		var g grid
		switch task {
		case taskClassify:
			g = r.classifyGrid()
		case taskCluster:
			g = r.clusterGrid()
		default:
			g = r.searchGrid()
		}
		if len(g.rows) > 0 {
			grids = append(grids, g)
		}
	}
	return grids
}

func (r *taskReport) classifyGrid() grid {
	g := grid{head: []string{"naive Bayes, F", "plain", "confounded", "transfer"}}
	for _, res := range r.Results {
		if c := res.Classify; c != nil {
			g.rows = append(g.rows, []string{res.Detector, figure(&c.Plain), figure(c.Confounded), figure(c.Transfer)})
		}
	}
	return g
}

func (r *taskReport) clusterGrid() grid {
	g := grid{head: []string{"k-means, F", "F"}}
	for _, res := range r.Results {
		if c := res.Cluster; c != nil {
			g.rows = append(g.rows, []string{res.Detector, figure(&c.F)})
		}
	}
	return g
}

func (r *taskReport) searchGrid() grid {
	g := grid{head: []string{"search by title", "queries", "MRR", "found first", "text", "index"}}
	for _, res := range r.Results {
		if s := res.Search; s != nil {
			g.rows = append(g.rows, []string{
				res.Detector, fmt.Sprint(s.Queries), fmt.Sprintf("%.3f", s.MRR), percent(s.First), kilobytes(s.TextBytes), kilobytes(s.IndexBytes),
			})
		}
	}
	return g
}

// figure prints a mean with its spread; a set-up that the corpus does not allow has none.
func figure(f *mining.Figure) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f ±%.3f", f.Mean, f.Spread)
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func kilobytes(n int64) string { return fmt.Sprintf("%d kB", (n+500)/1000) }
