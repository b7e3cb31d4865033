package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/accesslog"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// serveCmd is winnow serve. A flag that is read once, when the program starts, has the tag reload:"restart"; all others
// follow the configuration when it is reloaded, since options and newProxy are gone through again.
type serveCmd struct {
	Listen        string `group:"base" reload:"restart" default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address of the proxy (default: ${default})."`
	Admin         string `group:"base" reload:"restart" default:"127.0.0.1:8081" placeholder:"ADDR" help:"Address of the admin page, API and metrics; empty for none (default: ${default})."`
	storeFlags    `group:"base"`
	ModelMemory   int64         `group:"base" reload:"restart" default:"256" placeholder:"MIB" help:"Memory for host models in MiB (default: ${default})."`
	FlushEvery    time.Duration `group:"base" reload:"restart" default:"30s" placeholder:"TIME" help:"Time between two saves: what a crash may lose (default: ${default})."`
	Mode          page.Mode     `group:"cleaning" default:"remove" placeholder:"MODE" help:"What clients get that don't ask for another form: remove, tag, reader, text, markdown, json or off (default: ${default})."`
	Learn         string        `group:"cleaning" enum:"all,public,off" default:"all" placeholder:"WHAT" help:"Learn from all pages, from public ones (neither private, no-store nor with cookies), or off (default: ${default})."`
	Intercept     []string      `group:"https" placeholder:"HOST" help:"Hosts whose HTTPS is intercepted, if not all: all others are tunnelled. .example.org is the host and its subdomains."`
	Bypass        []string      `group:"https" placeholder:"HOST" help:"Hosts to leave alone: HTTPS is not intercepted, pages are not cleaned. .example.org is the host and its subdomains."`
	Passthrough   time.Duration `group:"https" default:"1h" placeholder:"TIME" help:"How long a host is left alone for a client that refuses its certificate, as apps do that pin certificates; 0 for never (default: ${default})."`
	accessFlags   `group:"access"`
	AllowPrivate  bool     `group:"reach" help:"Let clients reach loopback, private and link-local addresses although the proxy listens on more than loopback."`
	AllowTarget   []string `group:"reach" placeholder:"HOST" help:"Hosts, addresses and networks that clients may reach whatever they are, cloud metadata services included."`
	upstreamFlags `group:"reach"`
	UpstreamCA    string           `group:"reach" name:"upstream-ca" placeholder:"FILE" help:"Certificates in PEM to trust for origins, beside the system's."`
	LogURLs       bool             `group:"logs" reload:"restart" name:"log-urls" help:"Log the names of hosts, and paths (never queries)."`
	AccessLog     string           `group:"logs" placeholder:"FILE" help:"Write a line for each request to this file, - for standard error; with hosts and paths (never queries) where --log-urls is set. SIGHUP opens it anew."`
	AccessFormat  accesslog.Format `group:"logs" name:"access-log-format" enum:"common,combined,json" default:"common" help:"Form of the access log: common, combined or json (default: ${default})."`
	Pprof         bool             `group:"logs" help:"Serve profiles of the running program at the admin address, under /debug/pprof/."`
	limitFlags    `group:"limits"`
}

// serveGroups are the headings of winnow serve --help.
func serveGroups() []kong.Group {
	return []kong.Group{
		{Key: "base", Title: "Addresses, models and memory:"},
		{Key: "cleaning", Title: "Cleaning:"},
		{Key: "https", Title: "HTTPS:"},
		{Key: "access", Title: "Who may use it:"},
		{Key: "reach", Title: "What clients may reach, and how:"},
		{Key: "logs", Title: "Logs and profiles:"},
		{Key: "limits", Title: "Limits:"},
	}
}

// Help gives examples.
func (*serveCmd) Help() string {
	return `Clients use the proxy for http and https. For https they have to trust the CA, which winnow makes on first use: see winnow ca, or open http://winnow.internal/ through the proxy. SIGTERM and SIGINT end requests and save models first. SIGHUP, or POST /api/v1/reload at the admin address, reads --config and the files that flags name again, checks them, and puts them in force without dropping a connection.

Examples:

  winnow serve
  curl --proxy 127.0.0.1:8080 http://example.org/
  winnow serve --listen :8080 --allow-client 192.168.0.0/16,127.0.0.1 --mode tag --learn public
  winnow serve --listen :8080 --password-file users
  WINNOW_DATA=/var/lib/winnow winnow serve --config /etc/winnow.yaml --log-format json`
}

// Run serves until ctx ends.
func (c *serveCmd) Run(ctx context.Context, p *program) error {
	plain := p.log
	if !c.LogURLs {
		p.log = discreet(plain)
	}
	o, err := c.options(p)
	if err != nil {
		return err
	}
	if o.authority, err = certs.LoadOrCreate(c.Data, time.Now); err != nil {
		return err
	}
	listener, err := listen(ctx, "--listen", c.Listen)
	if err != nil {
		return err
	}
	defer listener.Close() // the server closes it; this is for the ways out before it runs
	var admin net.Listener
	if c.Admin != "" {
		if admin, err = listen(ctx, "--admin", c.Admin); err != nil {
			return err
		}
		defer admin.Close() // as above
	}
	c.maxStore = c.StoreSize << 20
	if o.models, err = c.open(ctx, p, cache.Options{MaxBytes: c.ModelMemory << 20, FlushEvery: c.FlushEvery}); err != nil {
		return err
	}
	defer runtime.KeepAlive(headroom())
	boundMemory(c.ModelMemory<<20, c.MaxHeld<<20)
	return c.serve(ctx, p, &reloader{program: p, log: plain, inForce: p.parsed}, o, listener, admin)
}

// serve serves until ctx ends. SIGHUP, and the admin address, have the configuration read again.
func (c *serveCmd) serve(ctx context.Context, p *program, r *reloader, o serviceOptions, listener, admin net.Listener) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	defer signal.Stop(signals)
	s, err := newService(o, listener, admin)
	if err != nil {
		return errors.Join(err, o.close(ctx))
	}
	r.service, s.reloads = s, r.reload
	return s.run(ctx, func() {
		go r.onHangup(ctx, signals)
		c.ready(p, listener, admin)
	})
}

// options checks what the flags say before anything is opened.
func (c *serveCmd) options(p *program) (o serviceOptions, err error) {
	for flag, patterns := range map[string][]string{"--bypass": c.Bypass, "--intercept": c.Intercept} {
		if _, err := hostname.ParseSet(patterns); err != nil {
			return o, usagef("%s: %w", flag, err)
		}
	}
	if c.ModelMemory <= 0 || c.ModelMemory > largest {
		return o, usagef("--model-memory: %d MiB won't do: give 1 to %d", c.ModelMemory, int64(largest))
	}
	if c.FlushEvery <= 0 {
		return o, usagef("--flush-every: %s is not a time to wait", c.FlushEvery)
	}
	if c.Passthrough < 0 {
		return o, usagef("--passthrough: %s is not a time to last; 0 switches it off", c.Passthrough)
	}
	o = serviceOptions{
		intercept: c.Intercept, passthrough: c.Passthrough,
		mode: c.Mode, allowPrivate: c.AllowPrivate, allowTargets: c.AllowTarget, bypass: c.Bypass, logURLs: c.LogURLs,
		learn: map[string]pipeline.LearnPolicy{"all": pipeline.LearnAll, "public": pipeline.LearnPublic, "off": pipeline.LearnOff}[c.Learn],
		log:   p.log, overrides: p.overrides, detector: c.Detector, profile: c.Pprof,
		accessLog: accesslog.Options{File: c.AccessLog, Format: c.AccessFormat, URLs: c.LogURLs, Stderr: p.stderr},
	}
	o.limits = c.limitFlags
	if err := o.limits.check(); err != nil {
		return o, err
	}
	if o.upstream, err = c.proxies(p.env); err != nil {
		return o, err
	}
	if o.access, err = c.rules(c.Listen, c.Admin); err != nil {
		return o, err
	}
	o.roots, err = upstreamRoots(c.UpstreamCA)
	return o, err
}

// upstreamRoots are the system's roots and those of the file; nil stands for the system's alone.
func upstreamRoots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, usagef("--upstream-ca: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("the system's root certificates: %w", err)
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, usagef("--upstream-ca: there is no certificate in PEM in %s", file)
	}
	return roots, nil
}

// listen opens the address that a flag names.
func listen(ctx context.Context, flag, addr string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return nil, usagef("%s: want HOST:PORT or :PORT: %w", flag, err)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return l, nil
}

// ready tells the user, and whoever waits for the line, where the service is.
func (c *serveCmd) ready(p *program, listener, admin net.Listener) {
	at := "none"
	if admin != nil {
		at = "http://" + admin.Addr().String() + "/"
	}
	p.warnf("ready: proxy on %s, admin on %s", listener.Addr(), at)
}
