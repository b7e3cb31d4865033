package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/cssrules"
	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
)

// templatePages makes rules from the pages of --pages.
type templatePages struct {
	*templateCmd
	p      *console.Console
	rules  *override.Rules
	models *cache.Models
	// known says that the models know the host already.
	known bool
	// api fetches the pages that are addresses.
	api http.Handler
	// left are the pages that could not be read.
	left []error
}

// givenPage is one page with its visit.
type givenPage struct {
	page  *page.Page
	visit model.Visit
}

func (t *templatePages) make(ctx context.Context) (d cssrules.Document, err error) {
	pages := t.read(ctx)
	samples, err := t.samples(ctx, pages)
	if err != nil {
		return d, err
	}
	for _, err := range t.left {
		t.p.Warnf("%s", err)
	}
	if len(samples) == 0 {
		return d, fmt.Errorf("none of the pages of --pages can be judged, so there is nothing to make rules of")
	}
	report, err := cssrules.Make(ctx, samples)
	if err != nil {
		return d, err
	}
	d = report.Document(cssrules.Format(t.As), string(t.Host), t.example())
	d.Left = len(t.left)
	return d, nil
}

// example is the address of a page, or empty.
func (t *templatePages) example() string {
	for _, of := range t.Pages {
		if isAddress(of) {
			return of
		}
	}
	return ""
}

func isAddress(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// read reads the pages that --pages names. Of very many it takes some, at equal distances.
func (t *templatePages) read(ctx context.Context) (pages []givenPage) {
	var paths []string
	for _, of := range t.Pages {
		if !isAddress(of) {
			paths = append(paths, of)
			continue
		}
		if err := t.fetch(ctx, of, &pages); err != nil {
			t.left = append(t.left, fmt.Errorf("%s: %w", of, err))
		}
	}
	found := saved.Find(paths, saved.Options{Stdin: t.p.Stdin, Host: string(t.Host)})
	for _, l := range found.Left {
		t.left = append(t.left, errors.New(l.String()))
	}
	for _, s := range found.Sites {
		n := min(len(s.Pages), cssrules.MaxSamples)
		for i := range n {
			one := &s.Pages[i*len(s.Pages)/n]
			src, err := one.Read()
			if err == nil {
				err = t.add(src, "", (&url.URL{Scheme: "http", Host: string(t.Host), Path: "/" + filepath.ToSlash(one.Rel)}).String(), &pages)
			}
			if err != nil {
				t.left = append(t.left, fmt.Errorf("%s: %w", one.Name, err))
			}
		}
	}
	return pages
}

// fetch fetches one page as its origin sends it.
func (t *templatePages) fetch(ctx context.Context, address string, pages *[]givenPage) error {
	found, err := askTemplate(ctx, t.api, "/api/v1/clean", url.Values{"url": {address}, "mode": {"off"}, "learn": {"false"}})
	if err != nil {
		return err
	}
	return t.add(found.Body, found.Header.Get("Content-Type"), address, pages)
}

func (t *templatePages) add(src []byte, contentType, address string, pages *[]givenPage) error {
	p, err := page.Parse(src, contentType)
	if err == nil {
		*pages = append(*pages, givenPage{p, model.Visit{URL: address, At: time.Now()}})
	}
	return err
}

// samples lets a host that is not known learn the pages, and judges each.
func (t *templatePages) samples(ctx context.Context, pages []givenPage) (samples []cssrules.Sample, err error) {
	for _, g := range pages {
		if t.known || t.rules.Ignores(g.page) {
			continue
		}
		t.models.Learn(string(t.Host), g.page, g.visit)
		if err := t.models.Drain(ctx); err != nil { // one at a time, because a full queue drops pages
			return nil, err
		}
	}
	policy := t.rules.Policy(policy.Default()).With(t.Keep, t.Drop)
	if cssrules.Format(t.As).ForReading() {
		policy = policy.ForMode(page.ModeText)
	}
	for _, g := range pages {
		m, err := t.models.Mark(ctx, string(t.Host), g.page, g.visit)
		if err == nil && m.Pass == "" {
			m = policy.Apply(g.page, t.rules.Apply(g.page, m))
		}
		switch {
		case err != nil:
			t.left = append(t.left, fmt.Errorf("%s: %w", g.visit.URL, err))
		case m.Pass != "":
			t.left = append(t.left, fmt.Errorf("%s is no page with content and template (%s)", g.visit.URL, m.Pass))
		default:
			samples = append(samples, cssrules.NewSample(g.page, m))
		}
	}
	return samples, ctx.Err()
}
