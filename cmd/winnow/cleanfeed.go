package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/service"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/feed"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// feedLinks returns the pages that a feed links to; ok is false where the inputs are no feed.
func (c *cleanCmd) feedLinks() (links []string, ok bool, err error) {
	if c.Mode != modeBook || len(c.Path) != 1 || !slices.Contains([]string{".xml", ".rss", ".atom", ".json"}, filepath.Ext(c.Path[0])) {
		return nil, false, nil
	}
	f, err := os.Open(c.Path[0])
	if err != nil {
		return nil, true, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	body, err := saved.ReadAtMost(f, feed.MaxBytes)
	if err == nil {
		links, err = feed.Links(body)
	}
	if err == nil && len(links) == 0 {
		err = errors.New("its entries link to no page")
	}
	if err != nil {
		return nil, true, fmt.Errorf("feed %s: %w", c.Path[0], err)
	}
	return links, true, nil
}

// feedBook fetches the pages that a feed links to, and writes them as one book. Feeds come from strangers, so that no
// address of this machine or its network is fetched unless --allow-target says so. Nothing is stored.
func (c *cleanCmd) feedBook(ctx context.Context, p *console.Console, log *logs.Log, conf *settings.Parsed, links []string) (err error) {
	dir, err := os.MkdirTemp("", "winnow-book-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o := service.Options{Rules: conf.Rules, Detector: c.Detector, Log: logs.Discreet(log.Logger), Proxy: proxy.Options{AllowTargets: c.AllowTarget}}
	o.Cleaning = pipeline.Options{PolicyOf: conf.Rules.Policies(policy.Default())}
	if c.Cold {
		o.Cleaning.Learn = pipeline.LearnOff
	}
	detector, err := flags.Detector(c.Detector)
	if err != nil {
		return err
	}
	if o.Models, err = cache.New(ctx, cache.Options{Detector: detector, Key: model.NewKey()}); err != nil {
		return err
	}
	if o.Proxy.Authority, err = certs.LoadOrCreate(dir, time.Now); err != nil {
		return errors.Join(err, o.Close(ctx))
	}
	s, err := service.New(o, service.Listeners{})
	if err != nil {
		return errors.Join(err, o.Close(ctx))
	}
	book, err := c.askForBook(ctx, s.API(), links)
	if err := errors.Join(err, s.Close(ctx)); err != nil {
		return err
	}
	p.Warnf("a book of %d pages", len(links))
	if c.Out == "" {
		_, err = p.Stdout.Write(book)
		return err
	}
	if err := os.WriteFile(c.Out, book, 0o644); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// askForBook asks the API for a book.
func (c *cleanCmd) askForBook(ctx context.Context, api http.Handler, links []string) ([]byte, error) {
	body, err := json.Marshal(map[string]any{"urls": links, "keep": c.Keep, "drop": c.Drop})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/api/v1/book", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	book, err := problem.Ask(api, req, math.MaxInt)
	if err != nil {
		return nil, err
	}
	return book.Body, nil
}
