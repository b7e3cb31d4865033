//go:build full

package attack_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/internal/attack"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// Flags for longer runs: go test ./proxy/internal/attack -run TestCrowd -attack.for 5m -attack.hostile 200 -timeout 10m
var (
	lasts   = flag.Duration("attack.for", 3*time.Second, "how long the crowd is at the proxy")              //nolint:gochecknoglobals // a flag of go test
	hostile = flag.Int("attack.hostile", 16, "how many hostile clients there are")                          //nolint:gochecknoglobals // a flag of go test
	shipped = flag.Bool("attack.shipped", false, "keep to the times that winnow has by default for a page") //nolint:gochecknoglobals // a flag of go test
	report  = flag.Bool("attack.report", false, "report what the sound clients noticed, rather than fail")  //nolint:gochecknoglobals // a flag of go test
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	goleak.VerifyTestMain(m)
}

// words is a page of the harness's own, with a template and a text that its number decides.
func words(n string, paragraphs int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html><html><head><title>Log %s</title></head><body><ul class="menu"><li><a href="/a">Harbours</a></li>
<li><a href="/b">Tides</a></li><li><a href="/c">Charts</a></li></ul><div class="main"><h1>Log %[1]s</h1>`, n)
	for i := range paragraphs {
		fmt.Fprintf(&b, "<p>On day %d of voyage %s the wind came from another quarter, and all that could be done was to wait for %[1]d hours.</p>\n", i, n)
	}
	b.WriteString(`</div><div class="legal"><p>Printed for the Society of Friends of the Coast.</p></div></body></html>`)
	return b.String()
}

// serve starts a server that ends with the test, and returns its address.
func serve(t *testing.T, ip string, ca *certs.Authority, h http.HandlerFunc) string {
	t.Helper()
	ln, err := net.Listen("tcp", ip+":0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	counted := func(w http.ResponseWriter, r *http.Request) {
		wg.Add(1) // Close does not wait for handlers
		defer wg.Done()
		h(w, r)
	}
	s := &http.Server{Handler: http.HandlerFunc(counted), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	serve := s.Serve
	if ca != nil {
		s.TLSConfig, s.Protocols = ca.TLSConfig(ip), new(http.Protocols)
		s.Protocols.SetHTTP1(true)
		serve = func(ln net.Listener) error { return s.ServeTLS(ln, "", "") }
	}
	wg.Go(func() { _ = serve(ln) })
	t.Cleanup(func() { s.Close(); wg.Wait() })
	return ln.Addr().String()
}

func authority(t *testing.T) *certs.Authority {
	t.Helper()
	a, err := certs.LoadOrCreate(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// gateway starts a proxy that serves others than this machine.
func gateway(t *testing.T, ca, origins *certs.Authority) string {
	t.Helper()
	models := testmodels.New(t)
	quiet := slog.New(slog.DiscardHandler)
	// On a busy machine, under the race detector, the work itself takes seconds. The crowd shows who gets a turn, so a
	// page may wait and take long enough for a turn to be the only thing that it can miss.
	patient := testmodels.Patient()
	if *shipped {
		patient = limits.Limits{}
	}
	cleaner, err := pipeline.New(pipeline.Options{Models: models, Mode: page.ModeRemove, Shared: true, Limits: patient,
		Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	server, err := proxy.New(proxy.Options{Listen: "0.0.0.0:" + port, Authority: ca, Pipeline: cleaner, UpstreamRoots: origins.Pool(),
		AllowPrivate: true, AllowPorts: []string{"1-65535"}, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := server.Serve(ctx, ln); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		stop()
		wg.Wait()
	})
	return ln.Addr().String()
}

// Whatever a crowd of hostile clients does, those who read a page now and then get it, whole and cleaned.
func TestCrowd(t *testing.T) {
	ca, origins := authority(t), authority(t)
	pages := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		paragraphs := 8
		if strings.HasPrefix(r.URL.Path, "/large/") {
			paragraphs = 1500
		}
		_, _ = io.WriteString(w, words(r.URL.Path, paragraphs))
	}
	silent := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-t.Context().Done():
		}
	}
	c := attack.Crowd{Trust: ca.Pool(), Hostile: *hostile, Sound: 10,
		Pages: serve(t, "127.0.1.2", origins, pages), Plain: serve(t, "127.0.1.3", nil, pages),
		Silent: serve(t, "127.0.1.4", origins, silent), Proxy: gateway(t, ca, origins)}
	ctx, cancel := context.WithTimeout(t.Context(), *lasts)
	defer cancel()
	r := c.Run(ctx)
	t.Logf("%d sound requests, %d failed, %d passed, slowest %v; attacks: %v; noticed: %v", r.Asked, r.Failed, r.Passed,
		r.Slowest.Round(time.Millisecond), r.Attacks, r.Noticed)
	if (r.Failed > 0 || r.Passed > 0 || r.Asked < 10) && !*report {
		t.Error("sound clients noticed")
	}
}
