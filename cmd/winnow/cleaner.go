package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/overrides"
)

// cleaner learns and cleans saved sites, each with a model of its own.
type cleaner struct {
	detector model.Detector
	mode     page.Mode
	cold     bool
	// out is the folder to write to; without it the one page goes to stdout.
	out    string
	stdout io.Writer
	now    time.Time
	// overrides are applied to what the detector says.
	overrides *overrides.Set
	// step is called once per page learned and once per page cleaned.
	step func()

	// What came of it. removed is the sum of the pages' shares.
	cleaned int
	removed float64
	notes   []string
	left    []leftOut
}

// result is what became of one page: one of left, or cleaned with perhaps a note.
type result struct {
	err     error
	note    string
	removed float64
}

// sites cleans one site after the other. It stops only when ctx ends; pages that fail are left out.
func (c *cleaner) sites(ctx context.Context, sites []inputSite) error {
	taken := map[string]string{}
	for _, s := range sites {
		host := c.detector.New(model.NewKey())
		if err := c.learn(ctx, host, s); err != nil {
			return err
		}
		results := make([]result, len(s.pages))
		targets := c.targets(s, taken, results)
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(runtime.GOMAXPROCS(0))
		for i := range s.pages {
			g.Go(func() error {
				defer c.step()
				if gctx.Err() == nil && results[i].err == nil {
					results[i] = c.clean(judge{host, c.overrides.For(s.host)}, c.visit(s.host, &s.pages[i]), &s.pages[i], targets[i])
				}
				return gctx.Err()
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		c.count(s, results)
	}
	return nil
}

// targets chooses where each page goes. Of two pages that would go to the same file the second is left out.
func (c *cleaner) targets(s inputSite, taken map[string]string, results []result) []string {
	targets := make([]string, len(s.pages))
	if c.out == "" {
		return targets
	}
	for i, in := range s.pages {
		t := filepath.Join(c.out, withExtension(in.rel, c.mode.Extension()))
		if other, ok := taken[t]; ok {
			results[i].err = fmt.Errorf("%s has taken its output file %s", other, t)
			continue
		}
		taken[t] = in.name
		targets[i] = t
	}
	return targets
}

// withExtension changes the extension of a page's name; what is no extension of a page's stays ("view.php").
func withExtension(name, ext string) string {
	if old := filepath.Ext(name); slices.Contains([]string{".html", ".htm", ".xhtml", ".xht", ".shtml"}, strings.ToLower(old)) {
		name = strings.TrimSuffix(name, old)
	}
	return name + ext
}

// learn lets the host observe its pages in order. A page that can't be read or parsed is reported when it is cleaned.
func (c *cleaner) learn(ctx context.Context, host model.Host, s inputSite) error {
	for i := range s.pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.step()
		if c.cold {
			continue
		}
		in := &s.pages[i]
		// The error is not lost: the page meets it again when it is cleaned.
		_ = contained(func() error {
			src, err := in.read()
			if err != nil {
				return err
			}
			p, err := page.Parse(src, "")
			if err == nil {
				judge{host, c.overrides.For(s.host)}.observe(p, c.visit(s.host, in))
			}
			return err
		})
	}
	return nil
}

// visit is where and when an input counts as fetched.
func (c *cleaner) visit(host string, in *input) model.Visit {
	u := url.URL{Scheme: "http", Host: host, Path: "/" + filepath.ToSlash(in.rel)}
	return model.Visit{URL: u.String(), At: c.now}
}

// clean writes one page. One that can't be parsed or judged is written as it was, where the mode's form allows that.
func (c *cleaner) clean(host judge, v model.Visit, in *input, target string) (r result) {
	r.err = contained(func() error {
		src, err := in.read()
		if err != nil {
			return err
		}
		out, note, err := c.render(host, v, src)
		if err != nil {
			return err
		}
		if note != "" {
			r.note = in.name + ": written unchanged: " + note
		}
		r.removed = out.Removed
		return c.write(in, target, out.Body)
	})
	return r
}

// render cleans the page in memory. note says why it comes out as it was.
func (c *cleaner) render(host judge, v model.Visit, src []byte) (out *page.Output, note string, err error) {
	p, err := page.Parse(src, "")
	if err != nil {
		return c.unchanged(src, err)
	}
	m := host.mark(p, v)
	if m.Pass != "" {
		if c.html() {
			return c.unchanged(src, errors.New(m.Pass))
		}
		m = &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Parts: m.Parts, Pages: m.Pages}
	}
	if out, err = page.Write(p, m, c.mode); err != nil {
		return c.unchanged(src, err)
	}
	return out, "", nil
}

// unchanged gives the page as it was, because of why, where the mode's form allows that.
func (c *cleaner) unchanged(src []byte, why error) (*page.Output, string, error) {
	if !c.html() {
		return nil, "", why
	}
	return &page.Output{Body: src}, why.Error(), nil
}

// html reports whether a page as it was is a fit output of the mode.
func (c *cleaner) html() bool { return c.mode.Extension() == ".html" }

func (c *cleaner) write(in *input, target string, body []byte) error {
	if c.out == "" {
		_, err := c.stdout.Write(body)
		return err
	}
	if sameFile(in.file, target) {
		return fmt.Errorf("its output would overwrite it: choose another --out than %s", c.out)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(target, body, 0o644)
}

func sameFile(a, b string) bool {
	sa, errA := os.Stat(a)
	sb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(sa, sb)
}

func (c *cleaner) count(s inputSite, results []result) {
	for i, r := range results {
		if r.err != nil {
			c.left = append(c.left, leftOut{s.pages[i].name, r.err})
			continue
		}
		if r.note != "" {
			c.notes = append(c.notes, r.note)
		}
		c.cleaned++
		c.removed += r.removed
	}
}

// errPanic says that a detector or writer broke down on a page.
var errPanic = errors.New("winnow broke down on this page, please report it")

// contained turns a panic into an error, so that one page can't stop the work on the others.
func contained(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %v", errPanic, v)
		}
	}()
	return f()
}
