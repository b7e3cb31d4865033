package main

import (
	"context"
	"slices"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/crawl"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
)

// learnCmd is winnow learn.
type learnCmd struct {
	flags.Store
	Out    string   `short:"o" placeholder:"DIR" help:"Data folder to learn into, instead of --data; it is made where it is missing."`
	Key    string   `placeholder:"FILE" help:"Key for a new data folder: the file \"key\" of another, so that the models of both can be put together."`
	Memory int64    `default:"256" placeholder:"MIB" help:"Memory for host models in MiB; the others wait in the data folder (default: ${default})."`
	WARC   []string `name:"warc" sep:"none" placeholder:"PATH" help:"A web archive, as the arguments are; may be given more than once."`
	Path   []string `arg:"" optional:"" placeholder:"PATH" help:"Web archives (.warc, .warc.gz), folders with web archives, or - for one on standard input."`
}

// Help gives examples.
func (*learnCmd) Help() string {
	return `Learns the pages of web archives into the models of a data folder. Killed, it goes on where it stopped when it is started again; archives that were learned before are passed over. Standard input is always read from its beginning: pages that the models have learned before count once, as far as the models can recognise them. What can't be read is named and left out; the exit code is then 1.

To learn the parts of a large crawl side by side, give each part a data folder of its own and all the same --key, and put the models together with winnow models gather.

Examples:

  winnow learn --data models crawl/*.warc.gz
  ls crawl/*.warc.gz | xargs -P 8 -I{} sh -c 'winnow learn --key key --warc {} --out parts/$(basename {})'
  winnow clean --models models --mode text --out text crawl/*.warc.gz`
}

// Run learns the archives.
func (c *learnCmd) Run(ctx context.Context, p *console.Console, log *logs.Log) error {
	inputs, err := c.inputs()
	if err != nil {
		return err
	}
	if c.Out != "" {
		c.Data = c.Out
	}
	if c.Key != "" {
		if err := cache.CopyKey(c.Key, c.Data); err != nil {
			return console.Usagef("--key: %w", err)
		}
	}
	a := &archives{console: p, log: log, inputs: inputs, store: c.Store, memory: c.Memory}
	return a.report(a.learn(ctx))
}

// inputs are the archives that the command line names.
func (c *learnCmd) inputs() (all []crawl.Input, err error) {
	for _, path := range slices.Concat(c.WARC, c.Path) {
		found, err := crawl.Find(path)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, console.Usagef("%s has no web archives: their names should end in .warc or .warc.gz", path)
		}
		if f := found[0].File; f != crawl.Stdin && !crawl.IsArchive(f) {
			return nil, console.Usagef("%s is no web archive: its name should end in .warc or .warc.gz", f)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, console.Usagef("nothing to learn: name web archives, or - for standard input")
	}
	return all, nil
}
