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
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/version"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/accesslog"
	"github.com/winnow-proxy/winnow/proxy/admin"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/overrides"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// Options are the parts and settings of a service.
type Options struct {
	Models *cache.Models
	// Rules are the override rules; nil means none.
	Rules *overrides.Set
	// Detector is the name of the models' detector, with its settings.
	Detector string
	// Proxy, Cleaning and Admin are the settings from the flags. The service sets the fields that connect its parts:
	// models, listeners, loggers, metrics, rewriter and the access log.
	Proxy     proxy.Options
	Cleaning  pipeline.Options
	Admin     admin.Options
	AccessLog accesslog.Options
	Log       *slog.Logger
}

// closeTimeout bounds the time to learn queued pages and save models at the end.
const closeTimeout = 30 * time.Second

// errAdmin says that the admin server failed. That ends the service, because it should not run unobserved.
var errAdmin = errors.New("admin address failed")

// Close closes the models and so saves what was learned.
func (o Options) Close(ctx context.Context) error {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := o.Models.Close(closing); err != nil {
		return fmt.Errorf("save models: %w", err)
	}
	return nil
}

// Service is a proxy with its admin address.
type Service struct {
	// options are the options in force.
	options         Options
	listener, admin net.Listener // admin is nil where there is none
	registry        *prometheus.Registry
	metrics         *metrics.Metrics
	server          *proxy.Server
	accessLog       *accesslog.Log
	// adminHandler is the handler for the options in force.
	adminHandler atomic.Pointer[http.Handler]
	started      time.Time
	// reload reloads the configuration. It is nil if nobody called OnReload.
	reload func(context.Context) (admin.Reloaded, error)
}

// New creates a service on its listeners. It does not serve yet.
func New(o Options, listener, adminListener net.Listener) (*Service, error) {
	s := &Service{options: o, listener: listener, admin: adminListener, registry: prometheus.NewRegistry(), started: time.Now()}
	s.metrics = RegisterMetrics(s.registry, o.Models)
	opts, err := s.proxyOptions(o)
	if err != nil {
		return nil, err
	}
	if s.server, err = proxy.New(opts); err != nil {
		return nil, err
	}
	sink, err := accesslog.Open(o.AccessLog)
	if err != nil {
		return nil, console.Usagef("--access-log: %w", err)
	}
	s.accessLog = accesslog.New(sink, o.Log, s.metrics.AccessLogLost)
	return s, nil
}

// RegisterMetrics registers all metrics. The dashboard in contrib shows them.
func RegisterMetrics(registry prometheus.Registerer, models admin.Models) *metrics.Metrics {
	registry.MustRegister(admin.Collector(models), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return metrics.New(registry)
}

// Run serves until ctx ends. Then it drains requests, learns the queued pages and saves the models. It closes the
// models in any case. ready is called once clients are served.
func (s *Service) Run(ctx context.Context, ready func()) (err error) {
	o := s.options
	defer func() { err = errors.Join(err, s.accessLog.Close(), o.Close(ctx)) }()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if s.admin != nil {
		adminServer := s.newAdminServer()
		go func() { stop(fmt.Errorf("%w: %w", errAdmin, adminServer.Serve(s.admin))) }()
		// The admin address answers until everything is drained, so that readiness probes see the progress.
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

// Reload puts other options into force, or fails and changes nothing. Models, CA and listeners stay. Calls must not
// overlap.
func (s *Service) Reload(o Options) error {
	o.Models, o.Proxy.Authority, o.Proxy.CA = s.options.Models, s.options.Proxy.Authority, s.options.Proxy.CA
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
	s.options = o
	if s.admin != nil {
		s.renewAdmin()
	}
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
	models := ruledModels{o.Models, o.Rules}
	cleaning := o.Cleaning
	cleaning.Models, cleaning.Bypass, cleaning.Judge = models, bypass.Match, models.judge(version.Line(), o.Detector)
	cleaning.Logger, cleaning.Metrics = o.Log, s.metrics.Pipeline()
	cleaner, err := pipeline.New(cleaning)
	if err != nil {
		return proxy.Options{}, err
	}
	opts := o.Proxy
	opts.Listen, opts.Pipeline = s.listener.Addr().String(), cleaner
	opts.Logger, opts.Metrics = o.Log, s.metrics
	if s.admin != nil {
		opts.Admin = s.admin.Addr().String()
	}
	if o.AccessLog.File != "" {
		opts.Record = s.record
	}
	return opts, nil
}

// record writes a line to the access log, which stays across reloads.
func (s *Service) record(e accesslog.Entry) { s.accessLog.Record(e) }

// newAdminServer makes the server of the admin address.
func (s *Service) newAdminServer() *http.Server {
	s.renewAdmin()
	serve := func(w http.ResponseWriter, r *http.Request) { (*s.adminHandler.Load()).ServeHTTP(w, r) }
	return &http.Server{Handler: http.HandlerFunc(serve), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(s.options.Log.Handler(), slog.LevelDebug)}
}

// renewAdmin creates the handler of the admin address for the options in force.
func (s *Service) renewAdmin() {
	opts := s.options.Admin
	opts.Models, opts.Passthrough, opts.Ready, opts.Metrics = s.options.Models, s.server, s.server.Ready, s.registry
	opts.Export = s.options.Models.Export
	opts.Addr, opts.Proxy = s.admin.Addr().String(), s.listener.Addr().String()
	opts.Version, opts.Logger, opts.Reload, opts.Started = version.Number(), s.options.Log, s.reload, s.started
	h := admin.New(opts)
	s.adminHandler.Store(&h)
}
