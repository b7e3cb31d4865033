package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/model"
)

type modelsGatherCmd struct {
	flags.Store
	From []string `arg:"" placeholder:"DIR" help:"Data folders with the same key."`
}

// Help gives examples.
func (*modelsGatherCmd) Help() string {
	return `Adds up the models of all hosts. Pages that more than one folder has learned count once, as far as the models can recognise them. Folders with another key, detector or version are named and left out; the exit code is then 1.

Examples:

  winnow learn --key key --out part1 crawl/0*.warc.gz & winnow learn --key key --out part2 crawl/1*.warc.gz & wait
  winnow models gather --data models part1 part2`
}

// Run adds the models. A folder that can't be used does not stop the work on the others.
func (c *modelsGatherCmd) Run(ctx context.Context, p *console.Console, log *logs.Log) error {
	return flags.With(ctx, log.Logger, c.OpenOrCreate, func(to *cache.Models) error {
		done := map[string]bool{}
		var errs []error
		for _, dir := range c.From {
			// Pages would not count twice, but what a model can't recognise any more would.
			full, err := filepath.Abs(dir)
			if err == nil && done[full] {
				errs = append(errs, fmt.Errorf("%s: named twice", dir))
				continue
			}
			done[full] = true
			n, err := c.gather(ctx, log, to, dir)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", dir, err))
			}
			p.Warnf("%s: the models of %d hosts added", dir, n)
		}
		if len(errs) > 0 {
			errs = append(errs, fmt.Errorf("%d of %d folders left out or added in part", len(errs), len(c.From)))
		}
		return errors.Join(errs...)
	})
}

// gather adds the models of one folder, and returns how many there are.
func (c *modelsGatherCmd) gather(ctx context.Context, log *logs.Log, to *cache.Models, dir string) (n int, err error) {
	if !cache.HasKey(dir) { // a new one would fit no model
		return 0, errors.New("it has no file \"key\", so it is no data folder, or a part of one")
	}
	store := flags.Store{Data: dir, Detector: c.Detector}
	from, aside, err := openCounted(ctx, dir, func(ctx context.Context) (*cache.Models, error) { return store.OpenExisting(ctx, log.Logger) })
	if err != nil {
		return 0, err
	}
	for _, file := range aside {
		err = errors.Join(err, fmt.Errorf("%s was made with another key or by another version, or is damaged", filepath.Base(file)))
	}
	n, failed := addAll(ctx, to, from)
	return n, errors.Join(err, failed, from.Close(context.WithoutCancel(ctx)))
}

// addAll adds the models of all hosts. One that can't be read does not stop the work on the others.
func addAll(ctx context.Context, to, from *cache.Models) (n int, err error) {
	hosts, err := from.Hosts(ctx)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, h := range hosts {
		b, err := from.Export(ctx, h.Host)
		if err == nil {
			err = to.Import(ctx, h.Host, b, true)
		}
		switch {
		case errors.Is(err, model.ErrMismatch):
			return n, fmt.Errorf("%w: check that both folders have the same file \"key\" and the same --detector", err)
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", h.Host, err))
		default:
			n++
		}
	}
	return n, errors.Join(errs...)
}
