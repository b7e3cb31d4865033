package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/boltstore"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/model"
)

// modelsCmd is winnow models. While a winnow runs on the data folder, list, export and forget ask that winnow, and
// import and merge fail.
type modelsCmd struct {
	List   modelsListCmd   `cmd:"" help:"List the hosts that have a model."`
	Export modelsExportCmd `cmd:"" help:"Write the model of a host to a file."`
	Import modelsImportCmd `cmd:"" help:"Replace the model of a host by an exported model."`
	Merge  modelsMergeCmd  `cmd:"" help:"Add exported models to the model of a host."`
	Gather modelsGatherCmd `cmd:"" help:"Add the models of other data folders, such as winnow learn fills side by side."`
	Forget modelsForgetCmd `cmd:"" help:"Forget everything that was learned about hosts."`
}

type modelsListCmd struct {
	flags.Store
	JSON bool `name:"json" help:"Print as JSON."`
}

// Help gives examples.
func (*modelsListCmd) Help() string {
	return `Examples:

  winnow models list
  winnow models list --json | jq '.[] | select(.pages > 20) | .host'`
}

// Run lists the hosts.
func (c *modelsListCmd) Run(ctx context.Context, p *console.Console, log *logs.Log) error {
	return flags.With(ctx, log.Logger, c.OpenLibrary, func(m flags.Library) error {
		hosts, err := m.Hosts(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return p.JSON(append([]cache.HostInfo{}, hosts...))
		}
		return printHosts(p, hosts)
	})
}

func printHosts(p *console.Console, hosts []cache.HostInfo) error {
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "HOST\tPAGES\tSTORED\tLAST SEEN")
	for _, h := range hosts {
		fmt.Fprintf(w, "%s\t%d\t%.1f KiB\t%s\n", h.Host, h.Pages, float64(h.Stored)/1024, h.LastSeen.Format(time.DateTime))
	}
	return w.Flush()
}

type modelsExportCmd struct {
	flags.Store
	Host flags.SiteName `arg:"" help:"Host name, with the port unless it is the default."`
	Out  string         `short:"o" placeholder:"FILE" help:"Write to this file instead of standard output."`
}

// Help gives examples.
func (*modelsExportCmd) Help() string {
	return `A model has keyed hashes and counts, no text and no URL. Only installations with the same key (the file "key" in the data folder) can read it.

Examples:

  winnow models export example.org --out example.org.model
  winnow models export example.org > example.org.model`
}

// Run exports the model.
func (c *modelsExportCmd) Run(ctx context.Context, p *console.Console, log *logs.Log) error {
	if c.Out == "" && console.IsTerminal(p.Stdout) {
		return console.Usagef("a model is binary: give --out FILE or redirect the output")
	}
	return flags.With(ctx, log.Logger, c.OpenLibrary, func(m flags.Library) error {
		b, err := m.Export(ctx, string(c.Host))
		if err != nil {
			return err
		}
		if c.Out == "" {
			_, err = p.Stdout.Write(b)
			return err
		}
		return os.WriteFile(c.Out, b, 0o600)
	})
}

type modelsImportCmd struct {
	flags.Store
	Host flags.SiteName `arg:"" help:"Host whose model is replaced."`
	File string         `arg:"" help:"Model that winnow models export wrote."`
}

// Help gives examples.
func (*modelsImportCmd) Help() string {
	return `The imported model replaces the host's model. To add to the host's model, use winnow models merge.

Examples:

  winnow models import example.org example.org.model
  winnow models import staging.example.org example.org.model    # a copy of a site starts with its model`
}

// Run imports the model.
func (c *modelsImportCmd) Run(ctx context.Context, log *logs.Log) error {
	return flags.With(ctx, log.Logger, c.OpenOrCreate, func(m *cache.Models) error {
		return importFile(ctx, m, c.Host, c.File, false)
	})
}

type modelsMergeCmd struct {
	flags.Store
	Host flags.SiteName `arg:"" help:"Host that the models are added to."`
	File []string       `arg:"" help:"Models that winnow models export wrote."`
}

// Help gives examples.
func (*modelsMergeCmd) Help() string {
	return `Adds up models of one host from several installations with the same key. Pages that more than one of them has learned count once, as far as the models can recognise them. Files that are no models, and models of another key, detector or version, are named and left out; the exit code is then 1.

Examples:

  winnow models merge example.org replica1.model replica2.model`
}

// Run merges the models.
func (c *modelsMergeCmd) Run(ctx context.Context, log *logs.Log) error {
	return flags.With(ctx, log.Logger, c.OpenOrCreate, func(m *cache.Models) error {
		var errs []error
		for _, f := range c.File {
			if err := importFile(ctx, m, c.Host, f, true); err != nil {
				errs = append(errs, err)
			}
		}
		if len(errs) > 0 {
			errs = append(errs, fmt.Errorf("%d of %d models left out", len(errs), len(c.File)))
		}
		return errors.Join(errs...)
	})
}

type modelsForgetCmd struct {
	flags.Store
	Host []flags.SiteName `arg:"" help:"Hosts to forget."`
}

// Help gives examples.
func (*modelsForgetCmd) Help() string {
	return `The forgotten models are overwritten in the store. Exports, backups and stores that were set aside as damaged are separate files. Remove these yourself.

Examples:

  winnow models forget example.org www.example.org`
}

// Run forgets the hosts. It names those without a model, and still forgets the others.
func (c *modelsForgetCmd) Run(ctx context.Context, p *console.Console, log *logs.Log) error {
	return flags.With(ctx, log.Logger, c.OpenLibrary, func(m flags.Library) error {
		var errs []error
		for _, name := range c.Host {
			errs = append(errs, forget(ctx, m, string(name)))
		}
		for _, file := range boltstore.KeptFiles(c.Data) {
			p.Warnf("%s was set aside and may have models of any host: remove it when you no longer need it", file)
		}
		return errors.Join(errs...)
	})
}

// forget forgets one host without reading the others. It returns cache.ErrNotFound (wrapped) for a host without a
// model.
func forget(ctx context.Context, m flags.Library, host string) error {
	_, err := m.Host(ctx, host)
	switch {
	case errors.Is(err, cache.ErrNotFound):
		return fmt.Errorf("%s: %w", host, cache.ErrNotFound)
	case err != nil:
		return err
	}
	return m.Forget(ctx, host)
}

func importFile(ctx context.Context, m *cache.Models, host flags.SiteName, file string, merge bool) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	err = m.Import(ctx, string(host), b, merge)
	switch {
	case errors.Is(err, model.ErrMismatch):
		return fmt.Errorf("%s: %w: check that both installations have the same file \"key\" and the same --detector", file, err)
	case err != nil:
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
