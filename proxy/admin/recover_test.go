package admin

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
)

// panickyModels is a Models that panics whatever it is asked.
type panickyModels struct{}

// Hosts implements Models.
func (panickyModels) Hosts(context.Context) ([]cache.HostInfo, error) { panic("boom in hosts") }

// Host implements Models.
func (panickyModels) Host(context.Context, string) (cache.HostInfo, error) { panic("boom") }

// Forget implements Models.
func (panickyModels) Forget(context.Context, string) error { panic("boom") }

// Drain implements Models.
func (panickyModels) Drain(context.Context) error { panic("boom") }

// Counters implements Models.
func (panickyModels) Counters() cache.Counters { panic("boom") }

// Health implements Models.
func (panickyModels) Health() cache.Health { return cache.Health{} }

// Sharing implements Models.
func (panickyModels) Sharing() (cache.Sharing, bool) { panic("boom") }

func TestPanicsAreAnswered(t *testing.T) {
	var log strings.Builder
	registry := &prom.Registry{}
	registry.Register(Metrics(panickyModels{}))
	send := serve(t, Options{Models: panickyModels{}, Metrics: registry, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for _, tc := range []struct{ method, path string }{
		{"GET", "/"}, {"GET", "/api/v1/hosts"}, {"GET", "/api/v1/hosts/a.test"}, {"DELETE", "/api/v1/hosts/a.test"},
		{"POST", "/api/v1/drain"},
	} {
		resp, body := send(tc.method, tc.path)
		if resp.StatusCode != 500 || !strings.Contains(body, "its log says what") || strings.Contains(body, "boom") {
			t.Errorf("%s %s: %s %s", tc.method, tc.path, resp.Status, body)
		}
	}
	if resp, _ := send("GET", "/metrics"); resp.StatusCode != 500 {
		t.Errorf("metrics: %s", resp.Status)
	}
	if resp, _ := send("GET", "/healthz"); resp.StatusCode != 200 {
		t.Errorf("afterwards: %s", resp.Status)
	}
	if !strings.Contains(log.String(), "boom in hosts") || !strings.Contains(log.String(), "recover_test.go") {
		t.Errorf("logged: %s", &log)
	}
}
