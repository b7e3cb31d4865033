package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/accesslog"
	"github.com/winnow-proxy/winnow/proxy/admin"
	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/overrides"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// serviceOptions are what a proxy with its models and admin address is made of.
type serviceOptions struct {
	models       *cache.Models
	overrides    *overrides.Set
	detector     string // that of models, as --detector has it
	authority    *certs.Authority
	mode         page.Mode
	learn        pipeline.LearnPolicy
	roots        *x509.CertPool
	upstream     dial.Proxies
	allowPrivate bool
	allowTargets []string
	bypass       []string
	intercept    []string
	passthrough  time.Duration // 0 for never
	logURLs      bool
	access       accessRules
	limits       limitFlags
	accessLog    accesslog.Options
	// profile serves net/http/pprof at the admin address.
	profile bool
	log     *slog.Logger
}

// closeTimeout is how long models may take to be learned and saved at the end.
const closeTimeout = 30 * time.Second

// errAdmin says that the admin address gave out, which ends the service: unseen, it should not run on.
var errAdmin = errors.New("admin address failed")

// close closes the models, which saves what was learned.
func (o serviceOptions) close(ctx context.Context) error {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := o.models.Close(closing); err != nil {
		return fmt.Errorf("save models: %w", err)
	}
	return nil
}

// service is a proxy with its admin address.
type service struct {
	// options are those in force.
	options         serviceOptions
	listener, admin net.Listener // admin is nil where there is none
	registry        *prometheus.Registry
	metrics         *metrics.Metrics
	server          *proxy.Server
	accessLog       *accesslog.Log
	// adminHandler is that of the options in force.
	adminHandler atomic.Pointer[http.Handler]
	started      time.Time
	// reloads reads the configuration again; nil where there is none.
	reloads func(context.Context) (admin.Reloaded, error)
}

// newService makes a service on its listeners. It serves nobody yet.
func newService(o serviceOptions, listener, adminListener net.Listener) (*service, error) {
	s := &service{options: o, listener: listener, admin: adminListener, registry: prometheus.NewRegistry(), started: time.Now()}
	s.metrics = registerMetrics(s.registry, o.models)
	opts, err := s.proxyOptions(o)
	if err != nil {
		return nil, err
	}
	if s.server, err = proxy.New(opts); err != nil {
		return nil, err
	}
	sink, err := accesslog.Open(o.accessLog)
	if err != nil {
		return nil, usagef("--access-log: %w", err)
	}
	s.accessLog = accesslog.New(sink, o.log, s.metrics.AccessLogLost)
	return s, nil
}

// registerMetrics makes all metrics that there are. The dashboard in contrib shows them.
func registerMetrics(registry prometheus.Registerer, models admin.Models) *metrics.Metrics {
	registry.MustRegister(admin.Collector(models), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return metrics.New(registry)
}

// run serves until ctx ends: then requests are drained, what was observed is learned and models are saved. It closes
// the models in any case. ready is called once clients are served.
func (s *service) run(ctx context.Context, ready func()) (err error) {
	o := s.options
	defer func() { err = errors.Join(err, s.accessLog.Close(), o.close(ctx)) }()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if s.admin != nil {
		adminServer := s.newAdminServer()
		go func() { stop(fmt.Errorf("%w: %w", errAdmin, adminServer.Serve(s.admin))) }()
		// The admin address answers until all is drained, so that readiness probes see what happens.
		defer adminServer.Close() // nothing depends on its connections
	}
	served := make(chan error, 1)
	go func() { served <- s.server.Serve(ctx, s.listener) }()
	if awaitReady(ctx, s.server) {
		ready()
	}
	if err := <-served; err != nil {
		return err
	}
	if cause := context.Cause(ctx); errors.Is(cause, errAdmin) {
		return cause
	}
	return nil
}

// reload puts other options in force, or fails and changes nothing. Models, CA and listeners stay. Calls must not overlap.
func (s *service) reload(o serviceOptions) error {
	o.models, o.authority = s.options.models, s.options.authority
	opts, err := s.proxyOptions(o)
	if err != nil {
		return err
	}
	sink, err := accesslog.Open(o.accessLog)
	if err != nil {
		return usagef("--access-log: %w", err)
	}
	if err := s.server.Reload(opts); err != nil {
		return errors.Join(err, sink.Close())
	}
	if err := s.accessLog.Use(sink); err != nil {
		o.log.Error("the access log was not opened anew", "error", err)
	}
	s.options = o
	if s.admin != nil {
		s.renewAdmin()
	}
	return nil
}

// awaitReady waits the moment until the server has its listener, and reports whether that came before the end.
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

// proxyOptions are the options of the proxy, with a rewriter that is new.
func (s *service) proxyOptions(o serviceOptions) (proxy.Options, error) {
	bypass, err := hostname.ParseSet(o.bypass)
	if err != nil {
		return proxy.Options{}, err
	}
	models := overridden{o.models, o.overrides}
	cleaning := pipeline.Options{Models: models, Mode: o.mode, Learn: o.learn,
		Bypass: bypass.Match, Judge: models.judge(version(), o.detector), Logger: o.log, LogURLs: o.logURLs, Metrics: s.metrics.Pipeline()}
	o.limits.boundRewriter(&cleaning)
	rewriter, err := pipeline.New(cleaning)
	if err != nil {
		return proxy.Options{}, err
	}
	opts := proxy.Options{Listen: s.listener.Addr().String(), Authority: o.authority, CA: o.authority, Rewriter: rewriter,
		UpstreamRoots: o.roots, Upstream: o.upstream, AllowPrivate: o.allowPrivate, AllowTargets: o.allowTargets, Bypass: o.bypass,
		Logger: o.log, Metrics: s.metrics}
	opts.Intercept, opts.Passthrough = o.intercept, o.passthrough
	if o.passthrough == 0 {
		opts.Passthrough = -1
	}
	if s.admin != nil {
		opts.Admin = s.admin.Addr().String()
	}
	if o.accessLog.File != "" {
		opts.Record = s.record
	}
	o.limits.bound(&opts.Limits)
	o.access.guard(&opts)
	return opts, nil
}

// record writes a line to the access log, which outlives configurations.
func (s *service) record(e accesslog.Entry) { s.accessLog.Record(e) }

// newAdminServer makes the server of the admin address.
func (s *service) newAdminServer() *http.Server {
	s.renewAdmin()
	serve := func(w http.ResponseWriter, r *http.Request) { (*s.adminHandler.Load()).ServeHTTP(w, r) }
	return &http.Server{Handler: http.HandlerFunc(serve), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(s.options.log.Handler(), slog.LevelDebug)}
}

// renewAdmin makes the handler of the admin address for the options in force.
func (s *service) renewAdmin() {
	o := s.options
	opts := admin.Options{Models: o.models, Addr: s.admin.Addr().String(), Proxy: s.listener.Addr().String(),
		Passthrough: s.server, Ready: s.server.Ready, Metrics: s.registry, Version: version(), Logger: o.log,
		Reload: s.reloads, Profile: o.profile, Started: s.started}
	o.access.guardAdmin(&opts)
	h := admin.New(opts)
	s.adminHandler.Store(&h)
}
