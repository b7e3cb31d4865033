package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/admin"
)

// serviceOptions are what a proxy with its models and admin address is made of.
type serviceOptions struct {
	models       *cache.Models
	overrides    *override.Set
	authority    *certs.Authority
	mode         page.Mode
	learn        proxy.LearnPolicy
	roots        *x509.CertPool
	upstream     proxy.UpstreamProxies
	allowPrivate bool
	allowTargets []string
	bypass       []string
	intercept    []string
	passthrough  time.Duration // 0 for never
	logURLs      bool
	access       accessRules
	limits       limitFlags
	log          *slog.Logger
}

// closeTimeout is how long models may take to be learned and saved at the end.
const closeTimeout = 30 * time.Second

// errAdmin says that the admin address gave out, which ends the service: unseen, it should not run on.
var errAdmin = errors.New("admin address failed")

// runService serves the proxy on listener and, unless that is nil, the admin address, until ctx ends: then requests
// are drained, what was observed is learned and models are saved. It closes the models in any case. ready is called
// once clients are served.
func runService(ctx context.Context, o serviceOptions, listener, adminListener net.Listener, ready func()) (err error) {
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		if e := o.models.Close(closing); e != nil {
			err = errors.Join(err, fmt.Errorf("save models: %w", e))
		}
	}()
	registry := prometheus.NewRegistry()
	server, err := newProxy(o, registry, listener, adminListener)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if adminListener != nil {
		adminServer := newAdmin(o, registry, server, listener, adminListener)
		go func() { stop(fmt.Errorf("%w: %w", errAdmin, adminServer.Serve(adminListener))) }()
		// The admin address answers until all is drained, so that readiness probes see what happens.
		defer adminServer.Close() // nothing depends on its connections
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()
	if awaitReady(ctx, server) {
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

// newProxy wires the proxy to its models, with its metrics in registry.
func newProxy(o serviceOptions, registry *prometheus.Registry, listener, adminListener net.Listener) (*proxy.Server, error) {
	metrics := proxy.NewMetrics(registry)
	registry.MustRegister(admin.Collector(o.models), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	bypass, err := proxy.ParseHosts(o.bypass)
	if err != nil {
		return nil, err
	}
	cleaning := proxy.RewriterOptions{Models: overridden{o.models, o.overrides}, Mode: o.mode, Learn: o.learn,
		Bypass: bypass.Match, Logger: o.log, LogURLs: o.logURLs, Metrics: metrics.Rewriter()}
	o.limits.boundRewriter(&cleaning)
	rewriter, err := proxy.NewRewriter(cleaning)
	if err != nil {
		return nil, err
	}
	opts := proxy.Options{Listen: listener.Addr().String(), Authority: o.authority, CA: o.authority, Rewriter: rewriter,
		UpstreamRoots: o.roots, Upstream: o.upstream, AllowPrivate: o.allowPrivate, AllowTargets: o.allowTargets, Bypass: o.bypass,
		Logger: o.log, Metrics: metrics}
	opts.Intercept, opts.Passthrough = o.intercept, o.passthrough
	if o.passthrough == 0 {
		opts.Passthrough = -1
	}
	if adminListener != nil {
		opts.Admin = adminListener.Addr().String()
	}
	o.limits.bound(&opts.Limits)
	o.access.guard(&opts)
	return proxy.New(opts)
}

// newAdmin makes the server of the admin address.
func newAdmin(o serviceOptions, registry *prometheus.Registry, server *proxy.Server, listener, adminListener net.Listener) *http.Server {
	opts := admin.Options{Models: o.models, Addr: adminListener.Addr().String(), Proxy: listener.Addr().String(),
		Passthrough: server, Ready: server.Ready, Metrics: registry, Version: version(), Logger: o.log}
	o.access.guardAdmin(&opts)
	return &http.Server{Handler: admin.New(opts), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(o.log.Handler(), slog.LevelDebug)}
}
