package main

import (
	"context"
	"fmt"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
)

// cleanCmd is winnow clean.
type cleanCmd struct {
	Mode     page.Mode `default:"remove" placeholder:"MODE" help:"What to write: remove, tag, reader, text, markdown or json (default: ${default})."`
	Detector string    `default:"${detector}" placeholder:"NAME" help:"Detector to use: ${detectors} (default: ${default}); winnow eval --help says more of each."`
	Out      string    `short:"o" placeholder:"DIR" help:"Write to the same relative paths below this folder; needed for more than one page."`
	Host     string    `placeholder:"NAME" help:"All pages are of this one host, whatever folders they are in."`
	Cold     bool      `help:"Learn nothing: clean every page as if it were its host's first."`
	Path     []string  `arg:"" placeholder:"PATH" help:"Files, folders (one site, or one site a sub-folder), or - for standard input."`
}

// Help gives examples.
func (*cleanCmd) Help() string {
	return `Learns from all the pages given, then cleans each. A folder that holds pages is one site, whatever is below it; a folder that holds only folders has one site in each. Where pages say that they are of several sites (link rel=canonical, og:url, base), each site is learned by itself, unless --host takes them for one. Pages that can't be read are named and left out, and the exit code is 1 then.

Examples:

  winnow clean mirror/example.org --out cleaned
  winnow clean --mode markdown --out text mirrors/     # one site a sub-folder
  curl -s https://example.org/ | winnow clean --mode text -
  winnow clean --cold page.html > page-cleaned.html`
}

// Run cleans.
func (c *cleanCmd) Run(ctx context.Context, p *program) error {
	if c.Mode == page.ModeOff {
		return usagef("--mode off leaves pages as they are; choose remove, tag, reader, text, markdown or json")
	}
	detector, err := detectorNamed(c.Detector)
	if err != nil {
		return err
	}
	found := collector{stdin: p.stdin, host: c.Host}
	found.collect(c.Path)
	total := 0
	for _, s := range found.sites {
		total += len(s.pages)
	}
	if total > 1 && c.Out == "" {
		return usagef("%d pages need a folder to be written to: give --out DIR", total)
	}
	cl := &cleaner{detector: detector, mode: c.Mode, cold: c.Cold, out: c.Out, stdout: p.stdout, now: time.Now(), overrides: p.overrides}
	step, done := p.progress("cleaning", 2*total)
	cl.step = step
	err = cl.sites(ctx, found.sites)
	done()
	return c.report(p, cl, found.notes, append(found.left, cl.left...), total, err)
}

// report says what was done, and what was not.
func (c *cleanCmd) report(p *program, cl *cleaner, found []string, left []leftOut, total int, err error) error {
	for _, n := range append(found, cl.notes...) {
		p.warnf("%s", n)
	}
	for _, l := range left {
		p.warnf("%s", l)
	}
	if err != nil {
		return err
	}
	if c.Out != "" && cl.cleaned > 0 {
		p.warnf("%d pages cleaned, %.0f %% of their text removed, written to %s", cl.cleaned, 100*cl.removed/float64(cl.cleaned), c.Out)
	}
	if len(left) > 0 {
		return fmt.Errorf("%d of %d inputs left out", len(left), total+len(left)-len(cl.left))
	}
	return nil
}
