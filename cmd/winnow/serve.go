package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/logs"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/running"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/service"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/accesslog"
	"github.com/winnow-proxy/winnow/proxy/admin"
	"github.com/winnow-proxy/winnow/proxy/api"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/icap"
	"github.com/winnow-proxy/winnow/proxy/pictures"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/portal"
	"github.com/winnow-proxy/winnow/proxy/quorum"
	"github.com/winnow-proxy/winnow/proxy/sites"
	"github.com/winnow-proxy/winnow/proxy/vintage"
)

// serveCmd is winnow serve. A flag with the tag reload:"restart" is read only when the program starts. All others
// follow a reload of the configuration, which calls options again.
type serveCmd struct {
	Listen       string `reload:"restart" default:"127.0.0.1:8080" placeholder:"ADDR" short-help:"Address of the proxy." help:"Address of the proxy (default: ${default})."`
	Admin        string `reload:"restart" default:"127.0.0.1:8081" placeholder:"ADDR" short-help:"Address of the admin page, API and metrics." help:"Address of the admin page, API and metrics, or unix:PATH for a socket that only winnow's own user may open; empty for none (default: ${default})."`
	API          string `reload:"restart" name:"api" placeholder:"ADDR" short-help:"Address of the API for programs." help:"Address of the API for programs: pages, templates and links by HTTP, described in /api/v1/openapi.json; empty for none."`
	APITokenFile string `key:"" hidden:"" name:"api-token-file" placeholder:"FILE" help:"Ask programs for a bearer token from this file, which has a line name:token for each; required where other machines can connect."`
	ICAP         string `reload:"restart" name:"icap" placeholder:"ADDR" short-help:"Address for Squid and other proxies, by ICAP." help:"Address for Squid and other proxies that let winnow clean answers by ICAP, at icap://ADDR/winnow; empty for none."`
	flags.Store
	flags.Fleet
	Memory       int64           `reload:"restart" default:"256" placeholder:"MIB" short-help:"Memory for host models in MiB." help:"Memory for host models in MiB (default: ${default})."`
	Limit        settings.Limits `mapsep:"," placeholder:"NAME=VALUE" short-help:"Bound clients, origins or pages, as in max-body=4." help:"Set a limit, as in max-body=4; may be given more than once. The limits are listed below."`
	FlushEvery   time.Duration   `key:"" hidden:"" reload:"restart" default:"30s" placeholder:"TIME" help:"Time between two saves, and so the most that a crash loses (default: ${default})."`
	StoreAfter   int             `key:"" hidden:"" reload:"restart" placeholder:"N" help:"Number of pages that the model of a new host must learn, from two clients or in visits a minute apart, before it is stored; 1 stores every host at once (default: 3, and 1 where only this machine can connect to --listen, whatever --icap is)."`
	Mode         page.Mode       `default:"auto" placeholder:"MODE" short-help:"What clients get: auto, remove, tag, reader, lite …" help:"What clients get unless they ask for another form: auto (for browsers; programs get remove) or another of ${modes} (default: ${default})."`
	Keep         page.KindSet    `placeholder:"KINDS" short-help:"Kinds of parts that stay: comments, related, toc, nav …" help:"Kinds of parts that stay, separated by commas: comments, related, toc, nav …"`
	Drop         page.KindSet    `placeholder:"KINDS" short-help:"Kinds of parts to remove: byline, date, caption …" help:"Kinds of parts to remove: byline, date, caption, pagination …"`
	Learn        string          `enum:"auto,all,public,off" default:"auto" placeholder:"WHAT" short-help:"What to learn from: auto, all, public or off." help:"What to learn from: all pages, public ones (answers that are neither private nor no-store and set no cookies), or none (off); auto means all where only this machine can connect, and public elsewhere and for what comes by --icap (default: ${default})."`
	LearnQuorum  int             `key:"" hidden:"" default:"1" placeholder:"K" help:"Learn only those parts of a page that K users have seen within hours, or K clients where no password is required; up to 8 (default: ${default})."`
	Feeds        []string        `key:"" hidden:"" placeholder:"HOST" help:"Hosts whose feeds (RSS, Atom, JSON Feed) get the whole text of the pages that their entries link to. .example.org is the host and its subdomains."`
	Bar          string          `key:"" hidden:"" enum:"auto,off" default:"auto" placeholder:"WHEN" help:"In mode auto, add a line with a link to winnow's page about the site at the end of pages that browsers open; or off (default: ${default})."`
	PictureWidth int             `key:"" hidden:"" default:"640" placeholder:"PIXELS" help:"Width of pictures in the modes lite and vintage, where the client asks for no smaller one (default: ${default})."`
	PictureBytes int             `key:"" hidden:"" default:"40000" placeholder:"BYTES" help:"Bytes that a picture may take in the modes lite and vintage, as far as its quality allows (default: ${default})."`
	Vintage      []string        `key:"" hidden:"" placeholder:"CLIENT" help:"Addresses and networks of old browsers, such as 192.168.0.7 or 127.0.0.1: they get pages in mode vintage, and sites that speak HTTPS over plain HTTP, at http://HOST:443/ (default: none)."`
	VintageHosts []string        `key:"" hidden:"" placeholder:"HOST" help:"Hosts that vintage is for (default: all). .example.org is the host and its subdomains."`
	Teach        []string        `key:"" hidden:"" default:"auto" placeholder:"WHO" help:"Who may teach for everybody what is noise on a site, at http://winnow.internal/site/: auto (everybody where only this machine can connect, otherwise nobody), all, off, or names of users. The operator always may, at the admin address (default: ${default})."`
	Intercept    []string        `placeholder:"HOST" short-help:"Hosts whose HTTPS is cleaned (default: all)." help:"Hosts whose HTTPS is intercepted; all others are then tunnelled (default: all hosts). .example.org is the host and its subdomains."`
	Bypass       []string        `placeholder:"HOST" short-help:"Hosts that are left alone." help:"Hosts whose HTTPS is not intercepted and whose pages are not cleaned. .example.org is the host and its subdomains."`
	Passthrough  time.Duration   `default:"1h" placeholder:"TIME" short-help:"How long a refused certificate is respected." help:"How long a host is not intercepted for a program of a client that has refused its certificate, as apps with pinned certificates do; 0 intercepts always (default: ${default})."`
	flags.Access
	AllowPrivate bool     `short-help:"Let clients reach private addresses by any name." help:"Let clients reach loopback and private addresses by any name. Without this flag only clients of this machine may, by address or as localhost, and only where no other machine can connect."`
	AllowTarget  []string `key:"" hidden:"" placeholder:"HOST" help:"Hosts, addresses and networks that clients may always reach, even if they are private or cloud metadata services."`
	flags.Upstream
	LogURLs      bool             `key:"" hidden:"" reload:"restart" name:"log-urls" help:"Log the names of hosts, and paths (never queries)."`
	AccessLog    string           `placeholder:"FILE" short-help:"Write a line for each request; - for standard error." help:"Write a line for each request to this file, - for standard error; with hosts and paths (never queries) if log-urls is set. SIGHUP reopens it."`
	AccessFormat accesslog.Format `key:"" hidden:"" name:"access-log-format" enum:"common,combined,json" default:"common" placeholder:"FORM" help:"Form of the access log: common, combined or json (default: ${default})."`
	Pprof        bool             `key:"" hidden:"" help:"Serve profiles of the running program at the admin address, under /debug/pprof/."`
	flags.Limits `group:"limits"`
}

// Help gives examples.
func (*serveCmd) Help() string {
	return `Clients use the proxy for http and https. For https they have to trust the CA, which winnow creates on first use: see winnow ca, or open http://winnow.internal/ through the proxy. After SIGTERM or SIGINT, winnow finishes requests and saves models before it ends. After SIGHUP, or POST /api/v1/reload at the admin address, it reads --config and the files in its flags again, checks them, and puts them in force without dropping a connection.

Examples:

  winnow serve
  curl --proxy 127.0.0.1:8080 http://example.org/
  winnow serve --listen :8080 --allow-client 192.168.0.0/16,127.0.0.1 --mode tag --learn public
  winnow serve --listen :8080 --password-file users
  WINNOW_DATA=/var/lib/winnow winnow serve --config /etc/winnow.yaml --log-format json`
}

// Run serves until ctx ends.
func (c *serveCmd) Run(ctx context.Context, p *console.Console, log *logs.Log, conf *settings.Parsed) error {
	// The log of clients' actions hides the names of hosts. The log of the configuration shows them.
	shown := log.Logger
	if !c.LogURLs {
		shown = logs.Discreet(log.Logger)
	}
	o, err := c.options(p, conf)
	if err != nil {
		return err
	}
	o.Log = shown
	if err := c.CheckFolder(ctx, log.Logger); err != nil {
		return err
	}
	authority, err := certs.LoadOrCreate(c.Data, time.Now)
	if err != nil {
		return flags.Denied(c.Data, err)
	}
	o.Proxy.Authority, o.Proxy.CA = authority, authority
	listeners, err := c.listeners(ctx)
	if err != nil {
		return err
	}
	defer func() { listeners.Close() }() // the service closes them; this is for returns before it runs
	if o.Models, err = c.Open(ctx, shown, cache.Options{MaxBytes: c.Memory << 20, FlushEvery: c.FlushEvery,
		Admission: c.admission()}, c.StoreSize<<20, c.Fleet); err != nil {
		return err
	}
	if err := c.openChoices(&o); err != nil { // the store is locked
		return errors.Join(err, o.Close(ctx))
	}
	defer runtime.KeepAlive(service.Headroom())
	service.BoundMemory(c.Memory<<20, int64(c.Held))
	listeners.Commands = listenCommands(ctx, shown, c.Data)
	s, err := service.New(o, listeners)
	if err != nil {
		return errors.Join(err, o.Close(ctx))
	}
	announce(ctx, shown, c.Data, listeners.Admin)
	reloader := s.OnReload(log.Logger, rereads(p, log, shown, conf))
	return serve(ctx, p, s, reloader, listeners, o.Admin.Token)
}

// listeners opens the addresses, all or none.
func (c *serveCmd) listeners(ctx context.Context) (l service.Listeners, err error) {
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	if l.Proxy, err = flags.Listen(ctx, "--listen", c.Listen); err != nil {
		return l, err
	}
	if c.Admin != "" {
		if l.Admin, err = flags.ListenAdmin(ctx, "--admin", c.Admin); err != nil {
			return l, err
		}
	}
	if c.API != "" {
		if l.API, err = flags.Listen(ctx, "--api", c.API); err != nil {
			return l, err
		}
	}
	if c.ICAP != "" {
		l.ICAP, err = flags.Listen(ctx, "--icap", c.ICAP)
	}
	return l, err
}

// listenCommands opens the socket for winnow's own commands, once the store is open. Without one, they use the admin
// address and its token: on Windows, where everybody could open it, and where folders have names that are too long.
func listenCommands(ctx context.Context, log *slog.Logger, dir string) net.Listener {
	if runtime.GOOS == "windows" {
		return nil
	}
	l, err := flags.ListenAdmin(ctx, "--data", "unix:"+running.Socket(dir))
	if err != nil {
		log.WarnContext(ctx, "winnow's own commands use the admin address, because there can be no socket for them", "error", err)
		return nil
	}
	return l
}

// openChoices opens what the operator has set for single sites, and what devices have chosen.
func (c *serveCmd) openChoices(o *service.Options) (err error) {
	if o.Sites, err = sites.OpenBook(filepath.Join(c.Data, sites.FileName), nil); err != nil {
		return err
	}
	o.Devices, err = sites.OpenDevices(filepath.Join(c.Data, sites.DevicesFile), o.Models.Secret("devices"), nil)
	return err
}

// serve serves until ctx ends. SIGHUP, and the admin address, have the configuration read again.
// On a terminal, which nobody else reads, it prints a link to the admin page with the token.
func serve(ctx context.Context, p *console.Console, s *service.Service, r *service.Reloader, l service.Listeners, token string) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	defer signal.Stop(signals)
	return s.Run(ctx, func() {
		go r.OnHangup(ctx, signals)
		at := "none"
		if l.Admin != nil {
			if at = "http://" + l.Admin.Addr().String() + "/"; l.Admin.Addr().Network() == "unix" {
				at = "unix:" + l.Admin.Addr().String()
			}
		}
		if l.API != nil {
			at += ", API on http://" + l.API.Addr().String() + "/api/v1/"
		}
		if l.ICAP != nil {
			at += ", ICAP on icap://" + l.ICAP.Addr().String() + "/winnow"
		}
		p.Warnf("ready: proxy on %s, admin on %s", l.Proxy.Addr(), at)
		if console.IsTerminal(p.Stderr) {
			if l.Admin != nil && token != "" {
				p.Warnf("open the admin page at http://winnow:%s@%s/", token, flags.Reachable(l.Admin.Addr().String()))
			}
			invite(p, l.Proxy.Addr().String())
		}
	})
}

// invite prints the address where devices are set up.
func invite(p *console.Console, listen string) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		p.Warnf("this machine's addresses are not known: %v", err)
	}
	to, ok := portal.SetupURL(listen, addrs)
	if !ok {
		p.Warnf("set up this machine at http://%s/", listen)
		return
	}
	p.Warnf("set up devices at %s", to)
	if code, err := portal.CodeText(to); err == nil {
		fmt.Fprint(p.Stderr, code)
	}
}

// announce lets other commands find the admin address of the winnow that has the store open. When ctx ends, it removes
// the address, before another winnow can open the store.
func announce(ctx context.Context, log *slog.Logger, dir string, back net.Listener) {
	addr := ""
	if back != nil {
		if addr = flags.Reachable(back.Addr().String()); back.Addr().Network() == "unix" {
			addr = "unix:" + addr
		}
	}
	withdraw, err := running.Announce(dir, addr)
	if err != nil {
		log.WarnContext(ctx, "winnow models and inspect can't ask this winnow", "error", err)
	}
	context.AfterFunc(ctx, withdraw)
}

// rereads returns a function that reads the configuration again, and checks it. Its calls must not overlap.
func rereads(p *console.Console, log *logs.Log, shown *slog.Logger, inForce *settings.Parsed) func() (service.Next, error) {
	return func() (next service.Next, err error) {
		conf, err := inForce.Again()
		if err != nil {
			return next, err
		}
		next.Changes.Changed, next.Changes.Restart = conf.Changes(inForce)
		if next.Options, err = conf.Command().(*serveCmd).options(p, conf); err != nil {
			return next, err
		}
		next.Options.Log = shown
		next.InForce = func() {
			log.Level.Set(conf.LogLevel)
			inForce = conf
		}
		return next, nil
	}
}

// options checks the flags and returns the options of the service. It opens nothing.
func (c *serveCmd) options(p *console.Console, conf *settings.Parsed) (o service.Options, err error) {
	if err := c.check(); err != nil {
		return o, err
	}
	o = service.Options{Rules: conf.Rules, Detector: c.Detector, Admin: admin.Options{Profile: c.Pprof}}
	o.AccessLog = accesslog.Options{File: c.AccessLog, Format: c.AccessFormat, URLs: c.LogURLs, Stderr: p.Stderr}
	o.Cleaning = pipeline.Options{Mode: c.Mode, Bar: c.Bar == "auto", PolicyOf: conf.Rules.Policies(policy.Default().With(c.Keep, c.Drop)), LogURLs: c.LogURLs,
		Shared: !access.LoopbackOnly(c.Listen) || c.API != "" && !access.LoopbackOnly(c.API), LearnQuorum: c.LearnQuorum,
		Learn: map[string]pipeline.LearnPolicy{"auto": pipeline.LearnAuto, "all": pipeline.LearnAll, "public": pipeline.LearnPublic,
			"off": pipeline.LearnOff}[c.Learn]}
	o.Cleaning.Pictures = pictures.New(pictures.Options{Width: c.PictureWidth, Bytes: c.PictureBytes,
		Wait: c.Limits.Wait, Work: c.Limits.Clean})
	o.Proxy = proxy.Options{AllowPrivate: c.AllowPrivate, AllowTargets: c.AllowTarget, Bypass: c.Bypass, Intercept: c.Intercept,
		Passthrough: c.Passthrough, Feeds: c.Feeds}
	if c.Passthrough == 0 {
		o.Proxy.Passthrough = -1
	}
	o.Vintage = vintage.Options{Clients: c.Vintage, Hosts: c.VintageHosts}
	o.Proxy.MayTeach = c.mayTeach()
	o.Proxy.Limits, o.Cleaning.Limits = c.Limits.Limits, c.Limits.Limits
	if o.Proxy.Upstream, err = c.Proxies(p.Env); err != nil {
		return o, err
	}
	rules, err := c.Rules(c.Listen, c.Admin, c.Data)
	if err != nil {
		return o, err
	}
	rules.Guard(&o.Proxy)
	rules.GuardAdmin(&o.Admin)
	if o.API, err = c.api(); err != nil {
		return o, err
	}
	if o.ICAP, err = c.icap(); err != nil {
		return o, err
	}
	o.Proxy.UpstreamRoots, err = c.Roots()
	return o, err
}

// icap checks the flags of the address for other proxies.
func (c *serveCmd) icap() (o icap.Options, err error) {
	if c.ICAP == "" || access.LoopbackOnly(c.ICAP) {
		return o, nil
	}
	if len(c.AllowClient) == 0 {
		return o, console.Usagef("--icap %s: anybody who can reach this address could teach winnow what is noise: name the proxies "+
			"that may with --allow-client, or use 127.0.0.1", c.ICAP)
	}
	networks, err := access.ParseNetworks(c.AllowClient)
	if err != nil {
		return o, console.Usagef("--allow-client: %w", err)
	}
	o.Admit = networks.Contains
	return o, nil
}

// api checks the flags of the API.
func (c *serveCmd) api() (o api.Options, err error) {
	o.Body = int64(c.Limits.Body)
	if c.APITokenFile != "" {
		if o.Tokens, err = access.LoadTokens(c.APITokenFile); err != nil {
			return o, console.Usagef("api-token-file: %w", err)
		}
	}
	if c.API != "" && o.Tokens == nil && !access.LoopbackOnly(c.API) {
		return o, console.Usagef("--api %s: anybody who can reach this address could fetch pages: ask for tokens with "+
			"api-token-file FILE, or use 127.0.0.1", c.API)
	}
	return o, nil
}

// mayTeach returns a function that says who may teach. By default nobody may where other machines can connect, because
// one client would teach for all.
func (c *serveCmd) mayTeach() func(access.Identity) bool {
	if len(c.Teach) == 1 {
		switch c.Teach[0] {
		case "off":
			return nil
		case "all":
			return func(access.Identity) bool { return true }
		case "auto":
			alone := access.LoopbackOnly(c.Listen)
			return func(access.Identity) bool { return alone }
		}
	}
	return func(id access.Identity) bool { return id.User != "" && slices.Contains(c.Teach, id.User) }
}

// admission is the rule by which the store accepts a new host. Where other machines can connect, a site that one of
// them opens once should neither be stored nor evict another.
func (c *serveCmd) admission() cache.Admission {
	switch {
	case c.StoreAfter == 1, c.StoreAfter == 0 && access.LoopbackOnly(c.Listen):
		return cache.Admission{}
	case c.StoreAfter == 0:
		return cache.DefaultAdmission()
	}
	a := cache.DefaultAdmission()
	a.Pages = c.StoreAfter
	return a
}

// check refuses invalid values of single flags.
func (c *serveCmd) check() error {
	for flag, patterns := range map[string][]string{"--bypass": c.Bypass, "--intercept": c.Intercept, "feeds": c.Feeds, "vintage-hosts": c.VintageHosts} {
		if _, err := hostname.ParseSet(patterns); err != nil {
			return console.Usagef("%s: %w", flag, err)
		}
	}
	if _, err := vintage.New(vintage.Options{Clients: c.Vintage}); err != nil {
		return console.Usagef("vintage: %w", err)
	}
	if len(c.VintageHosts) > 0 && len(c.Vintage) == 0 {
		return console.Usagef("vintage-hosts: name the clients with vintage, such as 127.0.0.1; without it this has no effect")
	}
	if c.Memory <= 0 || c.Memory > flags.Largest {
		return console.Usagef("--memory: %d MiB is not possible: give 1 to %d", c.Memory, int64(flags.Largest))
	}
	for _, who := range c.Teach {
		if len(c.Teach) > 1 && (who == "auto" || who == "all" || who == "off") {
			return console.Usagef("teach: %s can't be combined with other values; list users by name", who)
		}
	}
	for flag, value := range map[string]int{"picture-width": c.PictureWidth, "picture-bytes": c.PictureBytes} {
		if value < 1 {
			return console.Usagef("%s: %d won't do: give 1 or more", flag, value)
		}
	}
	if c.FlushEvery <= 0 {
		return console.Usagef("flush-every: %s is not possible: give a time above 0", c.FlushEvery)
	}
	if c.StoreAfter < 0 {
		return console.Usagef("store-after: %d is not possible: give 1 or more", c.StoreAfter)
	}
	if c.Passthrough < 0 {
		return console.Usagef("--passthrough: %s is not possible: give a time, or 0 to switch it off", c.Passthrough)
	}
	if c.LearnQuorum < 1 || c.LearnQuorum > quorum.Most {
		return console.Usagef("learn-quorum: %d is not possible: give 1 to %d", c.LearnQuorum, quorum.Most)
	}
	if err := c.Fleet.Check(); err != nil {
		return err
	}
	return c.Limits.Check()
}
