// Package demo implements winnow demo: it runs a small bundled site and the proxy on loopback, and compares the pages
// before and after.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/service"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// Stage is the bundled site and a proxy, each on a port of its own.
type Stage struct {
	site    *site
	origin  *http.Server
	base    string // URL of the site, without a final slash
	models  *cache.Models
	client  *http.Client // goes through the proxy
	direct  *http.Client
	proxyAt string
	// Stop ends both and returns the proxy's error.
	Stop func() error
}

// Start runs the site and the proxy until Stop is called. dir is for the CA; nothing else is stored.
func Start(ctx context.Context, dir string, detector model.Detector, log *slog.Logger) (*Stage, error) {
	st := &Stage{direct: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}}}
	var err error
	if st.site, err = newSite(); err != nil {
		return nil, err
	}
	authority, err := certs.LoadOrCreate(dir, time.Now)
	if err != nil {
		return nil, err
	}
	origin, err := listen(ctx)
	if err != nil {
		return nil, err
	}
	front, err := listen(ctx)
	if err != nil {
		return nil, errors.Join(err, origin.Close())
	}
	if st.models, err = cache.New(ctx, cache.Options{Detector: detector, Key: model.NewKey(), Logger: log}); err != nil {
		return nil, errors.Join(err, origin.Close(), front.Close())
	}
	st.run(ctx, service.Options{Models: st.models, Log: log, Cleaning: pipeline.Options{Mode: page.ModeRemove},
		Proxy: proxy.Options{Authority: authority, CA: authority}}, origin, front)
	return st, nil
}

// listen opens a free port of this machine.
func listen(ctx context.Context) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	return l, nil
}

// run serves the site and the proxy until st.Stop is called.
func (st *Stage) run(ctx context.Context, o service.Options, origin, front net.Listener) {
	st.base = "http://" + origin.Addr().String()
	st.proxyAt = front.Addr().String()
	st.client = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: st.proxyAt})}}
	st.origin = &http.Server{Handler: st.site, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = st.origin.Serve(origin) }() // it returns when Stop closes it
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- serveProxy(ctx, o, front) }()
	st.Stop = func() error {
		st.client.CloseIdleConnections()
		st.direct.CloseIdleConnections()
		cancel()
		return errors.Join(<-served, st.origin.Close())
	}
}

// View is one page before and after.
type View struct {
	Name string
	// Before is the page as the site serves it. First and Second are the proxy's output on the first and second visit.
	Before, First, Second Text
}

// Text is the visible text of a page: its lines, and the characters in them.
type Text struct {
	Lines []string
	Chars int
}

// VisitAll reads every page through the proxy twice. Before the second round the proxy has learned the whole first
// round.
func (st *Stage) VisitAll(ctx context.Context) ([]View, error) {
	views := make([]View, len(st.site.names))
	for i, name := range st.site.names {
		views[i].Name = name
		for _, visit := range []struct {
			client *http.Client
			text   *Text
		}{{st.direct, &views[i].Before}, {st.client, &views[i].First}} {
			if err := st.read(ctx, visit.client, name, visit.text); err != nil {
				return nil, err
			}
		}
	}
	if err := st.models.Drain(ctx); err != nil {
		return nil, err
	}
	for i, name := range st.site.names {
		if err := st.read(ctx, st.client, name, &views[i].Second); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// fetch reads one page of the site.
func (st *Stage) fetch(ctx context.Context, client *http.Client, name string) (body []byte, err error) {
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

// read fetches a page and extracts its visible text.
func (st *Stage) read(ctx context.Context, client *http.Client, name string, into *Text) error {
	body, err := st.fetch(ctx, client, name)
	if err != nil {
		return err
	}
	p, err := page.Parse(body, "text/html; charset=utf-8")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for b := range p.Blocks {
		into.Lines = append(into.Lines, console.Printable(string(p.BlockText(nil, page.BlockID(b)))))
		into.Chars += p.BlockLen(page.BlockID(b))
	}
	return nil
}

// serveProxy runs the proxy of the demo until ctx ends.
func serveProxy(ctx context.Context, o service.Options, front net.Listener) error {
	s, err := service.New(o, service.Listeners{Proxy: front})
	if err != nil {
		return errors.Join(err, o.Close(ctx))
	}
	return s.Run(ctx, func() {})
}
