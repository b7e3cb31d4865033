package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/crawl"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/service"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/overrides"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// learnCmd is winnow learn.
type learnCmd struct {
	flags.Store
	ModelMemory int64    `default:"256" placeholder:"MIB" help:"Memory for host models in MiB; the others wait in the data folder (default: ${default})."`
	Path        []string `arg:"" placeholder:"FILE" help:"Web archives (.warc, .warc.gz)."`
}

// Help gives examples.
func (*learnCmd) Help() string {
	return `Learns the pages of web archives into the models of a data folder. Killed, it goes on where it stopped when it is started again; archives that were learned before are passed over. What can't be read is named and left out; the exit code is then 1.

To learn the parts of a large crawl side by side, give each part a data folder of its own with a copy of the same file "key", and put the models together with winnow models gather.

Examples:

  winnow learn --data models crawl/*.warc.gz
  winnow clean --models models --mode text --out text crawl/*.warc.gz`
}

// Run learns the archives.
func (c *learnCmd) Run(ctx context.Context, p *console.Console, log *logs.Log) error {
	for _, f := range c.Path {
		if !crawl.IsArchive(f) {
			return console.Usagef("%s is no web archive: its name should end in .warc or .warc.gz", f)
		}
	}
	open := func(ctx context.Context) (*cache.Models, error) {
		return c.Open(ctx, log.Logger, cache.Options{MaxBytes: c.ModelMemory << 20}, 0)
	}
	a := &archives{console: p, log: log, files: c.Path}
	err := a.learn(ctx, c.Data, open)
	return a.report(err)
}

// archives is the work on web archives.
type archives struct {
	console *console.Console
	log     *logs.Log
	files   []string
	mode    page.Mode
	form    page.Form
	policy  page.Policy
	rules   *overrides.Set

	total crawl.Counts
	// failed is how many archives could not be read to their end.
	failed int
}

// reader makes the pipeline of a pass. It waits where the proxy would let a page pass.
func (a *archives) reader(models pipeline.Models, learn pipeline.LearnPolicy, progress func(int64)) (*crawl.Reader, error) {
	bounds := limits.Limits{Clean: time.Minute, Wait: time.Hour, Read: time.Hour}
	mode := a.mode
	if mode == page.ModeOff {
		mode = page.ModeRemove // nothing is written: see [crawl.Patient]
	}
	pl, err := pipeline.New(pipeline.Options{Models: service.Ruled{Models: models, Rules: a.rules}, Mode: mode, Learn: learn, Limits: bounds,
		PolicyOf: a.rules.Policies(a.policy), Logger: a.log.Logger})
	if err != nil {
		return nil, err
	}
	return &crawl.Reader{Pipeline: pl, Links: a.form.Links, Most: 2 * int64(bounds.WithDefaults("").Body), Progress: progress,
		Damage: func(file string, err error) { a.console.Warnf("%s: %v: left out", file, err) }}, nil
}

// learn learns the archives into a data folder.
func (a *archives) learn(ctx context.Context, folder string, open func(context.Context) (*cache.Models, error)) (err error) {
	models, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, models.Close(context.WithoutCancel(ctx))) }()
	progress, done := a.progress("learning")
	defer done()
	r, err := a.reader(crawl.Patient{Models: models, Pupil: true}, pipeline.LearnAll, progress)
	if err != nil {
		return err
	}
	for _, f := range a.files {
		counts, err := r.Learn(ctx, models, folder, f)
		if err := a.add(ctx, f, counts, err); err != nil {
			return err
		}
	}
	return nil
}

// clean cleans each archive into a file of out.
func (a *archives) clean(ctx context.Context, out string, form crawl.Form, open func(context.Context) (*cache.Models, error)) (err error) {
	models, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, models.Close(context.WithoutCancel(ctx))) }()
	progress, done := a.progress("cleaning")
	defer done()
	r, err := a.reader(crawl.Patient{Models: models}, pipeline.LearnOff, progress)
	if err != nil {
		return err
	}
	for _, f := range a.files {
		target := filepath.Join(out, archiveName(f)+form.Extension())
		counts, written, err := r.Clean(ctx, f, target, form)
		if err == nil && !written {
			a.console.Warnf("%s is there already", target)
			progress(crawl.Size([]string{f}))
		}
		if err := a.add(ctx, f, counts, err); err != nil {
			return err
		}
	}
	return nil
}

// archiveName is the name of an archive without its folder and its extensions.
func archiveName(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".gz"), ".warc")
}

// add adds what became of an archive. One that can't be read does not stop the work on the others.
func (a *archives) add(ctx context.Context, file string, c crawl.Counts, err error) error {
	a.total.Add(c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		a.failed++
		a.console.Warnf("%s: %v", file, err)
	}
	return nil
}

// progress shows how much of the archives has been read, in MiB.
func (a *archives) progress(what string) (add func(int64), done func()) {
	step, done := a.console.Progress(what, int(crawl.Size(a.files)>>20))
	var left int64
	return func(n int64) {
		for left += n; left >= 1<<20; left -= 1 << 20 {
			step()
		}
	}, done
}

// report says what became of the records.
func (a *archives) report(err error) error {
	a.console.Warnf("%d records read, %d pages", a.total.Records, a.total.Pages)
	for _, reason := range slices.Sorted(maps.Keys(a.total.Passed)) {
		a.console.Warnf("%d pages left out: %s", a.total.Passed[reason], reason)
	}
	switch {
	case err != nil:
		return err
	case a.failed > 0 || a.total.Damaged > 0:
		return fmt.Errorf("%d archives could not be read to their end, and %d parts of archives are damaged", a.failed, a.total.Damaged)
	}
	return nil
}

// cleanArchives is winnow clean where the inputs are archives.
func (c *cleanCmd) cleanArchives(ctx context.Context, p *console.Console, log *logs.Log, rules *overrides.Set) error {
	switch {
	case c.Mode == modeBook:
		return console.Usagef("--mode epub is for saved pages: an archive is too large for one book")
	case c.Out == "":
		return console.Usagef("archives need a folder to be written to: give --out DIR")
	case c.Host != "":
		return console.Usagef("--host: an archive says itself of which host each page is")
	}
	names := map[string]string{}
	for _, f := range c.Path {
		name := archiveName(f)
		if other, ok := names[name]; ok {
			return console.Usagef("%s and %s would be written to the same file: clean them into folders of their own", other, f)
		}
		names[name] = f
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	a := &archives{console: p, log: log, files: c.Path, mode: c.Mode.form(), policy: page.Policy{}.With(c.Keep, c.Drop), rules: rules}
	a.form.Links = c.Links
	store := flags.Store{Data: c.Models, Detector: c.Detector}
	if c.Models == "" {
		store.Data = filepath.Join(c.Out, ".winnow-models")
	} else if _, err := os.Stat(c.Models); err != nil {
		return console.Usagef("--models: %v: winnow learn makes such a folder", err)
	}
	open := func(ctx context.Context) (*cache.Models, error) { return store.OpenOrCreate(ctx, log.Logger) }
	if c.Models == "" && !c.Cold {
		if err := a.learn(ctx, store.Data, open); err != nil {
			return err
		}
		a.total = crawl.Counts{}
	}
	return a.report(a.clean(ctx, c.Out, crawl.Form(c.As), open))
}
