package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/evalcli"
	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/report"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// evalCmd is winnow eval.
type evalCmd struct {
	Corpus string `required:"" placeholder:"DIR" help:"Folder of the corpus: <site>/site.json with pages, below sites/ if there is more; or html/ and gold/ with single pages."`
	evalcli.Flags
	Diff          int      `placeholder:"N" help:"Show what was wrongly removed (-) and kept (+) on the N worst pages of each detector."`
	Ablate        bool     `help:"Measure instead the F1 of a corpus of sites with all rules of blend, and without each of them: --without switches single ones off."`
	TemplateRules int      `placeholder:"N" help:"Measure instead the rules that winnow template makes of a site's first N pages, on the pages after them, beside the detector that learned the same pages."`
	History       bool     `help:"Measure instead what a host's earlier pages are worth: the figures in order of arrival less those with each page as its host's first."`
	MinGain       *float64 `placeholder:"GAIN" help:"With --history: fail unless the first detector gains at least this on the corpus, by each measure."`
	MinHostGain   *float64 `placeholder:"GAIN" help:"With --history: fail unless it gains at least this on each host with ten pages and more."`
	MinF1         float64  `name:"min-f1" placeholder:"F1" help:"Fail unless the first detector's macro F1 is at least this (sites: over pages 21+; single pages: over all)."`
	MinKept       float64  `placeholder:"SHARE" help:"Fail unless the first detector keeps at least this share of the content over pages 21+."`
}

// Help explains the figures, lists the detectors and gives examples.
func (*evalCmd) Help() string {
	return `Pages are cleaned in --mode remove and compared with the corpus's gold: F1 over 4-token shingles for sites, over words for single pages. P1 is the share of the content's characters that is kept, P2 the share of the noise's characters that is removed. Metadata compares title, author and date with those that people found on single pages: the share of pages where winnow reads the same, and the share where it reads another; invented counts pages where winnow reads one and people found none. Accuracy is measured on the pages after a site's first ten: the share of pages that lose at most 5 % of the content and have at most 5 % noise in the output, and the share of characters that are treated correctly. The figures after +- are standard deviations by bootstrap over sites. What a
site's corpus calls optional (comments, bylines, buttons ...) counts neither
way; the share of each kind that is kept stands in a table of its own.

Pages that can't be read are named and left out; the exit code is then 1. The separate command winnow-eval measures how much cleaning helps with classification, clustering and search.

Detectors, with the settings that can follow their names (shares are numbers between 0 and 1):

` + evalcli.DetectorList() + `
As json, the results of sites are a list of {detector, all, buckets, accuracy, accuracy_by_class, sites, diffs}, one for each detector: buckets are pages 1, 2-5, 6-10, 11-20 and 21+ of a host; all shares are in [0,1]; n is the number of sites or pages in a mean. With --history they are a list of {detector, corpus, buckets, hosts}, of lists of {of, measure, n, arrival, first, gain}. The results of single pages are a list of {detector, types, metadata, diffs}.

Examples:

  winnow eval --corpus corpus/sites
  winnow eval --corpus corpus/sites --detector blend,sst --protocol batch --out /tmp/cleaned
  winnow eval --corpus corpus/sites --detector purify:beta=0.65,purify:beta=0.75,purify:beta=0.85
  winnow eval --corpus corpus/pages --json
  winnow eval --corpus corpus/sites --history --min-gain 0 --min-host-gain -0.01
  winnow eval --corpus corpus/sites --template-rules 20
  winnow eval --corpus corpus/sites --diff 10      # where it goes wrong
  winnow eval --corpus corpus/sites --min-f1 0.88 --min-kept 0.97    # for CI: exit 1 when missed`
}

// Run measures and prints.
func (c *evalCmd) Run(ctx context.Context, p *console.Console) error {
	if c.Diff < 0 {
		return console.Usagef("--diff %d: want the number of pages to show", c.Diff)
	}
	if !c.History && (c.MinGain != nil || c.MinHostGain != nil) {
		return console.Usagef("--min-gain and --min-host-gain need --history")
	}
	if c.Ablate {
		return c.ablate(ctx, p)
	}
	runner, err := c.Runner(evaluate.Online)
	if err != nil {
		return err
	}
	runner.Worst = c.Diff
	if evaluate.IsSingles(c.Corpus) {
		return c.singles(ctx, p, runner)
	}
	return c.sites(ctx, p, runner)
}

// sites compares the detectors' output for the corpus's sites with the gold.
func (c *evalCmd) sites(ctx context.Context, p *console.Console, runner *evaluate.Runner) error {
	sites, err := c.loadSites()
	if err != nil {
		return err
	}
	total := 0
	for _, s := range sites {
		total += len(s.Pages)
	}
	if c.History {
		total *= 2
	}
	left := saved.NewLeftOuts(nil)
	runner.LeftOut = left.Add
	step, done := p.Progress("cleaning", total)
	runner.Progress = func(_, _ string) { step() }
	switch {
	case c.History:
		err = c.history(ctx, p, runner, sites, done)
	case c.TemplateRules != 0:
		err = c.templateRules(ctx, p, runner, sites, done)
	case slices.ContainsFunc(sites, (*evaluate.Site).HasText):
		err = c.scoreTexts(ctx, p, runner, sites, done)
	default:
		err = c.scoreSites(ctx, p, runner, sites, done)
	}
	return errors.Join(err, left.Report(p.Warnf, total))
}

// loadSites reads the description of the corpus, but not its pages.
func (c *evalCmd) loadSites() ([]*evaluate.Site, error) {
	sites, err := evaluate.LoadSites(c.Corpus, c.Sites...)
	if errors.Is(err, evaluate.ErrNoCorpus) {
		if st, statErr := os.Stat(c.Corpus); statErr != nil || !st.IsDir() {
			return nil, console.Usagef("--corpus: there is no folder %s", c.Corpus)
		}
		return nil, console.Usagef("--corpus: there is no <site>/site.json in %s, nor html/ and gold/, so the content of its pages is not known", c.Corpus)
	}
	if err != nil {
		return nil, err
	}
	return sites, c.Classify(sites, c.Corpus)
}

// scoreTexts scores sites whose gold is text. done ends the progress bar.
func (c *evalCmd) scoreTexts(ctx context.Context, p *console.Console, r *evaluate.Runner, sites []*evaluate.Site, done func()) error {
	results, err := r.TextSites(ctx, sites)
	done()
	if err != nil {
		return err
	}
	return c.Print(p, results, func() error { return report.TextSites(p, r.Protocol, results) },
		func() []console.Table { return report.TextSiteTables(results) })
}

// scoreSites scores sites whose gold is selectors, and compares the scores with the flags.
func (c *evalCmd) scoreSites(ctx context.Context, p *console.Console, r *evaluate.Runner, sites []*evaluate.Site, done func()) error {
	results, err := r.Sites(ctx, sites)
	done()
	if err != nil {
		return err
	}
	err = c.Print(p, results, func() error { return report.Sites(p, r.Protocol, results) },
		func() []console.Table { return report.SiteTables(results) })
	if err != nil {
		return err
	}
	last := results[0].Buckets[evaluate.LastBucket]
	return errors.Join(
		gate("--min-f1", "macro F1 over pages 21+", last.F1, c.MinF1),
		gate("--min-kept", "share of content kept over pages 21+", last.Kept, c.MinKept))
}

// history compares the figures in order of arrival with those of first pages, and the gains with the flags.
func (c *evalCmd) history(ctx context.Context, p *console.Console, r *evaluate.Runner, sites []*evaluate.Site, done func()) error {
	histories, err := r.Gains(ctx, sites)
	done()
	if err != nil {
		return err
	}
	err = c.Print(p, histories, func() error { return report.History(p, histories) },
		func() []console.Table { return report.HistoryTables(histories) })
	if err != nil {
		return err
	}
	return errors.Join(
		gainGate("--min-gain", histories[0].Corpus, c.MinGain),
		gainGate("--min-host-gain", histories[0].Hosts, c.MinHostGain))
}

// gainGate returns an error when the least of some gains is below the value of the flag.
func gainGate(flag string, gains []evaluate.Gain, want *float64) error {
	if want == nil {
		return nil
	}
	if len(gains) == 0 {
		return fmt.Errorf("%s: the corpus has nothing to measure it on", flag)
	}
	least := evaluate.Least(gains)
	of := "corpus"
	if least.Of != "" {
		of = "host " + least.Of
	}
	return gate(flag, "gain of "+least.Measure+" on the "+of, least.Gain, *want)
}

// singles compares the detectors' output for single pages with the gold.
func (c *evalCmd) singles(ctx context.Context, p *console.Console, runner *evaluate.Runner) error {
	if c.MinKept != 0 || len(c.Sites) > 0 || c.History {
		return console.Usagef("--history, --min-kept and --sites are for a corpus of sites; %s holds single pages", c.Corpus)
	}
	pages, err := evaluate.LoadSingles(c.Corpus)
	if err != nil {
		return err
	}
	step, done := p.Progress("evaluating", len(pages))
	runner.Progress = func(_, _ string) { step() }
	results, err := runner.Singles(ctx, pages)
	done()
	if err != nil {
		return err
	}
	err = c.Print(p, results, func() error { return report.Singles(p, results) },
		func() []console.Table { return report.SingleTables(results) })
	if err != nil {
		return err
	}
	all := results[0].Types[len(results[0].Types)-1]
	return gate("--min-f1", "word F1 over all pages", all.F1, c.MinF1)
}

// gate returns an error when a figure is below the value of the flag.
func gate(flag, what string, got, want float64) error {
	if got >= want {
		return nil
	}
	return fmt.Errorf("%s %g missed: %s is %.4f", flag, want, what, got)
}
