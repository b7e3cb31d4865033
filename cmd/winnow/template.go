package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/service"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/cssrules"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// templateCmd is winnow template.
type templateCmd struct {
	flags.Store
	As          string       `enum:"ublock,selectors,xpath,ftr,freshrss,miniflux,scrapy" default:"selectors" placeholder:"FORM" help:"The program to write for: ublock (uBlock Origin and AdGuard), ftr (Full-Text RSS and readers with its site configurations), freshrss, miniflux, scrapy, or plain selectors or xpath (default: ${default})."`
	Pages       []string     `sep:"none" placeholder:"PATH|URL" help:"Pages of the host to learn the rules from: files, folders or addresses (repeatable). Without it, the host's first page and some that it links to are fetched."`
	Fetch       int          `default:"10" placeholder:"N" help:"Without --pages: how many pages to fetch, at most 30 (default: ${default})."`
	Keep        page.KindSet `placeholder:"KINDS" help:"Kinds of parts that count as content, separated by commas: comments, related, toc, nav, pagination …"`
	Drop        page.KindSet `placeholder:"KINDS" help:"Kinds of parts that count as template: byline, date, caption, comments …"`
	JSON        bool         `name:"json" help:"Print the rules with all figures as JSON."`
	AllowTarget []string     `placeholder:"HOST" help:"Hosts, addresses and networks that pages are fetched from although they are private."`
	flags.Upstream
	Host flags.SiteName `arg:"" placeholder:"HOST" help:"The host, whose model says what is template on the pages."`
}

// Help gives examples.
func (*templateCmd) Help() string {
	return `Says in a few CSS selectors what winnow knows about a site, for programs that know nothing of winnow: the selectors that hide the template of its pages, or those that hold the content and strip what is template in it. The model of the host, if there is one in --data, says what is what on the pages; otherwise the given pages teach it. Every fifth page is left out when the rules are made: the figures beside each selector (precision, recall, pages with a match) and those of all together are measured there. Where no selector does the work well, a line says so.

As json: {host, as, text, left, learned, tested, hide, hold, strip, fields}; text is the file, hide, hold and strip have {rules, f1, precision, recall, doubt}, and rules are lists of {css, xpath, precision, recall, pages}.

Examples:

  winnow template example.org --as ublock > example.org.filters
  winnow template example.org --as ftr --pages mirror/example.org > example.org.txt
  winnow template example.org --as freshrss --pages https://example.org/2024/a-story --pages https://example.org/2024/another
  winnow template example.org --json --fetch 20`
}

// Run makes the rules and prints them.
func (c *templateCmd) Run(ctx context.Context, p *console.Console, log *logs.Log, conf *settings.Parsed) error {
	if c.Fetch < 1 || c.Fetch > cssrules.MaxSamples {
		return console.Usagef("--fetch %d: want a number of pages from 1 to %d", c.Fetch, cssrules.MaxSamples)
	}
	models, known, err := c.models(ctx, log.Logger)
	if err != nil {
		return err
	}
	site, err := c.service(ctx, p, log, conf, models)
	if err != nil {
		return err
	}
	if !known {
		p.Warnf("nothing was learned about %s in %s: the rules rest on the pages given here alone", c.Host, c.Data)
	}
	var rules cssrules.Document
	if len(c.Pages) == 0 {
		rules, err = c.live(ctx, site.API(), known)
	} else {
		rules, err = (&templatePages{templateCmd: c, p: p, rules: conf.Rules.For(string(c.Host)), models: models, known: known, api: site.API()}).make(ctx)
	}
	if err = errors.Join(err, site.Close(ctx)); err != nil {
		return err
	}
	if rules.Left > 0 {
		p.Warnf("pages that could not be fetched or judged: %d", rules.Left)
	}
	if c.JSON {
		return p.JSON(rules)
	}
	_, err = fmt.Fprint(p.Stdout, rules.Text)
	return err
}

// models returns the models of --data, or new ones in memory where nothing is known about the host.
func (c *templateCmd) models(ctx context.Context, log *slog.Logger) (models *cache.Models, known bool, err error) {
	if _, err := os.Stat(c.Data); err == nil {
		models, err := c.OpenHost(ctx, log, string(c.Host))
		if err == nil {
			if _, err = models.Host(ctx, string(c.Host)); err == nil {
				return models, true, nil
			}
			err = errors.Join(err, models.Close(ctx))
		}
		if !errors.Is(err, cache.ErrNotFound) {
			return nil, false, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, false, flags.Denied(c.Data, fmt.Errorf("--data: %w", err))
	}
	detector, err := flags.Detector(c.Detector)
	if err != nil {
		return nil, false, err
	}
	models, err = cache.New(ctx, cache.Options{Detector: detector, Key: model.NewKey(), Logger: log})
	return models, false, err
}

// service returns what fetches and judges pages. It closes the models when it is closed.
func (c *templateCmd) service(ctx context.Context, p *console.Console, log *logs.Log, conf *settings.Parsed, models *cache.Models) (s *service.Service, err error) {
	o := service.Options{Models: models, Rules: conf.Rules, Detector: c.Detector, Log: logs.Discreet(log.Logger)}
	o.Cleaning = pipeline.Options{PolicyOf: conf.Rules.Policies(policy.Default())}
	o.Proxy.AllowTargets = c.AllowTarget
	fail := func(err error) (*service.Service, error) { return nil, errors.Join(err, o.Close(ctx)) }
	if o.Proxy.Upstream, err = c.Proxies(p.Env); err != nil {
		return fail(err)
	}
	if o.Proxy.UpstreamRoots, err = c.Roots(); err != nil {
		return fail(err)
	}
	dir, err := os.MkdirTemp("", "winnow-template-")
	if err != nil {
		return fail(err)
	}
	o.Proxy.Authority, err = certs.LoadOrCreate(dir, time.Now) // nobody connects to this proxy, so nothing needs it
	if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
		return fail(err)
	}
	if s, err = service.New(o, service.Listeners{}); err != nil {
		return fail(err)
	}
	return s, nil
}

// live asks the API for the rules of the host's live pages. Those of a known host are not learned, so that asking
// changes no model.
func (c *templateCmd) live(ctx context.Context, handler http.Handler, known bool) (d cssrules.Document, err error) {
	q := url.Values{"host": {string(c.Host)}, "as": {c.As}, "pages": {strconv.Itoa(c.Fetch)}, "learn": {strconv.FormatBool(!known)}}
	if c.Keep != 0 {
		q.Set("keep", c.Keep.String())
	}
	if c.Drop != 0 {
		q.Set("drop", c.Drop.String())
	}
	body, err := askTemplate(ctx, handler, "/api/v1/template", q)
	if err == nil {
		err = json.Unmarshal(body.Body, &d)
	}
	return d, err
}

// askTemplate asks the API of this process.
func askTemplate(ctx context.Context, handler http.Handler, path string, q url.Values) (*problem.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path+"?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	return problem.Ask(handler, req, math.MaxInt)
}
