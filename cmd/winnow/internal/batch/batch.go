// Package batch learns and cleans saved sites.
package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// Cleaner learns and cleans saved sites, each with a model of its own.
type Cleaner struct {
	Detector model.Detector
	Mode     page.Mode
	// Policy says which kinds of parts are removed, Links how Markdown writes links.
	Policy policy.Policy
	Links  write.LinkStyle
	// Cold says that nothing is learned: each page is cleaned as if it were its host's first.
	Cold bool
	// Out is the folder to write to. A missing folder is created. If Out is empty, the only page goes to Stdout.
	Out    string
	Stdout io.Writer
	// Now is the fetch time of all pages.
	Now time.Time
	// Rules are applied after the detector. nil means no rules.
	Rules *sites.Rules
	// Step is called once per learned page and once per cleaned page, by several goroutines.
	Step func()

	// out is Out as a root: if others can write to the folder too, their symbolic links must not lead out of it.
	out *os.Root
}

// Outcome is the result for all pages.
type Outcome struct {
	Cleaned int
	// Removed is the sum, over the cleaned pages, of the share of text that was removed.
	Removed float64
	// Notes name the pages that were written unchanged, and why.
	Notes []string
	Left  []saved.LeftOut
}

// result is the result for one page: an error, or success with an optional note.
type result struct {
	err     error
	note    string
	removed float64
}

// Sites cleans one site after the other. It stops early only when ctx ends. Pages that fail are left out.
func (c *Cleaner) Sites(ctx context.Context, sites []saved.Site) (out Outcome, err error) {
	if c.Out != "" && len(sites) > 0 {
		if c.out, err = openFolder(c.Out); err != nil {
			return out, fmt.Errorf("--out: %w", err)
		}
		defer c.out.Close() //nolint:errcheck // the files in it are closed already
	}
	taken := map[string]string{}
	for _, s := range sites {
		results := make([]result, len(s.Pages))
		targets := c.targets(s, taken, results)
		if err := c.site(ctx, s, results, func(host judge, i int) result {
			return c.clean(ctx, host, c.visit(s.Host, &s.Pages[i]), &s.Pages[i], targets[i])
		}); err != nil {
			return out, err
		}
		out.count(s, results)
	}
	return out, nil
}

// site learns a site, and then cleans each of its pages that has no error in results.
func (c *Cleaner) site(ctx context.Context, s saved.Site, results []result, clean func(host judge, i int) result) error {
	// The model is thrown away, so its key protects nothing. With one key, the output depends on the input alone.
	host := judge{c.Detector.New(model.Key{}), c.Rules.For(s.Host)}
	if err := c.learn(ctx, host, s); err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range s.Pages {
		g.Go(func() error {
			defer c.Step()
			if gctx.Err() == nil && results[i].err == nil {
				results[i] = clean(host, i)
			}
			return gctx.Err()
		})
	}
	return g.Wait()
}

// judge is a host model with the rules for its host.
type judge struct {
	host  model.Host
	rules *override.Rules
}

func (j judge) mark(p *page.Page, v model.Visit) *page.Marking {
	return j.rules.Apply(p, j.host.Mark(p, v))
}

func (j judge) observe(p *page.Page, v model.Visit) {
	if !j.rules.Ignores(p) {
		j.host.Observe(p, v)
	}
}

// targets chooses the output file of each page. Of two pages with the same output file, the second is left out.
func (c *Cleaner) targets(s saved.Site, taken map[string]string, results []result) []string {
	targets := make([]string, len(s.Pages))
	if c.Out == "" {
		return targets
	}
	for i, in := range s.Pages {
		t := saved.ReplaceExtension(in.Rel, c.Mode.Extension())
		if other, ok := taken[t]; ok {
			results[i].err = fmt.Errorf("%s has the same output file %s", other, filepath.Join(c.Out, t))
			continue
		}
		taken[t] = in.Name
		targets[i] = t
	}
	return targets
}

// learn lets the host observe its pages in order. A page that can't be read or parsed is reported when it is cleaned.
func (c *Cleaner) learn(ctx context.Context, host judge, s saved.Site) error {
	for i := range s.Pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.Step()
		if c.Cold {
			continue
		}
		in := &s.Pages[i]
		// The error is not lost: the page fails again when it is cleaned.
		_ = contained(func() error {
			src, err := in.Read()
			if err != nil {
				return err
			}
			p, err := page.Parse(src, "")
			if err == nil {
				p = write.Form{Mode: c.Mode}.Basis(ctx, p)
				host.observe(p, c.visit(s.Host, in))
			}
			return err
		})
	}
	return nil
}

// visit is the URL and fetch time of an input.
func (c *Cleaner) visit(host string, in *saved.Page) model.Visit {
	u := url.URL{Scheme: "http", Host: host, Path: "/" + filepath.ToSlash(in.Rel)}
	return model.Visit{URL: u.String(), At: c.Now}
}

// clean writes one page. A page that can't be parsed or marked is written unchanged if the mode's output is HTML.
func (c *Cleaner) clean(ctx context.Context, host judge, v model.Visit, in *saved.Page, target string) (r result) {
	r.err = contained(func() error {
		src, err := in.Read()
		if err != nil {
			return err
		}
		out, note, err := c.render(ctx, host, v, src)
		if err != nil {
			return err
		}
		if note != "" {
			r.note = in.Name + ": written unchanged: " + note
		}
		r.removed = out.Removed
		return c.write(in, target, out.Body)
	})
	return r
}

// render cleans the page in memory. note says why the page is unchanged.
func (c *Cleaner) render(ctx context.Context, host judge, v model.Visit, src []byte) (out *write.Output, note string, err error) {
	form := write.Form{Mode: c.Mode, Links: c.Links, FrontMatter: true}
	return c.renderAs(ctx, form, host, v, src)
}

// renderAs is render in a form.
func (c *Cleaner) renderAs(ctx context.Context, form write.Form, host judge, v model.Visit, src []byte) (out *write.Output, note string, err error) {
	p, err := page.Parse(src, "")
	if err != nil {
		return c.unchanged(src, err)
	}
	p = form.Basis(ctx, p)
	m := host.mark(p, v).Whole(form.Mode)
	if m.Pass != "" {
		if c.html() {
			return c.unchanged(src, errors.New(m.Pass))
		}
		m = &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Parts: m.Parts, Pages: m.Pages}
	}
	if out, err = form.Write(p, host.rules.Policy(c.Policy).ForMode(form.Mode).Apply(p, m)); err != nil {
		return c.unchanged(src, err)
	}
	return out, "", nil
}

// unchanged returns the page unchanged because of why, if the mode's output is HTML.
func (c *Cleaner) unchanged(src []byte, why error) (*write.Output, string, error) {
	if !c.html() {
		return nil, "", why
	}
	return &write.Output{Body: src}, why.Error(), nil
}

// html reports whether an unchanged page is a valid output of the mode.
func (c *Cleaner) html() bool { return c.Mode.Extension() == ".html" }

func (c *Cleaner) write(in *saved.Page, target string, body []byte) error {
	if c.Out == "" {
		_, err := c.Stdout.Write(body)
		return err
	}
	switch old, err := c.out.Lstat(target); {
	case err != nil: // it does not exist or can't be read; writing reports the latter
	case !old.Mode().IsRegular():
		return fmt.Errorf("its output %s is there already, and is not a file: remove it first", filepath.Join(c.Out, target))
	case sameFile(in.File, old):
		return fmt.Errorf("the output would overwrite the page: choose another --out than %s", c.Out)
	}
	if err := c.out.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return c.out.WriteFile(target, body, 0o644)
}

func openFolder(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

func sameFile(name string, other os.FileInfo) bool {
	st, err := os.Stat(name)
	return err == nil && os.SameFile(st, other)
}

func (o *Outcome) count(s saved.Site, results []result) {
	for i, r := range results {
		if r.err != nil {
			o.Left = append(o.Left, saved.LeftOut{Name: s.Pages[i].Name, Err: r.err})
			continue
		}
		if r.note != "" {
			o.Notes = append(o.Notes, r.note)
		}
		o.Cleaned++
		o.Removed += r.removed
	}
}

// errPanic says that a detector or writer panicked on a page.
var errPanic = errors.New("winnow crashed on this page, please report it")

// contained turns a panic into an error, so that one page can't stop the work on the others.
func contained(f func() error) error {
	err := model.Contain(f)
	if p, ok := errors.AsType[*model.PanicError](err); ok {
		return fmt.Errorf("%w: %w", errPanic, p)
	}
	return err
}
