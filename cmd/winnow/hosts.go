package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/running"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// hostsCmd is winnow hosts. While a winnow runs on the data folder, all of it asks that.
type hostsCmd struct {
	List   hostsListCmd   `cmd:"" help:"List the hosts that something is set for."`
	Show   hostsShowCmd   `cmd:"" help:"Print what is set for a host, as JSON."`
	Set    hostsSetCmd    `cmd:"" help:"Set the mode of a host, leave it alone, or say which parts stay and go."`
	Undo   hostsUndoCmd   `cmd:"" help:"Take back the last change for a host."`
	Reset  hostsResetCmd  `cmd:"" help:"Remove what is set for hosts, with its history."`
	Export hostsExportCmd `cmd:"" help:"Print what is set for all hosts, as JSON."`
	Import hostsImportCmd `cmd:"" help:"Set what winnow hosts export printed."`
}

// siteBook is the settings of single sites, in a file or in a running winnow.
type siteBook interface {
	Settings(ctx context.Context) (map[string]sites.Settings, error)
	SettingsOf(ctx context.Context, host string) (sites.Record, error)
	ImportSettings(ctx context.Context, all map[string]sites.Settings) error
	UndoSettings(ctx context.Context, host string) error
	RemoveSettings(ctx context.Context, host string) error
}

// fileBook is the settings in a data folder whose store this process has locked.
type fileBook struct{ *sites.Book }

func (b fileBook) Settings(context.Context) (map[string]sites.Settings, error) {
	all := map[string]sites.Settings{}
	for host, record := range b.All() {
		if !record.IsZero() {
			all[host] = record.Settings
		}
	}
	return all, nil
}

func (b fileBook) SettingsOf(_ context.Context, host string) (sites.Record, error) {
	return b.Get(host), nil
}

func (b fileBook) ImportSettings(_ context.Context, all map[string]sites.Settings) error {
	return b.Import(all)
}

func (b fileBook) UndoSettings(_ context.Context, host string) error   { return b.Undo(host) }
func (b fileBook) RemoveSettings(_ context.Context, host string) error { return b.Remove(host) }

// withSites calls use with the settings of a data folder.
func withSites(ctx context.Context, log *logs.Log, f *flags.Store, use func(siteBook) error) error {
	return flags.With(ctx, log.Logger, f.OpenLibrary, func(m flags.Library) error {
		if client, ok := m.(*running.Client); ok {
			return use(client)
		}
		book, err := sites.OpenBook(filepath.Join(f.Data, sites.FileName), nil)
		if err != nil {
			return err
		}
		return use(fileBook{book})
	})
}

type hostsListCmd struct {
	flags.Store
}

// Help gives examples.
func (*hostsListCmd) Help() string {
	return `Examples:

  winnow hosts list`
}

// Run lists.
func (c *hostsListCmd) Run(ctx context.Context, p *console.Console, log *logs.Log) error {
	return withSites(ctx, log, &c.Store, func(b siteBook) error {
		all, err := b.Settings(ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "HOST\tSET")
		for _, host := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(w, "%s\t%s\n", host, all[host])
		}
		return w.Flush()
	})
}

type hostsShowCmd struct {
	flags.Store
	Host flags.SiteName `arg:"" help:"Host name, with its port unless that is the default."`
}

// Help gives examples.
func (*hostsShowCmd) Help() string {
	return `Examples:

  winnow hosts show example.org
  winnow hosts show example.org:8443`
}

// Run shows.
func (c *hostsShowCmd) Run(ctx context.Context, p *console.Console, log *logs.Log) error {
	return withSites(ctx, log, &c.Store, func(b siteBook) error {
		record, err := b.SettingsOf(ctx, string(c.Host))
		if err != nil {
			return err
		}
		return p.JSON(record)
	})
}

type hostsSetCmd struct {
	flags.Store
	Host       flags.SiteName `arg:"" help:"Host name, with its port unless that is the default."`
	Mode       *string        `placeholder:"MODE" help:"What clients get that don't ask for another form: one of ${modes}, or default for what the configuration says."`
	Bypass     *bool          `negatable:"" help:"Leave the host alone: HTTPS is not intercepted, pages are not cleaned."`
	Keep       *page.KindSet  `placeholder:"KINDS" help:"Kinds of parts that stay, with commas between; empty for none."`
	Drop       *page.KindSet  `placeholder:"KINDS" help:"Kinds of parts that go; empty for none."`
	KeepPart   []string       `sep:"none" placeholder:"SELECTOR" help:"CSS selector of parts that always stay; may be given more than once; empty for none."`
	RemovePart []string       `sep:"none" placeholder:"SELECTOR" help:"CSS selector of parts that always go."`
	IgnorePage []string       `sep:"none" placeholder:"SELECTOR" help:"CSS selector of elements whose pages stay as they are."`
}

// Help gives examples.
func (*hostsSetCmd) Help() string {
	return `What a flag names is replaced, all else stays as it was. It goes before the configuration, holds from the next page on, and can be taken back with winnow hosts undo. A host that the configuration bypasses stays bypassed.

Examples:

  winnow hosts set news.example --mode reader --keep related
  winnow hosts set bank.example --bypass
  winnow hosts set forum.example --remove-part .signature --remove-part '.poster ul'
  winnow hosts set news.example --mode default --keep ''`
}

// Run sets.
func (c *hostsSetCmd) Run(ctx context.Context, log *logs.Log) error {
	return withSites(ctx, log, &c.Store, func(b siteBook) error {
		record, err := b.SettingsOf(ctx, string(c.Host))
		if err != nil {
			return err
		}
		s := record.Settings
		if err := c.apply(&s); err != nil {
			return err
		}
		return refused(b.ImportSettings(ctx, map[string]sites.Settings{string(c.Host): s}))
	})
}

// apply changes what the flags name.
func (c *hostsSetCmd) apply(s *sites.Settings) error {
	if c.Mode != nil {
		s.Mode = nil
		if *c.Mode != "default" {
			s.Mode = new(page.Mode)
			if err := s.Mode.UnmarshalText([]byte(*c.Mode)); err != nil {
				return console.Usagef("--mode: %w, default", err)
			}
		}
	}
	if c.Bypass != nil {
		s.Bypass = *c.Bypass
	}
	for from, to := range map[*page.KindSet]*page.KindSet{c.Keep: &s.KeepKinds, c.Drop: &s.DropKinds} {
		if from != nil {
			*to = *from
		}
	}
	for _, list := range []struct {
		from []string
		to   *[]string
	}{{c.KeepPart, &s.Keep}, {c.RemovePart, &s.Remove}, {c.IgnorePage, &s.Ignore}} {
		if list.from != nil { // an empty selector is left out
			*list.to = list.from
		}
	}
	return nil
}

// refused makes an error about settings one of usage.
func refused(err error) error {
	if errors.Is(err, sites.ErrInvalid) {
		return console.Usagef("%w", err)
	}
	return err
}

type hostsUndoCmd struct {
	flags.Store
	Host flags.SiteName `arg:"" help:"Host name, with its port unless that is the default."`
}

// Help gives examples.
func (*hostsUndoCmd) Help() string {
	return `Examples:

  winnow hosts undo example.org`
}

// Run takes back.
func (c *hostsUndoCmd) Run(ctx context.Context, log *logs.Log) error {
	return withSites(ctx, log, &c.Store, func(b siteBook) error { return b.UndoSettings(ctx, string(c.Host)) })
}

type hostsResetCmd struct {
	flags.Store
	Host []flags.SiteName `arg:"" help:"Host names, with their ports unless those are the default."`
}

// Help gives examples.
func (*hostsResetCmd) Help() string {
	return `Examples:

  winnow hosts reset example.org www.example.org`
}

// Run removes.
func (c *hostsResetCmd) Run(ctx context.Context, log *logs.Log) error {
	return withSites(ctx, log, &c.Store, func(b siteBook) error {
		var errs []error
		for _, host := range c.Host {
			errs = append(errs, b.RemoveSettings(ctx, string(host)))
		}
		return errors.Join(errs...)
	})
}

// exportedHosts is what winnow hosts export prints, and the API too.
type exportedHosts struct {
	Sites map[string]sites.Settings `json:"sites"`
}

type hostsExportCmd struct {
	flags.Store
}

// Help gives examples.
func (*hostsExportCmd) Help() string {
	return `Examples:

  winnow hosts export > settings.json`
}

// Run exports.
func (c *hostsExportCmd) Run(ctx context.Context, p *console.Console, log *logs.Log) error {
	return withSites(ctx, log, &c.Store, func(b siteBook) error {
		all, err := b.Settings(ctx)
		if err != nil {
			return err
		}
		return p.JSON(exportedHosts{all})
	})
}

type hostsImportCmd struct {
	flags.Store
	File string `arg:"" help:"File that winnow hosts export wrote."`
}

// Help says what becomes of what is set already.
func (*hostsImportCmd) Help() string {
	return `What is set for the hosts in the file is replaced, which winnow hosts undo takes back; other hosts stay as they are. Where one host's settings won't do, nothing is set.

Examples:

  winnow hosts export > hosts.json
  winnow hosts import --data /var/lib/winnow hosts.json`
}

// Run imports.
func (c *hostsImportCmd) Run(ctx context.Context, log *logs.Log) error {
	b, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	var all exportedHosts
	if err := json.Unmarshal(b, &all); err != nil {
		return fmt.Errorf("%s: not what winnow hosts export writes: %w", c.File, err)
	}
	return withSites(ctx, log, &c.Store, func(book siteBook) error { return refused(book.ImportSettings(ctx, all.Sites)) })
}
