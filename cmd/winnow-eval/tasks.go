package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/evalcli"
	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/cmd/winnow-eval/mining"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// Names of --task.
const (
	taskClassify = "classify"
	taskCluster  = "cluster"
	taskSearch   = "search"
)

func allTasks() []string { return []string{taskClassify, taskCluster, taskSearch} }

// tasksCmd is winnow-eval tasks.
type tasksCmd struct {
	evalcli.Flags
	Corpus string   `required:"" placeholder:"DIR" help:"Folder of the corpus: <site>/site.json with pages, below sites/ if there is more; or just folders of pages. The word synthetic makes one up."`
	Task   []string `default:"classify,cluster,search" placeholder:"TASK" help:"What to measure: classify, cluster or search (default: all)."`
	Runs   int      `default:"10" placeholder:"N" help:"Number of random runs of classify and cluster (default: ${default})."`
	Seed   uint64   `placeholder:"N" help:"Seed of the synthetic corpus (default: 0)."`
}

// Help explains the tasks, lists the detectors and gives examples.
func (*tasksCmd) Help() string {
	return `The tasks measure how useful pages are before cleaning (detector keep), after cleaning, and with the gold only. classify is naive Bayes on bags of words: plain; confounded, where each class is learned on one site and tested on another; transfer, where it is tested on all other sites. cluster is k-means. search finds pages by their titles. The figures after +- are standard deviations over the runs. Pages that can't be read are named and left out; the exit code is then 1.

Detectors, with the settings that can follow their names (shares are numbers between 0 and 1):

` + evalcli.DetectorList() + `
Examples:

  winnow-eval tasks --corpus synthetic --detector keep,sst,blend --format markdown
  winnow-eval tasks --corpus corpus/sites --task search --json`
}

// Run cleans the pages with every detector, runs the tasks on the results, and prints the figures.
func (c *tasksCmd) Run(ctx context.Context, p *console.Console) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	runner, err := c.Runner(evaluate.Batch) // the papers learned all pages before they mined them
	if err != nil {
		return err
	}
	in, err := c.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	for _, n := range in.notes {
		p.Warnf("%s", n)
	}
	left := saved.NewLeftOuts(in.left)
	runner.LeftOut = left.Add
	step, done := p.Progress("cleaning", in.pages())
	runner.Progress = func(_, _ string) { step() }
	variants, err := runner.Texts(ctx, in.sites)
	done()
	if err == nil {
		err = c.measure(ctx, p, runner.Protocol, variants)
	}
	return errors.Join(err, left.Report(p.Warnf, in.pages()+len(in.left)))
}

// check refuses invalid flags and combinations of flags.
func (c *tasksCmd) check() error {
	for _, t := range c.Task {
		if !slices.Contains(allTasks(), t) {
			return console.Usagef("--task: %q is not one of %s", t, strings.Join(allTasks(), ", "))
		}
	}
	switch {
	case c.Runs < 1:
		return console.Usagef("--runs %d: at least one run is needed", c.Runs)
	case c.Corpus != syntheticCorpus && c.Seed != 0:
		return console.Usagef("--seed needs --corpus %s", syntheticCorpus)
	}
	return nil
}

// measure runs the tasks on the texts and prints the results.
func (c *tasksCmd) measure(ctx context.Context, p *console.Console, protocol evaluate.Protocol, variants []evaluate.Variant) error {
	report := &taskReport{Protocol: protocol, Runs: c.Runs}
	for _, v := range variants {
		report.Results = append(report.Results, &taskResult{Detector: v.Name})
	}
	failed := c.mine(ctx, p, variants, report)
	if err := ctx.Err(); err != nil {
		return err
	}
	tables := report.tables(c.Task)
	err := c.Print(p, report, func() error { return printTables(p, report.heading(variants), tables) },
		func() []console.Table { return tables })
	return errors.Join(failed, err)
}

// mine runs all tasks on all variants, on as many goroutines as there are processors. A task that the pages don't allow
// fails alone; its error is reported once.
func (c *tasksCmd) mine(ctx context.Context, p *console.Console, variants []evaluate.Variant, report *taskReport) error {
	step, done := p.Progress("mining", len(variants)*len(c.Task))
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
