package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/batch"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// cleanCmd is winnow clean.
type cleanCmd struct {
	Mode        cleanMode       `default:"remove" placeholder:"MODE" help:"What to write: one of ${modes}, or epub for all pages in one book; off is only for serve (default: ${default})."`
	Keep        page.KindSet    `placeholder:"KINDS" help:"Kinds of parts that stay, separated by commas: comments, related, toc, nav, pagination …"`
	Drop        page.KindSet    `placeholder:"KINDS" help:"Kinds of parts to remove: byline, date, caption, comments …"`
	Links       write.LinkStyle `enum:"inline,footnote,none" default:"inline" placeholder:"STYLE" help:"Links in Markdown: inline, footnote (addresses at the end) or none (default: ${default})."`
	Detector    string          `default:"${detector}" placeholder:"NAME" help:"Detector to use: ${detectors} (default: ${default}); winnow eval --help describes each."`
	Out         string          `short:"o" placeholder:"DIR" help:"Write to the same relative paths below this folder; needed for more than one page. With --mode epub, write to this file."`
	Host        string          `placeholder:"NAME" help:"Host of all pages, in whatever folders they are."`
	Models      string          `placeholder:"DIR" help:"For archives: data folder whose models are used as they are, such as winnow learn fills; with --online they go on learning. Otherwise the archives are learned first."`
	As          string          `enum:"warc,jsonl" default:"warc" placeholder:"FORM" help:"For archives: write conversion records (warc) or lines of JSON (jsonl) (default: ${default})."`
	AllowTarget []string        `placeholder:"HOST" help:"For feeds: hosts, addresses and networks whose pages are fetched although they are private."`
	Online      bool            `help:"For archives: one pass that cleans each page with what came before it, and then learns it."`
	Cold        bool            `help:"Learn nothing: clean every page as if it were its host's first."`
	Path        []string        `arg:"" placeholder:"PATH" help:"Files, folders (one site, or one site per sub-folder), - for standard input, or web archives (.warc, .warc.gz), folders with them, - for one."`
}

// Help gives examples.
func (*cleanCmd) Help() string {
	return `Learns from all given pages, then cleans each. A folder with pages is one site, with everything below it. A folder that has only folders has one site in each. Pages that declare different sites (link rel=canonical, og:url, base) are learned separately, unless --host says that all are of one host. Pages that can't be read are named and left out; the exit code is then 1.

Web archives are cleaned in two passes, or in one with --online. Killed, both go on where they stopped. An archive on standard input is cleaned in one pass unless --models or --cold is given, to standard output unless --out is given, and from its beginning each time.

Examples:

  winnow clean mirror/example.org --out cleaned
  winnow clean --mode markdown --out text mirrors/     # one site per sub-folder
  curl -s https://example.org/ | winnow clean --mode text -
  winnow clean --mode epub --out book.epub mirror/example.org
  winnow clean --mode epub --out week.epub feed.xml    # fetches the pages that a feed links to
  winnow clean --cold page.html > page-cleaned.html
  winnow clean --mode text --out text crawl/*.warc.gz    # killed, it goes on where it stopped
  winnow clean --mode text --models models - < crawl.warc.gz > text.warc.gz`
}

// Run cleans the pages.
func (c *cleanCmd) Run(ctx context.Context, p *console.Console, log *logs.Log, conf *settings.Parsed) error {
	if c.Mode == cleanMode(page.ModeOff) {
		return console.Usagef("--mode off leaves pages as they are; choose another of %s", strings.Join(page.ModeNames(), ", "))
	}
	switch inputs, n, err := archivesAmong(p, c.Path); {
	case err != nil:
		return err
	case n == len(c.Path):
		return c.cleanArchives(ctx, p, log, conf.Rules, inputs)
	case n > 0:
		return console.Usagef("web archives and other pages can't be cleaned together: give either")
	case c.Models != "" || c.Online:
		return console.Usagef("--models and --online are for web archives: saved pages are learned before they are cleaned")
	}
	if links, is, err := c.feedLinks(); err != nil {
		return err
	} else if is {
		return c.feedBook(ctx, p, log, conf, links)
	}
	detector, err := flags.Detector(c.Detector)
	if err != nil {
		return err
	}
	found := saved.Find(c.Path, saved.Options{Stdin: p.Stdin, Host: c.Host})
	if found.Pages() > 1 && c.Out == "" && c.Mode != modeBook {
		return console.Usagef("%d pages need a folder to be written to: give --out DIR", found.Pages())
	}
	step, done := p.Progress("cleaning", 2*found.Pages())
	cleaner := &batch.Cleaner{Detector: detector, Mode: c.Mode.form(), Policy: policy.Policy{}.With(c.Keep, c.Drop), Links: c.Links, Cold: c.Cold, Out: c.Out, Stdout: p.Stdout, Now: time.Now(),
		Rules: conf.Rules, Step: step}
	clean := cleaner.Sites
	if c.Mode == modeBook {
		clean = c.book(cleaner)
	}
	out, err := clean(ctx, found.Sites)
	done()
	return c.report(p, found, out, err)
}

// report says which pages were cleaned and which were left out.
func (c *cleanCmd) report(p *console.Console, found saved.Found, out batch.Outcome, err error) error {
	for _, n := range append(found.Notes, out.Notes...) {
		p.Warnf("%s", n)
	}
	left := slices.Concat(found.Left, out.Left)
	for _, l := range left {
		p.Warnf("%s", l)
	}
	if err != nil {
		return err
	}
	if c.Out != "" && out.Cleaned > 0 {
		p.Warnf("%d pages cleaned, %.0f %% of their text removed, written to %s", out.Cleaned, 100*out.Removed/float64(out.Cleaned), c.Out)
	}
	if len(left) > 0 {
		return fmt.Errorf("%d of %d inputs left out", len(left), found.Pages()+len(found.Left))
	}
	return nil
}
