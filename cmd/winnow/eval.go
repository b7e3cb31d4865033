package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// evalCmd is winnow eval.
type evalCmd struct {
	Corpus    string             `required:"" placeholder:"DIR" help:"Folder of the corpus: <site>/site.json with pages, below sites/ if there is more; or html/ and gold/ with single pages; or, for tasks, just folders of pages. The word synthetic makes one up."`
	Detector  []string           `default:"${detector}" placeholder:"NAME" help:"Detectors to measure side by side; for what there are, and their settings, see above (default: ${default})."`
	Task      []string           `default:"score" placeholder:"TASK" help:"What to measure: score (against the gold), or what cleaning is for: classify, cluster, search (default: ${default})."`
	Protocol  *evaluate.Protocol `placeholder:"NAME" help:"What is learned before a page is cleaned: online (the pages before it), batch (all pages) or cold (nothing) (default: online, for tasks batch)."`
	Sites     []string           `placeholder:"ID" help:"Only these sites of the corpus."`
	Classes   string             `placeholder:"FILE" help:"Classes of pages, for classify and cluster: lines of SITE: CLASS or SITE/PAGE: CLASS in YAML or JSON, with * and ? (default: classes.yaml beside the corpus, else \"class\" or \"genre\" in site.json)."`
	Runs      int                `default:"10" placeholder:"N" help:"How often classify and cluster draw anew (default: ${default})."`
	Out       string             `placeholder:"DIR" help:"Write the cleaned pages to DIR/<site>/<page>.html; with several detectors to DIR/<detector>/...."`
	OutCorpus string             `placeholder:"DIR" help:"Write the synthetic corpus to this new folder."`
	Seed      uint64             `placeholder:"N" help:"Make up the synthetic corpus of this number (default: 0)."`
	Weights   string             `placeholder:"FILE" help:"Fitted weights to use in place of those that are built in."`
	Diff      int                `placeholder:"N" help:"Show what was wrongly removed (-) and kept (+) on the N worst pages of each detector."`
	Format    string             `enum:"text,markdown,json" default:"text" placeholder:"FORM" help:"Print tables as text or markdown, or the figures as json (default: ${default})."`
	JSON      bool               `name:"json" help:"The same as --format json."`
	MinF1     float64            `name:"min-f1" placeholder:"F1" help:"Fail unless the first detector's macro F1 is at least this (sites: over pages 21+; single pages: over all)."`
	MinKept   float64            `placeholder:"SHARE" help:"Fail unless the first detector keeps at least this share of the content over pages 21+."`
}

// Help explains the figures, lists the detectors and gives examples.
func (*evalCmd) Help() string {
	return `Pages are cleaned in --mode remove and compared with the corpus's gold: F1 over 4-token shingles for sites, over words for single pages. P1 and P2 are the shares of the content's characters kept and of the noise's removed. Accuracy is of the pages after a site's first ten: the share of pages with at most 5 % of the content lost and 5 % of the output noise, and the share of characters judged right. The figures after +- are standard deviations, under bootstrap over sites, or over the runs of a task.

Tasks compare what pages are good for before cleaning (the detector keep), after, and with the gold alone: classify is naive Bayes on bags of words (plain; confounded, where each class is learned from one site and asked for on the other; transfer, where it is asked for on all other sites), cluster k-means, search looks pages up by their titles. Pages that can't be read are named and left out, and the exit code is 1 then.

Detectors, and what can be set with their names (shares are numbers between 0 and 1):

` + detectorList() + `
As json, sites are a list of {detector, all, buckets, accuracy, accuracy_by_class, sites, diffs}, a detector each: buckets are pages 1, 2-5, 6-10, 11-20 and 21+ of a host; all shares are in [0,1]; n is the number of sites or pages that a mean is of. Single pages are a list of {detector, types, diffs}, tasks {protocol, runs, results}.

Examples:

  winnow eval --corpus corpus/sites
  winnow eval --corpus corpus/sites --detector blend,sst --protocol batch --out /tmp/cleaned
  winnow eval --corpus corpus/sites --detector purify:beta=0.65,purify:beta=0.75,purify:beta=0.85
  winnow eval --corpus corpus/pages --json
  winnow eval --corpus corpus/sites --diff 10      # where it goes wrong
  winnow eval --corpus synthetic --detector keep,sst,blend --task classify,cluster,search --format markdown
  winnow eval --corpus corpus/sites --min-f1 0.88 --min-kept 0.97    # for CI: exit 1 when missed`
}

// detectorList has a line for each detector and for each of its settings, indented so that help keeps the lines.
func detectorList() string {
	var b strings.Builder
	for _, d := range detectors.Describe() {
		fmt.Fprintf(&b, "  %-28s %s\n", d.Name, d.About)
		for _, s := range d.Settings {
			fmt.Fprintf(&b, "  %-28s   %s\n", d.Name+":"+s.Form, s.About)
		}
	}
	return b.String()
}

// Run measures and prints.
func (c *evalCmd) Run(ctx context.Context, p *program) error {
	if err := c.check(); err != nil {
		return err
	}
	ds, err := c.detectors()
	if err != nil {
		return err
	}
	corpus, err := c.open()
	if err != nil {
		return err
	}
	defer func() {
		if err := corpus.close(); err != nil {
			p.warnf("%v", err)
		}
	}()
	runner := &evaluate.Runner{Detectors: ds, Protocol: c.protocol(), Out: c.Out, Worst: c.Diff}
	if corpus.singles {
		return c.singles(ctx, p, runner, corpus.dir)
	}
	return c.sites(ctx, p, runner, corpus)
}

// check finds what is wrong with the command line, or with flags that don't go together.
func (c *evalCmd) check() error {
	if c.JSON {
		c.Format = "json"
	}
	for _, t := range c.Task {
		if !slices.Contains(evalTasks(), t) {
			return usagef("--task: %q is not one of %s", t, strings.Join(evalTasks(), ", "))
		}
	}
	switch {
	case c.Diff < 0:
		return usagef("--diff %d: want the number of pages to show", c.Diff)
	case c.Runs < 1:
		return usagef("--runs %d: want one run or more", c.Runs)
	case len(c.Task) > 1 && slices.Contains(c.Task, taskScore):
		return usagef("--task: %s is measured by itself, by another protocol than the others", taskScore)
	case c.Task[0] != taskScore && (c.Diff > 0 || c.MinF1 > 0 || c.MinKept > 0):
		return usagef("--diff, --min-f1 and --min-kept are for --task %s", taskScore)
	case c.Corpus != syntheticCorpus && (c.OutCorpus != "" || c.Seed != 0):
		return usagef("--out-corpus and --seed are for --corpus %s", syntheticCorpus)
	}
	return nil
}

// protocol is the one asked for, else what suits the task: the papers learned all pages before they mined them.
func (c *evalCmd) protocol() evaluate.Protocol {
	switch {
	case c.Protocol != nil:
		return *c.Protocol
	case c.Task[0] == taskScore:
		return evaluate.Online
	default:
		return evaluate.Batch
	}
}

func (c *evalCmd) detectors() (ds []model.Detector, err error) {
	for _, name := range c.Detector {
		d, err := detectors.ByName(name, detectors.Options{Weights: c.Weights})
		switch {
		case errors.Is(err, detectors.ErrUnknown):
			return nil, usagef("--detector: %w", err)
		case err != nil:
			return nil, usagef("--weights: %w", err)
		}
		ds = append(ds, d)
	}
	return ds, nil
}

func (c *evalCmd) sites(ctx context.Context, p *program, runner *evaluate.Runner, corpus *evalCorpus) error {
	total := 0
	for _, s := range append(corpus.sites[:len(corpus.sites):len(corpus.sites)], corpus.texts...) {
		total += len(s.Pages)
	}
	for _, n := range corpus.notes {
		p.warnf("%s", n)
	}
	left := &leftOuts{list: corpus.left}
	runner.LeftOut = left.add
	step, done := p.progress("cleaning", total)
	runner.Progress = func(_, _ string) { step() }
	var err error
	if c.Task[0] == taskScore {
		err = c.score(ctx, p, runner, corpus, done)
	} else {
		err = c.tasks(ctx, p, runner, corpus, done)
	}
	return errors.Join(err, left.report(p, total+len(corpus.left)))
}

// score compares what the detectors make of the sites with their gold.
func (c *evalCmd) score(ctx context.Context, p *program, runner *evaluate.Runner, corpus *evalCorpus, done func()) error {
	if len(corpus.texts) > 0 {
		results, err := runner.TextSites(ctx, corpus.texts)
		done()
		if err != nil {
			return err
		}
		return c.print(p, results, func() error { return printTextSites(p, runner.Protocol, results) }, func() []grid { return textGrids(results) })
	}
	if corpus.withoutGold {
		done()
		return usagef("--corpus: there is no <site>/site.json in %s, nor html/ and gold/, so nobody knows what is content there; --task search needs no gold", corpus.dir)
	}
	results, err := runner.Sites(ctx, corpus.sites)
	done()
	if err != nil {
		return err
	}
	if err := c.print(p, results, func() error { return printSites(p, runner.Protocol, results) }, func() []grid { return siteGrids(results) }); err != nil {
		return err
	}
	last := results[0].Buckets[evaluate.LastBucket]
	return errors.Join(
		gate("--min-f1", "macro F1 over pages 21+", last.F1, c.MinF1),
		gate("--min-kept", "share of content kept over pages 21+", last.Kept, c.MinKept))
}

func (c *evalCmd) singles(ctx context.Context, p *program, runner *evaluate.Runner, dir string) error {
	if c.MinKept != 0 || len(c.Sites) > 0 || c.Task[0] != taskScore {
		return usagef("--min-kept, --sites and --task are for a corpus of sites; %s holds single pages", dir)
	}
	pages, err := evaluate.LoadSingles(dir)
	if err != nil {
		return err
	}
	step, done := p.progress("evaluating", len(pages))
	runner.Progress = func(_, _ string) { step() }
	results, err := runner.Singles(ctx, pages)
	done()
	if err != nil {
		return err
	}
	if err := c.print(p, results, func() error { return printSingles(p, results) }, func() []grid { return singleGrids(results) }); err != nil {
		return err
	}
	all := results[0].Types[len(results[0].Types)-1]
	return gate("--min-f1", "word F1 over all pages", all.F1, c.MinF1)
}

// print writes the results in the form asked for.
func (c *evalCmd) print(p *program, results any, text func() error, markdown func() []grid) error {
	switch c.Format {
	case "json":
		return printJSON(p.stdout, results)
	case "markdown":
		return printMarkdown(p.stdout, markdown())
	default:
		return text()
	}
}

// gate fails when a figure is below what the flag asks for.
func gate(flag, what string, got, want float64) error {
	if got >= want {
		return nil
	}
	return fmt.Errorf("%s %g missed: %s is %.4f", flag, want, what, got)
}

// printJSON writes v indented, for people and for jq alike.
func printJSON(w interface{ Write([]byte) (int, error) }, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
