package service

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// local opens a listener on a port of this machine.
func local(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// options gives what every service needs, with models of its own. Pages are cleaned in mode remove.
func options(t *testing.T) Options {
	t.Helper()
	authority, err := certs.LoadOrCreate(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	detector, err := detectors.ByName("lines", detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	models, err := cache.New(t.Context(), cache.Options{Detector: detector, Key: model.NewKey()})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Models: models, Cleaning: pipeline.Options{Mode: page.ModeRemove}, Log: slog.New(slog.DiscardHandler)}
	o.Proxy.Authority, o.Proxy.CA = authority, authority
	return o
}

// newTestService makes a service that does not serve yet.
func newTestService(t *testing.T, o Options, at Listeners) *Service {
	t.Helper()
	s, err := New(o, at)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runService serves until stop is called. done then gives the result.
func runService(t *testing.T, s *Service) (stop context.CancelFunc, done <-chan error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- s.Run(ctx, func() { close(ready) }) }()
	<-ready
	return stop, ended
}

// status returns the status of an answer of the admin address, or 0 without an answer.
func status(addr, path string) int {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	resp, err := client.Get("http://" + addr + path)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

// While requests are drained, the program is alive but not ready, so that a load balancer sends no more clients.
// Requests under way are completed.
func TestDrainingIsAliveAndNotReady(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "first half, ")
		_ = http.NewResponseController(w).Flush()
		<-release
		fmt.Fprint(w, "second half")
	}))
	defer origin.Close()
	front, admin := local(t), local(t)
	proxyAddr, adminAddr := front.Addr().String(), admin.Addr().String()
	stop, done := runService(t, newTestService(t, options(t), Listeners{Proxy: front, Admin: admin}))
	if status(adminAddr, "/readyz") != http.StatusOK || status(adminAddr, "/healthz") != http.StatusOK {
		t.Fatal("not ready, or not alive, from the start")
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: proxyAddr})}}
	resp, err := client.Get(origin.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()

	stop()
	for end := time.Now().Add(5 * time.Second); status(adminAddr, "/readyz") != http.StatusServiceUnavailable; {
		if time.Now().After(end) {
			t.Fatal("still ready while draining")
		}
	}
	if got := status(adminAddr, "/healthz"); got != http.StatusOK {
		t.Errorf("healthz while draining: %d", got)
	}
	if c, err := net.DialTimeout("tcp", proxyAddr, time.Second); err == nil {
		c.Close()
		t.Error("new clients are taken while draining")
	}
	close(release)
	if got, err := io.ReadAll(resp.Body); err != nil || string(got) != "first half, second half" {
		t.Errorf("what was under way: %q, %v", got, err)
	}
	if err := <-done; err != nil {
		t.Errorf("the end: %v", err)
	}
	if got := status(adminAddr, "/healthz"); got != 0 {
		t.Errorf("healthz after the end: %d", got)
	}
}
