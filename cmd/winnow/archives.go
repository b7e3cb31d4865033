package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/boltstore"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/crawl"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/service"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// archives is the work of winnow learn and winnow clean on web archives.
type archives struct {
	console *console.Console
	log     *logs.Log
	inputs  []crawl.Input
	store   flags.Store
	// memory bounds the host models in memory, in MiB; 0 stands for the default.
	memory int64
	mode   page.Mode
	links  write.LinkStyle
	policy policy.Policy
	rules  *sites.Rules

	total crawl.Counts
	// failed is how many archives could not be read to their end, foreign how many models or stores could not be used.
	failed, foreign int
}

// with opens the models of the data folder. It counts those that can't be used.
func (a *archives) with(ctx context.Context, use func(*cache.Models) error) error {
	open := func(ctx context.Context) (*cache.Models, error) {
		return a.store.Open(ctx, a.log.Logger, cache.Options{MaxBytes: a.memory << 20, Learners: runtime.GOMAXPROCS(0)}, 0, flags.Fleet{})
	}
	models, aside, err := openCounted(ctx, a.store.Data, open)
	if err != nil {
		return err
	}
	for _, file := range aside {
		a.console.Warnf("the models in %s were made with another key or by another version, or are damaged: not used", file)
	}
	err = use(models)
	err = errors.Join(err, models.Close(context.WithoutCancel(ctx)))
	count := models.Counters()
	a.foreign += len(aside) + int(count.SetAside)
	if count.Lost > 0 {
		err = errors.Join(err, fmt.Errorf("%d models were lost, since %s could not be written", count.Lost, a.store.Data))
	}
	return err
}

// openCounted opens the models of a data folder, and returns the stores that this set aside because they can't be used.
func openCounted(ctx context.Context, dir string, open func(context.Context) (*cache.Models, error)) (*cache.Models, []string, error) {
	before := boltstore.KeptFiles(dir)
	models, err := open(ctx)
	aside := slices.DeleteFunc(boltstore.KeptFiles(dir), func(f string) bool { return slices.Contains(before, f) })
	return models, aside, err
}

// reader makes the pipeline of a pass. It waits where the proxy would let a page pass.
func (a *archives) reader(models pipeline.Models, mode page.Mode, learn pipeline.LearnPolicy, progress func(int64)) (*crawl.Reader, error) {
	bounds := limits.Limits{Clean: time.Minute, Wait: time.Hour, Read: time.Hour}
	pl, err := pipeline.New(pipeline.Options{Models: service.Ruled{Models: models, Rules: a.rules}, Mode: mode, Learn: learn, Limits: bounds,
		PolicyOf: a.rules.Policies(a.policy), Logger: a.log.Logger})
	if err != nil {
		return nil, err
	}
	return &crawl.Reader{Pipeline: pl, Stdin: a.console.Stdin, Links: a.links, Most: 2 * int64(bounds.WithDefaults("").Body), Progress: progress,
		Damage: func(file string, err error) { a.console.Warnf("%s: %v: left out", shown(file), err) }}, nil
}

// shown is the name of an archive in messages.
func shown(file string) string {
	if file == crawl.Stdin {
		return "standard input"
	}
	return file
}

// learn learns the archives into the data folder.
func (a *archives) learn(ctx context.Context) error {
	return a.with(ctx, func(models *cache.Models) error {
		progress, done := a.progress("learning")
		defer done()
		// Nothing is written, and this mode costs least.
		r, err := a.reader(crawl.Patient{Models: models, Pupil: true}, page.ModeRemove, pipeline.LearnAll, progress)
		if err != nil {
			return err
		}
		for _, in := range a.inputs {
			counts, err := r.Learn(ctx, models, a.store.Data, in.File)
			if err := a.add(ctx, in, counts, err); err != nil {
				return err
			}
		}
		return nil
	})
}

// clean cleans each archive into a file below out; standard input goes to standard output where out is empty. With
// online, each page is learned after it was cleaned.
func (a *archives) clean(ctx context.Context, out string, form crawl.Form, online bool) error {
	return a.with(ctx, func(models *cache.Models) error {
		progress, done := a.progress("cleaning")
		defer done()
		learn := pipeline.LearnOff
		if online {
			learn = pipeline.LearnAll
		}
		r, err := a.reader(crawl.Patient{Models: models}, a.mode, learn, progress)
		if err != nil {
			return err
		}
		if online {
			r.Learning = models
		}
		for _, in := range a.inputs {
			counts, err := a.cleanOne(ctx, r, in, out, form)
			if err := a.add(ctx, in, counts, err); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *archives) cleanOne(ctx context.Context, r *crawl.Reader, in crawl.Input, out string, form crawl.Form) (crawl.Counts, error) {
	if out == "" {
		return r.CleanTo(ctx, in.File, a.console.Stdout, form)
	}
	target := filepath.Join(out, in.Name+form.Extension())
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return crawl.Counts{}, err
	}
	counts, written, err := r.Clean(ctx, in.File, target, form)
	if err != nil || written {
		return counts, err
	}
	if in.File == crawl.Stdin {
		return counts, fmt.Errorf("%s: %w: move it away to clean another archive", target, fs.ErrExist)
	}
	a.console.Warnf("%s is there already", target)
	r.Progress(crawl.Size([]crawl.Input{in}))
	return counts, nil
}

// add adds what became of an archive. One that can't be read does not stop the work on the others.
func (a *archives) add(ctx context.Context, in crawl.Input, c crawl.Counts, err error) error {
	a.total.Add(c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		a.failed++
		a.console.Warnf("%s: %v", shown(in.File), err)
	}
	return nil
}

// progress shows how much of the archives has been read, in MiB.
func (a *archives) progress(what string) (add func(int64), done func()) {
	step, done := a.console.Progress(what, int(crawl.Size(a.inputs)>>20))
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
	if err != nil {
		return err
	}
	var errs []error
	if a.failed > 0 || a.total.Damaged > 0 {
		errs = append(errs, fmt.Errorf("%d archives could not be read to their end, and %d parts of archives are damaged", a.failed, a.total.Damaged))
	}
	if a.foreign > 0 {
		errs = append(errs, fmt.Errorf("%d models or stores in %s could not be used", a.foreign, a.store.Data))
	}
	return errors.Join(errs...)
}
