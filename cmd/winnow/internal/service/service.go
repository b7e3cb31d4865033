// Package service is the service behind winnow serve: a proxy with its models, override rules, admin address and access
// log, which start, reload and end together.
package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/version"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/accesslog"
	"github.com/winnow-proxy/winnow/proxy/admin"
	"github.com/winnow-proxy/winnow/proxy/api"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/icap"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/recent"
	"github.com/winnow-proxy/winnow/proxy/savings"
	"github.com/winnow-proxy/winnow/proxy/sites"
	"github.com/winnow-proxy/winnow/proxy/vintage"
)

// Options are the parts and settings of a service.
type Options struct {
	Models *cache.Models
	// Rules are the override rules; nil means none.
	Rules *sites.Rules
	// Sites are the settings of single sites, which a reload leaves alone; nil means none.
	Sites *sites.Book
	// Devices are the modes that devices want, which a reload leaves alone; nil means none.
	Devices *sites.Devices
	// Detector is the name of the models' detector, with its settings.
	Detector string
	// Proxy, Cleaning and Admin are the settings from the flags. The service sets the fields that connect its parts:
	// models, listeners, loggers, metrics, rewriter and the access log.
	Proxy     proxy.Options
	Cleaning  pipeline.Options
	Admin     admin.Options
	API       api.Options
	ICAP      icap.Options
	AccessLog accesslog.Options
	// Vintage names the old browsers that get pages of their own kind, and the hosts that they reach over plain HTTP.
	Vintage vintage.Options
	Log     *slog.Logger
}

// policyOf returns the policy of the configuration for a host.
func (o Options) policyOf(host string) policy.Policy {
	if o.Cleaning.PolicyOf == nil {
		return policy.Policy{}
	}
	return o.Cleaning.PolicyOf(host)
}

// configured returns what the configuration says of a host, beneath what is set for it.
func (o Options) configured(host string) admin.Configured {
	c := admin.Configured{Mode: o.Cleaning.Mode, Policy: o.policyOf(host)}
	if bypass, err := hostname.ParseSet(o.Proxy.Bypass); err == nil { // it was checked
		c.Bypass = bypass.Match(host)
	}
	if pattern, ok := o.Rules.Pattern(host); ok {
		c.Pattern, c.Rules = pattern, o.Rules.Site(pattern)
	}
	return c
}

// closeTimeout bounds the time to learn queued pages and save models at the end.
const closeTimeout = 30 * time.Second

// errSide says that the server of the admin address or of the API failed. That ends the service: it should not run
// unobserved, or without an API that its operator wants.
var errSide = errors.New("the admin address or the API failed")

// Close closes the models and so saves what was learned.
func (o Options) Close(ctx context.Context) error {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := o.Models.Close(closing); err != nil {
		return fmt.Errorf("save models: %w", err)
	}
	return nil
}

// Listeners are the addresses of a service. All but Proxy may be nil, and Proxy too where only [Service.API] is used.
// Commands is the admin address for winnow's own commands: who can connect there may do everything.
type Listeners struct{ Proxy, Admin, Commands, API, ICAP net.Listener }

// all are those that are open.
func (l Listeners) all() []net.Listener {
	return slices.DeleteFunc([]net.Listener{l.Proxy, l.Admin, l.Commands, l.API, l.ICAP}, func(l net.Listener) bool { return l == nil })
}

// Close closes those that are open.
func (l Listeners) Close() {
	for _, l := range l.all() {
		_ = l.Close() // closed before, where the service ran
	}
}

// Service is a proxy with its admin address and its API.
type Service struct {
	// options are the options in force.
	options   Options
	listeners Listeners
	registry  prom.Registry
	metrics   *metrics.Metrics
	server    *proxy.Server
	adapter   *icap.Server // nil without an address for it
	accessLog *accesslog.Log
	// admin, commands and api are the handlers for the options in force.
	admin, commands, api atomic.Pointer[http.Handler]
	started              time.Time
	savings              *savings.Book
	recent               recent.Book
	// reload reloads the configuration. It is nil if nobody called OnReload.
	reload func(context.Context) (admin.Reloaded, error)
}

// New creates a service on its listeners. It does not serve yet.
func New(o Options, listeners Listeners) (*Service, error) {
	s := &Service{options: o, listeners: listeners, started: time.Now(),
		savings: savings.NewBook(nil)}
	s.metrics = RegisterMetrics(&s.registry, o.Models)
	opts, err := s.proxyOptions(o)
	if err != nil {
		return nil, err
	}
	if s.server, err = proxy.New(opts); err != nil {
		return nil, err
	}
	for _, open := range []func() error{
		s.openICAP, // door: icap
	} {
		if err := open(); err != nil {
			return nil, err
		}
	}
	sink, err := accesslog.Open(o.AccessLog)
	if err != nil {
		return nil, console.Usagef("--access-log: %w", err)
	}
	s.accessLog = accesslog.New(sink, o.Log, s.metrics.AccessLogLost)
	return s, nil
}

// RegisterMetrics registers all metrics. The dashboard in contrib shows them.
func RegisterMetrics(registry *prom.Registry, models admin.Models) *metrics.Metrics {
	for _, source := range []func() []prom.Family{admin.Metrics(models), prom.Runtime, prom.Process} {
		registry.Register(source)
	}
	return metrics.New(registry)
}

// Run serves until ctx ends. Then it drains requests, learns the queued pages and saves the models. It closes the
// models in any case. ready is called once clients are served.
func (s *Service) Run(ctx context.Context, ready func()) (err error) {
	o := s.options
	defer func() { err = errors.Join(err, s.accessLog.Close(), o.Close(ctx)) }()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.renewHandlers()
	// The admin address and the API answer until everything is drained, so that readiness probes see the progress.
	for _, side := range []struct {
		listener net.Listener
		handler  *atomic.Pointer[http.Handler]
		read     time.Duration
	}{
		{s.listeners.Admin, &s.admin, 30 * time.Second}, {s.listeners.Commands, &s.commands, 30 * time.Second},
		{s.listeners.API, &s.api, 0}, // which bounds what it reads itself
	} {
		if side.listener != nil {
			server := s.newSideServer(side.handler, side.read)
			go func() { stop(fmt.Errorf("%w: %w", errSide, server.Serve(side.listener))) }()
			defer server.Close() //nolint:gocritic // at the end of Run: nothing depends on its connections
		}
	}
	if adapter := s.adapter; adapter != nil {
		adapted := make(chan struct{})
		go func() {
			defer close(adapted)
			if err := adapter.Serve(ctx, s.listeners.ICAP); err != nil {
				stop(fmt.Errorf("%w: %w", errSide, err))
			}
		}()
		defer func() { stop(nil); <-adapted }()
	}
	served := make(chan error, 1)
	go func() { served <- s.server.Serve(ctx, s.listeners.Proxy) }()
	if awaitReady(ctx, s.server) {
		ready()
	}
	if err := <-served; err != nil {
		return err
	}
	if cause := context.Cause(ctx); errors.Is(cause, errSide) {
		return cause
	}
	return nil
}

// openICAP makes the ICAP server where there is an address for it.
func (s *Service) openICAP() (err error) {
	if s.listeners.ICAP == nil {
		return nil
	}
	opts := s.options.ICAP
	opts.Clean, opts.Tag, opts.Limits, opts.Logger = s.server.Relay, s.server.Tag, s.options.Proxy.Limits, s.options.Log
	opts.Record = func(e accesslog.Entry) {
		s.metrics.ICAPRequest(e.Method, e.Status)
		s.record(e)
	}
	s.adapter, err = icap.New(opts)
	return err
}

// Reload puts other options into force, or fails and changes nothing. Models, CA and listeners stay. Calls must not
// overlap.
func (s *Service) Reload(o Options) error {
	o.Models, o.Proxy.Authority, o.Proxy.CA = s.options.Models, s.options.Proxy.Authority, s.options.Proxy.CA
	o.Sites, o.Devices = s.options.Sites, s.options.Devices
	opts, err := s.proxyOptions(o)
	if err != nil {
		return err
	}
	sink, err := accesslog.Open(o.AccessLog)
	if err != nil {
		return console.Usagef("--access-log: %w", err)
	}
	if err := s.server.Reload(opts); err != nil {
		return errors.Join(err, sink.Close())
	}
	if err := s.accessLog.Use(sink); err != nil {
		o.Log.Error("the access log could not be reopened", "error", err)
	}
	if s.adapter != nil {
		s.adapter.Stall(o.Proxy.Limits.Stall)
	}
	s.options = o
	s.renewHandlers()
	return nil
}

// awaitReady waits until the server has its listener, and returns false if the server ended first.
func awaitReady(ctx context.Context, server *proxy.Server) bool {
	for server.Ready() != nil {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(time.Millisecond):
		}
	}
	return true
}

// proxyOptions are the options of the proxy, with a new pipeline.
func (s *Service) proxyOptions(o Options) (proxy.Options, error) {
	bypass, err := hostname.ParseSet(o.Proxy.Bypass)
	if err != nil {
		return proxy.Options{}, err
	}
	models := ruledModels{o.Models, o.Rules, o.Sites}
	cleaning := o.Cleaning
	cleaning.Models, cleaning.Judge = models, models.judge(version.Line(), o.Detector)
	cleaning.Bypass = func(host string) bool { return bypass.Match(host) || o.Sites.For(host).Bypass() }
	cleaning.ModeOf = func(host string) (page.Mode, bool) { return o.Sites.For(host).Mode() }
	cleaning.PolicyOf = func(host string) policy.Policy { return o.Sites.For(host).Policy(o.policyOf(host)) }
	cleaning.Logger, cleaning.Metrics = o.Log, pipeline.Counting(s.metrics)
	cleaning.Metrics.Saved = s.savings.Add
	choices := sites.NewChoices(o.Models.Secret("choices"), nil)
	cleaning.Choices = choices
	cleaning.DeviceMode = func(ctx context.Context) (page.Mode, bool) { return o.Devices.Mode(exchange.Device(ctx)) }
	opts := o.Proxy
	for _, hang := range []func(hostname.Set, *pipeline.Options, *proxy.Options) error{
		o.hangVintage, // door: vintage
	} {
		if err := hang(bypass, &cleaning, &opts); err != nil {
			return proxy.Options{}, err
		}
	}
	cleaner, err := pipeline.New(cleaning)
	if err != nil {
		return proxy.Options{}, err
	}
	opts.BypassToo = func(site string) bool { return o.Sites.For(site).Bypass() }
	opts.Pipeline = cleaner
	if l := s.listeners.Proxy; l != nil {
		opts.Listen = l.Addr().String()
	}
	opts.Logger, opts.Metrics, opts.Lessons = o.Log, s.metrics, o.Models
	opts.Choices, opts.Devices = choices, o.Devices
	if o.Sites != nil {
		opts.Rules = o.Sites
	}
	for _, l := range s.listeners.all() {
		if l != s.listeners.Proxy { // the proxy knows its own
			opts.Own = append(opts.Own, l.Addr().String())
		}
	}
	if o.AccessLog.File != "" || s.listeners.Admin != nil {
		opts.Record = s.record
	}
	return opts, nil
}

// hangVintage adds the policy for old browsers. HTTPS that winnow may not open is not offered to them.
func (o Options) hangVintage(bypass hostname.Set, cleaning *pipeline.Options, serving *proxy.Options) error {
	only, err := hostname.ParseSet(o.Proxy.Intercept)
	if err != nil {
		return err
	}
	opts := o.Vintage
	opts.Secret = o.Models.Secret("vintage cookies")
	opts.Except = func(host string) bool {
		return bypass.Match(host) || o.Sites.For(host).Bypass() || len(o.Proxy.Intercept) > 0 && !only.Match(host)
	}
	old, err := vintage.New(opts)
	if err != nil {
		return err
	}
	cleaning.Vintage, serving.Vintage = old.Of, old
	return nil
}

// record writes a line to the access log, which stays across reloads, and shows it at the admin address.
func (s *Service) record(e accesslog.Entry) {
	s.recent.Record(e)
	s.accessLog.Record(e)
}

// newSideServer makes the server of the admin address or of the API.
func (s *Service) newSideServer(handler *atomic.Pointer[http.Handler], read time.Duration) *http.Server {
	serve := func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) }
	return &http.Server{Handler: http.HandlerFunc(serve), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: read,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(s.options.Log.Handler(), slog.LevelDebug)}
}

// renewHandlers creates the handlers of the admin addresses and of the API for the options in force.
func (s *Service) renewHandlers() {
	if l := s.listeners.Admin; l != nil {
		h := s.newAdmin(l.Addr(), s.options.Admin)
		s.admin.Store(&h)
	}
	if l := s.listeners.Commands; l != nil {
		h := s.newAdmin(l.Addr(), admin.Options{Profile: s.options.Admin.Profile})
		s.commands.Store(&h)
	}
	if l := s.listeners.API; l != nil {
		h := s.API()
		s.api.Store(&h)
	}
}

// newAdmin returns the handler of an admin address for the options in force.
func (s *Service) newAdmin(at net.Addr, opts admin.Options) http.Handler {
	opts.Models, opts.Passthrough, opts.Ready, opts.Metrics = s.options.Models, s.server, s.server.Ready, &s.registry
	opts.Late = s.metrics.Late
	opts.Export, opts.Site, opts.Savings = s.options.Models.Export, s.server.ServeSite, s.savings
	opts.Recent, opts.Devices = &s.recent, s.options.Devices
	opts.Sites, opts.Configured = s.options.Sites, s.options.configured
	opts.Addr, opts.Proxy = at.String(), s.listeners.Proxy.Addr().String()
	opts.Version, opts.Logger, opts.Reload, opts.Started = version.Number(), s.options.Log, s.reload, s.started
	return admin.New(opts)
}

// API returns the handler of the API for the options in force. It needs no listener.
func (s *Service) API() http.Handler {
	opts := s.options.API
	opts.Cleaner, opts.Drain, opts.Version, opts.Logger = s.server, s.options.Models.Drain, version.Number(), s.options.Log
	if l := s.listeners.API; l != nil {
		opts.Addr = l.Addr().String()
	}
	return api.New(opts)
}

// Close ends a service that was never run, and saves what was learned.
func (s *Service) Close(ctx context.Context) error {
	s.server.Shutdown(context.WithoutCancel(ctx))
	return errors.Join(s.accessLog.Close(), s.options.Close(ctx))
}
