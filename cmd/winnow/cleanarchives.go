package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/crawl"
	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// archivesAmong returns the web archives that paths name, and how many of the paths name them. Standard input counts
// where it begins as an archive, a folder where it has archives and no pages.
func archivesAmong(p *console.Console, paths []string) (all []crawl.Input, n int, err error) {
	for _, path := range paths {
		found, err := crawl.Find(path)
		if err != nil {
			return nil, 0, err
		}
		switch {
		case path == crawl.Stdin:
			in := bufio.NewReader(p.Stdin)
			p.Stdin = in
			if !crawl.Sniff(in) {
				continue
			}
		case len(found) == 0 || !crawl.IsArchive(found[0].File):
			continue
		case found[0].File != path && saved.Find([]string{path}, saved.Options{}).Pages() > 0:
			continue
		}
		n++
		all = append(all, found...)
	}
	return all, n, nil
}

// cleanArchives is winnow clean where the inputs are archives.
func (c *cleanCmd) cleanArchives(ctx context.Context, p *console.Console, log *logs.Log, rules *sites.Rules, inputs []crawl.Input) error {
	online := c.Online
	for _, in := range inputs {
		// Standard input can't be read twice.
		online = online || in.File == crawl.Stdin && c.Models == "" && !c.Cold
	}
	if err := c.checkArchives(inputs); err != nil {
		return err
	}
	a := &archives{console: p, log: log, inputs: inputs, mode: c.Mode.form(), links: c.Links,
		policy: policy.Policy{}.With(c.Keep, c.Drop), rules: rules}
	a.store = flags.Store{Data: c.Models, Detector: c.Detector}
	switch {
	case c.Models != "":
		if _, err := os.Stat(c.Models); err != nil && !c.Online {
			return console.Usagef("--models: %v: winnow learn makes such a folder", err)
		}
	case c.Out != "":
		a.store.Data = filepath.Join(c.Out, ".winnow-models")
	default:
		dir, err := os.MkdirTemp("", "winnow-models-")
		if err != nil {
			return fmt.Errorf("folder for models: %w", err)
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a folder for temporary files
		a.store.Data = dir
	}
	if c.Models == "" && !c.Cold && !online {
		if err := a.learn(ctx); err != nil {
			return err
		}
		a.total = crawl.Counts{}
	}
	return a.report(a.clean(ctx, c.Out, crawl.Form(c.As), online))
}

// checkArchives checks flags and inputs against each other.
func (c *cleanCmd) checkArchives(inputs []crawl.Input) error {
	alone := len(inputs) == 1 && inputs[0].File == crawl.Stdin
	switch {
	case c.Mode == modeBook:
		return console.Usagef("--mode epub is for saved pages: an archive is too large for one book")
	case c.Out == "" && !alone:
		return console.Usagef("archives need a folder to be written to: give --out DIR")
	case c.Host != "":
		return console.Usagef("--host: an archive says itself of which host each page is")
	case c.Online && c.Cold:
		return console.Usagef("--online learns, and --cold does not: give either")
	}
	names := map[string]string{}
	for _, in := range inputs {
		if other, ok := names[in.Name]; ok {
			return console.Usagef("%s and %s would be written to the same file: clean them into folders of their own", other, in.File)
		}
		names[in.Name] = in.File
	}
	return nil
}
