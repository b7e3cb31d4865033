package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/boltstore"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/service"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/version"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/proxy/agents"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// mcpCmd is winnow mcp.
type mcpCmd struct {
	Connect     string `placeholder:"URL" help:"Ask the winnow whose API is there (winnow serve --api), such as http://127.0.0.1:8082, rather than fetch pages from here."`
	ConnectAuth string `placeholder:"FILE" help:"File with the token for --connect, which has nothing else in it."`
	flags.Store
	NoLearn      bool     `help:"Learn nothing of the pages that are read."`
	AllowPrivate bool     `help:"Let agents reach loopback and private addresses, which they can't otherwise."`
	AllowTarget  []string `placeholder:"HOST" help:"Hosts, addresses and networks that agents may reach whatever they are."`
	flags.Upstream
}

// Help gives examples.
func (*mcpCmd) Help() string {
	return `Speaks the Model Context Protocol on standard input and output, for programs that start it. The tools read a page as Markdown, read a site's template, and say what was removed from a page. Text that a page conceals from people is left out, and what a page says is marked as data. Over HTTP, winnow serve --api has the same tools at /mcp.

One winnow at a time can use a data folder: where winnow serve runs, use its API with --connect.

Examples:

  winnow mcp
  winnow mcp --connect http://127.0.0.1:8082`
}

// Run serves until standard input or ctx ends.
func (c *mcpCmd) Run(ctx context.Context, p *console.Console, log *logs.Log, conf *settings.Parsed) error {
	if c.Connect != "" {
		if c.AllowPrivate {
			return console.Usagef("--allow-private does not go with --connect: another winnow gives agents no private addresses; its allow-target does")
		}
		api, err := c.remote()
		if err != nil {
			return err
		}
		return c.serve(ctx, p, api, false)
	}
	if c.ConnectAuth != "" {
		return console.Usagef("--connect-auth needs --connect, which is not set")
	}
	o, err := c.options(ctx, p, log, conf)
	if err != nil {
		return err
	}
	s, err := service.New(o, service.Listeners{})
	if err != nil {
		return errors.Join(err, o.Close(ctx))
	}
	return errors.Join(c.serve(ctx, p, s.API(), c.AllowPrivate), s.Close(ctx))
}

// serve speaks the protocol on standard input and output. private lets agents name private addresses.
func (c *mcpCmd) serve(ctx context.Context, p *console.Console, api http.Handler, private bool) error {
	err := agents.NewServer(api, version.Number(), private).Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(p.Stdin), Writer: unclosed{p.Stdout}})
	if left := errors.Is(err, io.EOF) || ctx.Err() != nil; !left {
		return err
	}
	return nil
}

// unclosed leaves standard output open.
type unclosed struct{ io.Writer }

// Close implements io.Closer.
func (unclosed) Close() error { return nil }

// remote is the API of another winnow.
func (c *mcpCmd) remote() (http.Handler, error) {
	to, err := url.Parse(c.Connect)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil, console.Usagef("--connect: %q is not an address that begins with http:// or https://", c.Connect)
	}
	var token string
	if c.ConnectAuth != "" {
		b, err := os.ReadFile(c.ConnectAuth)
		if err != nil {
			return nil, console.Usagef("--connect-auth: %w", err)
		}
		token = strings.TrimSpace(string(b))
	}
	return forward(to, token), nil
}

// forward asks the API of another winnow what it is asked.
func forward(to *url.URL, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host, r.Host, r.RequestURI = to.Scheme, to.Host, "", ""
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			problem.Write(w, http.StatusBadGateway, "the winnow of --connect does not answer: "+err.Error())
			return
		}
		defer resp.Body.Close()
		maps.Copy(w.Header(), resp.Header)
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body) // what is missing makes the answer unreadable
	})
}

// options opens the models, and says how pages are fetched and cleaned. Agents go where strangers' words lead them, so
// that no address of this machine or its network is open to them unless a flag says so.
func (c *mcpCmd) options(ctx context.Context, p *console.Console, log *logs.Log, conf *settings.Parsed) (o service.Options, err error) {
	o = service.Options{Rules: conf.Rules, Detector: c.Detector, Log: logs.Discreet(log.Logger)}
	o.Cleaning = pipeline.Options{Mode: page.ModeMarkdown, PolicyOf: conf.Rules.Policies(policy.Default())}
	if c.NoLearn {
		o.Cleaning.Learn = pipeline.LearnOff
	}
	o.Proxy.AllowPrivate, o.Proxy.AllowTargets = c.AllowPrivate, c.AllowTarget
	if o.Proxy.Upstream, err = c.Proxies(p.Env); err != nil {
		return o, err
	}
	if o.Proxy.UpstreamRoots, err = c.Roots(); err != nil {
		return o, err
	}
	if err := c.CheckFolder(ctx, log.Logger); err != nil {
		return o, err
	}
	o.Models, err = c.Open(ctx, o.Log, cache.Options{FlushEvery: 30 * time.Second}, 0, flags.Fleet{})
	if errors.Is(err, boltstore.ErrLocked) {
		err = fmt.Errorf("%w; or start that one with --api, and give its address to winnow mcp --connect", err)
	}
	if err != nil {
		return o, err
	}
	if o.Proxy.Authority, err = certs.LoadOrCreate(c.Data, time.Now); err != nil {
		return o, errors.Join(flags.Denied(c.Data, err), o.Close(ctx))
	}
	return o, nil
}
