package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// demoCmd is winnow demo.
type demoCmd struct {
	Serve    bool   `help:"Stay up, with a page that shows before and after in a browser."`
	Listen   string `default:"127.0.0.1:0" placeholder:"ADDR" help:"Address of that page."`
	Detector string `default:"${detector}" placeholder:"NAME" help:"Detector to use (default: ${default})."`
	Lines    int    `default:"8" help:"Lines of text to show of each page before and after."`
}

// Help gives examples.
func (*demoCmd) Help() string {
	return `Starts a small bundled site and the proxy on loopback, reads each page through the proxy twice, and shows what it took out. The network is not used, and nothing is kept.

Examples:

  winnow demo
  winnow demo --serve`
}

// Run shows the demo.
func (c *demoCmd) Run(ctx context.Context, p *program) (err error) {
	dir, err := os.MkdirTemp("", "winnow-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	stage, err := c.start(ctx, p, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.stop()) }()
	views, err := stage.visitAll(ctx)
	if err != nil {
		return err
	}
	if err := printDemo(p, views, c.Lines); err != nil || !c.Serve {
		return err
	}
	return stage.show(ctx, p, c.Listen)
}

// demoStage is the bundled site and a proxy, each on a port of its own.
type demoStage struct {
	site    *demoSite
	origin  *http.Server
	base    string // URL of the site, without a final slash
	models  *cache.Models
	client  *http.Client // goes through the proxy
	direct  *http.Client
	stop    func() error
	proxyAt string
}

// start brings up the site and the proxy. dir is for the CA.
func (c *demoCmd) start(ctx context.Context, p *program, dir string) (*demoStage, error) {
	o := serviceOptions{mode: page.ModeRemove, log: p.log}
	detector, err := detectorNamed(c.Detector)
	if err != nil {
		return nil, err
	}
	st := &demoStage{direct: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}}}
	if st.site, err = newDemoSite(); err != nil {
		return nil, err
	}
	if o.authority, err = certs.LoadOrCreate(dir, time.Now); err != nil {
		return nil, err
	}
	origin, err := listen(ctx, "demo site", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	front, err := listen(ctx, "demo proxy", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, origin.Close())
	}
	if o.models, err = cache.New(ctx, cache.Options{Detector: detector, Key: model.NewKey(), Logger: p.log}); err != nil {
		return nil, errors.Join(err, origin.Close(), front.Close())
	}
	st.models = o.models
	st.run(ctx, o, origin, front)
	return st, nil
}

// run serves the site and the proxy until st.stop is called.
func (st *demoStage) run(ctx context.Context, o serviceOptions, origin, front net.Listener) {
	st.base = "http://" + origin.Addr().String()
	st.proxyAt = front.Addr().String()
	st.client = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: st.proxyAt})}}
	st.origin = &http.Server{Handler: st.site, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = st.origin.Serve(origin) }() // it ends when stop closes it
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- serveDemo(ctx, o, front) }()
	st.stop = func() error {
		st.client.CloseIdleConnections()
		st.direct.CloseIdleConnections()
		cancel()
		return errors.Join(<-served, st.origin.Close())
	}
}

// demoView is what came of one page.
type demoView struct {
	name string
	// before is the page as the site serves it, first and second what the proxy made of it on either visit.
	before, first, second demoText
}

// demoText is the visible text of a page.
type demoText struct {
	lines []string
	chars int
}

// visitAll reads every page through the proxy twice. Before the second round the proxy has learned all of the first.
func (st *demoStage) visitAll(ctx context.Context) ([]demoView, error) {
	views := make([]demoView, len(st.site.names))
	for i, name := range st.site.names {
		views[i].name = name
		for _, visit := range []struct {
			client *http.Client
			text   *demoText
		}{{st.direct, &views[i].before}, {st.client, &views[i].first}} {
			if err := st.read(ctx, visit.client, name, visit.text); err != nil {
				return nil, err
			}
		}
	}
	if err := st.models.Drain(ctx); err != nil {
		return nil, err
	}
	for i, name := range st.site.names {
		if err := st.read(ctx, st.client, name, &views[i].second); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// fetch reads one page of the site.
func (st *demoStage) fetch(ctx context.Context, client *http.Client, name string) (body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, st.base+"/"+name, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", name, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// read fetches a page and takes its visible text.
func (st *demoStage) read(ctx context.Context, client *http.Client, name string, into *demoText) error {
	body, err := st.fetch(ctx, client, name)
	if err != nil {
		return err
	}
	p, err := page.Parse(body, "text/html; charset=utf-8")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for b := range p.Blocks {
		line := printable(p.BlockText(nil, page.BlockID(b)))
		into.lines = append(into.lines, line)
		into.chars += p.BlockLen(page.BlockID(b))
	}
	return nil
}

// printDemo prints a row per page and, of the first page, the first lines before and after.
func printDemo(p *program, views []demoView, lines int) error {
	paint := p.paint()
	var b strings.Builder
	fmt.Fprintln(&b, paint("1", fmt.Sprintf("%-20s %10s %13s %13s %9s", "characters of text", "original", "first visit", "second visit", "removed")))
	var before, after int
	for _, v := range views {
		demoRow(&b, v.name, v.before.chars, fmt.Sprint(v.first.chars), v.second.chars)
		before += v.before.chars
		after += v.second.chars
	}
	demoRow(&b, "all pages", before, "", after)
	first := views[0]
	for _, part := range []struct {
		title string
		text  demoText
	}{{"before", first.before}, {"after", first.second}} {
		fmt.Fprintf(&b, "\n%s\n", paint("1", first.name+", "+part.title+":"))
		for _, l := range part.text.lines[:min(lines, len(part.text.lines))] {
			fmt.Fprintln(&b, "  "+shorten(l, 96))
		}
		fmt.Fprintf(&b, "  %s\n", paint("2", fmt.Sprintf("(%d lines in all)", len(part.text.lines))))
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}

func demoRow(b *strings.Builder, name string, before int, first string, after int) {
	fmt.Fprintf(b, "%-20s %10d %13s %13d %7.0f %%\n", name, before, first, after, 100*(1-float64(after)/float64(max(before, 1))))
}

// shorten cuts a line to n characters.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// serveDemo runs the proxy of the demo until ctx ends.
func serveDemo(ctx context.Context, o serviceOptions, front net.Listener) error {
	s, err := newService(o, front, nil)
	if err != nil {
		return errors.Join(err, o.close(ctx))
	}
	return s.run(ctx, func() {})
}
