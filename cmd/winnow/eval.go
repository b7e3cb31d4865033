package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// evalCmd is winnow eval.
type evalCmd struct {
	Corpus   string            `required:"" placeholder:"DIR" help:"Folder of the corpus: <site>/site.json with pages, below sites/ if there is more; or html/ and gold/ with single pages."`
	Detector []string          `default:"${detector}" placeholder:"NAME" help:"Detectors to measure side by side (default: ${default})."`
	Protocol evaluate.Protocol `default:"online" placeholder:"NAME" help:"What is learned before a page is cleaned: online (the pages before it), batch (all pages) or cold (nothing) (default: ${default})."`
	Sites    []string          `placeholder:"ID" help:"Only these sites of the corpus."`
	Out      string            `placeholder:"DIR" help:"Write the cleaned pages to DIR/<site>/<page>.html; with several detectors to DIR/<detector>/...."`
	Weights  string            `placeholder:"FILE" help:"Fitted weights to use in place of those that are built in."`
	Diff     int               `placeholder:"N" help:"Show what was wrongly removed (-) and kept (+) on the N worst pages of each detector."`
	JSON     bool              `name:"json" help:"Print the figures as JSON."`
	MinF1    float64           `name:"min-f1" placeholder:"F1" help:"Fail unless the first detector's macro F1 is at least this (sites: over pages 21+; single pages: over all)."`
	MinKept  float64           `placeholder:"SHARE" help:"Fail unless the first detector keeps at least this share of the content over pages 21+."`
}

// Help gives examples.
func (*evalCmd) Help() string {
	return `Pages are cleaned in --mode remove and compared with the corpus's gold: F1 over 4-token shingles for sites, over words for single pages. The figures after +- are standard deviations under bootstrap over sites.

Examples:

  winnow eval --corpus corpus/sites
  winnow eval --corpus corpus/sites --detector blend,sst --protocol batch --out /tmp/cleaned
  winnow eval --corpus corpus/pages --json
  winnow eval --corpus corpus/sites --diff 10      # where it goes wrong
  winnow eval --corpus corpus/sites --min-f1 0.88 --min-kept 0.97    # for CI: exit 1 when missed`
}

// Run measures and prints.
func (c *evalCmd) Run(ctx context.Context, p *program) error {
	if c.Diff < 0 {
		return usagef("--diff %d: want the number of pages to show", c.Diff)
	}
	ds, err := c.detectors()
	if err != nil {
		return err
	}
	runner := &evaluate.Runner{Detectors: ds, Protocol: c.Protocol, Out: c.Out, Worst: c.Diff}
	if evaluate.IsSingles(c.Corpus) {
		return c.singles(ctx, p, runner)
	}
	return c.sites(ctx, p, runner)
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

func (c *evalCmd) sites(ctx context.Context, p *program, runner *evaluate.Runner) error {
	sites, err := evaluate.LoadSites(c.Corpus, c.Sites...)
	if errors.Is(err, evaluate.ErrNoCorpus) {
		return usagef("--corpus: %w, nor html/ and gold/", err)
	} else if err != nil {
		return err
	}
	total := 0
	for _, s := range sites {
		total += len(s.Pages)
	}
	step, done := p.progress("evaluating", total)
	runner.Progress = func(_, _ string) { step() }
	results, err := runner.Sites(ctx, sites)
	done()
	if err != nil {
		return err
	}
	if err := c.print(p, results, func() error { return printSites(p, c.Protocol, results) }); err != nil {
		return err
	}
	last := results[0].Buckets[evaluate.LastBucket]
	return errors.Join(
		gate("--min-f1", "macro F1 over pages 21+", last.F1, c.MinF1),
		gate("--min-kept", "share of content kept over pages 21+", last.Kept, c.MinKept))
}

func (c *evalCmd) singles(ctx context.Context, p *program, runner *evaluate.Runner) error {
	if c.MinKept != 0 || len(c.Sites) > 0 {
		return usagef("--min-kept and --sites are for a corpus of sites; %s holds single pages", c.Corpus)
	}
	pages, err := evaluate.LoadSingles(c.Corpus)
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
	if err := c.print(p, results, func() error { return printSingles(p, results) }); err != nil {
		return err
	}
	all := results[0].Types[len(results[0].Types)-1]
	return gate("--min-f1", "word F1 over all pages", all.F1, c.MinF1)
}

// print writes the results as JSON or calls text.
func (c *evalCmd) print(p *program, results any, text func() error) error {
	if c.JSON {
		return printJSON(p.stdout, results)
	}
	return text()
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
