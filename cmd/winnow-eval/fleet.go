package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow-eval/fleet"
	"github.com/winnow-proxy/winnow/cmd/winnow-eval/synthetic"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

// fleetCmd is winnow-eval fleet.
type fleetCmd struct {
	Measure measureCmd `cmd:"" help:"Measure one model."`
	Replay  replayCmd  `cmd:"" help:"Spread the pages of a corpus over replicas with real models, and score them."`
}

// Help gives examples.
func (*fleetCmd) Help() string {
	return `docs/scaling.md says what follows from the results.

Examples:

  winnow-eval fleet measure --corpus synthetic
  winnow-eval fleet replay --corpus synthetic --replicas 3 --every 1,10,0`
}

// formFlags are the forms of output that the commands of fleet have.
type formFlags struct {
	Format string `enum:"text,markdown,json" default:"text" placeholder:"FORM" help:"Print tables as text or markdown, or the figures as json (default: ${default})."`
	JSON   bool   `name:"json" help:"The same as --format json."`
}

// print writes the results in the selected form.
func (f *formFlags) print(p *console.Console, results any, title string, tables []console.Table) error {
	switch {
	case f.JSON || f.Format == "json":
		return p.JSON(results)
	case f.Format == "markdown":
		return console.WriteMarkdown(p.Stdout, tables)
	default:
		return printTables(p, title, tables)
	}
}

// corpusFlags select the sites and the detector of the commands with real models.
type corpusFlags struct {
	Corpus   string   `required:"" placeholder:"DIR" help:"Folder of the corpus: <site>/site.json with pages, below sites/ if there is more. The word synthetic makes one up."`
	Sites    []string `placeholder:"ID" help:"Only these sites of the corpus."`
	Seed     uint64   `placeholder:"N" help:"Seed of the synthetic corpus, and of what is random (default: 0)."`
	Detector string   `default:"${detector}" placeholder:"NAME" help:"Detector whose models to use (default: ${default})."`
	Weights  string   `placeholder:"FILE" help:"Fitted weights to use instead of the built-in ones."`
}

// open returns the detector and the sites, and the number of their pages. The made-up sites are removed by close.
func (c *corpusFlags) open() (d model.Detector, sites []*evaluate.Site, pages int, closeCorpus func() error, err error) {
	closeCorpus = func() error { return nil }
	if d, err = detectors.ByName(c.Detector, detectors.Options{Weights: c.Weights}); err != nil {
		return nil, nil, 0, closeCorpus, console.Usagef("--detector: %w", err)
	}
	dir := c.Corpus
	if dir == syntheticCorpus {
		if dir, err = os.MkdirTemp("", "winnow-synthetic-"); err != nil {
			return nil, nil, 0, closeCorpus, fmt.Errorf("folder for the synthetic corpus: %w", err)
		}
		closeCorpus = func() error { return os.RemoveAll(dir) }
		if err = synthetic.Write(dir, synthetic.Options{Seed: c.Seed}); err != nil {
			return nil, nil, 0, closeCorpus, errors.Join(err, closeCorpus())
		}
	}
	sites, err = evaluate.LoadSites(dir, c.Sites...)
	if err != nil {
		return nil, nil, 0, closeCorpus, errors.Join(console.Usagef("--corpus: %w", err), closeCorpus())
	}
	for _, s := range sites {
		if !s.HasGold() {
			return nil, nil, 0, closeCorpus, errors.Join(console.Usagef("--corpus: site %s has no selectors of its content", s.ID), closeCorpus())
		}
		pages += len(s.Pages)
	}
	return d, sites, pages, closeCorpus, nil
}

// measureCmd is winnow-eval fleet measure.
type measureCmd struct {
	formFlags
	corpusFlags
}

// Help explains the figures and gives examples.
func (*measureCmd) Help() string {
	return `Prints what one model costs: processor time (of one core, with the collection of garbage), bytes in memory, in a store and on the way, and the score by the number of pages learned. Pages are parsed, marked, written and learned; codings and connections are not included.

Examples:

  winnow-eval fleet measure --corpus synthetic
  winnow-eval fleet measure --corpus corpus/sites --weights model/blend/fit/fold-0.bin.gz --json > figures.json`
}

// Run measures and prints the figures.
func (c *measureCmd) Run(ctx context.Context, p *console.Console) (err error) {
	d, sites, pages, closeCorpus, err := c.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeCorpus()) }()
	step, done := p.Progress("measuring", pages)
	f, err := fleet.Measure(ctx, d, sites, step)
	done()
	if err != nil {
		return err
	}
	return c.print(p, f, "Processor time of one core, bytes and scores of one model", figureTables(f))
}

// figureTables show the figures of one model.
func figureTables(f *fleet.Figures) []console.Table {
	one := console.Table{Head: []string{"one page (" + f.Source + ")", ""}}
	one.Add("clean and learn", millis(f.Page))
	one.Add("add what another replica has learned", millis(f.Add))
	one.Add("sent for it", kilobytes(f.Increment))
	models := console.Table{Head: []string{"one model, by pages learned", "memory", "encoded", "encode", "decode", "F1 of later pages"}}
	for _, s := range f.Sizes {
		models.Add(fmt.Sprint(s.Pages), kilobytes(s.Memory), kilobytes(s.Encoded), millis(s.Encode), millis(s.Decode), fmt.Sprintf("%.3f", s.F1))
	}
	return []console.Table{one, models}
}

func millis(micros float64) string { return fmt.Sprintf("%.2f ms", micros/1000) }

// replayCmd is winnow-eval fleet replay.
type replayCmd struct {
	formFlags
	corpusFlags
	Replicas []int `default:"3" placeholder:"N" help:"Numbers of replicas (default: ${default})."`
	Every    []int `default:"1,5,0" placeholder:"N" help:"Numbers of pages of a site, in the fleet, after which replicas exchange what they have learned; 0 for never (default: ${default})."`
}

// Help explains the results and gives examples.
func (*replayCmd) Help() string {
	return `Each page of a site goes to a replica at random, which cleans it with what it knows, and learns it. The first line is one process that sees all pages. Scores are means over sites of the F1 of pages 1, 2 to 5, and from page 6 of the fleet on. sent is what one receiver gets for a page of another replica.

Examples:

  winnow-eval fleet replay --corpus synthetic
  winnow-eval fleet replay --corpus corpus/sites --replicas 3,10 --every 1,10,0`
}

// replayReport has the results of replay.
type replayReport struct {
	Replays []*fleet.Replay `json:"replays"`
}

// Run replays the corpus and prints the scores.
func (c *replayCmd) Run(ctx context.Context, p *console.Console) (err error) {
	for _, n := range c.Replicas {
		if n < 1 {
			return console.Usagef("--replicas %d: want 1 or more", n)
		}
	}
	d, sites, pages, closeCorpus, err := c.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeCorpus()) }()
	setups := []*fleet.Replicas{{Detector: d, Replicas: 1}}
	for _, n := range c.Replicas {
		for _, every := range c.Every {
			setups = append(setups, &fleet.Replicas{Detector: d, Replicas: n, Every: every, Seed: c.Seed})
		}
	}
	step, done := p.Progress("replaying", pages)
	replays, err := fleet.ReplaySites(ctx, setups, sites, step)
	done()
	if err != nil {
		return err
	}
	t := console.Table{Head: []string{"replicas", "exchange", "F1: page 1", "2-5", "6 on", "against one process", "sent"}}
	for _, r := range replays {
		exchange := fmt.Sprintf("every %d", r.Every)
		if r.Every == 0 {
			exchange = "never"
		}
		t.Add(fmt.Sprint(r.Replicas), exchange, fmt.Sprintf("%.4f", r.First), fmt.Sprintf("%.4f", r.Early), fmt.Sprintf("%.4f", r.Learned),
			fmt.Sprintf("%+.4f", r.Learned-replays[0].Learned), kilobytes(r.Sent))
	}
	return c.print(p, &replayReport{replays}, fmt.Sprintf("detector %s, %d pages of %d sites", d.Name(), pages, len(sites)), []console.Table{t})
}
