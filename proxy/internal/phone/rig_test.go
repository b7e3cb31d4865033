package phone

import (
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// startProxy starts a proxy that cleans in a mode, and returns its address and a function that waits until all that
// it saw is learned.
func startProxy(t *testing.T, mode page.Mode) (addr string, drain func()) {
	t.Helper()
	models := testmodels.New(t)
	choices := sites.NewChoices(models.Secret("choices"), nil)
	cleaner, err := pipeline.New(pipeline.Options{Models: models, Limits: testmodels.Patient(), Mode: mode, Logger: slog.New(slog.DiscardHandler),
		Bar: true, Choices: choices,
		PolicyOf: func(string) policy.Policy { return policy.Default() }})
	if err != nil {
		t.Fatal(err)
	}
	authority, err := certs.LoadOrCreate(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, err := proxy.New(proxy.Options{Listen: ln.Addr().String(), Authority: authority, Pipeline: cleaner, Lessons: models, Choices: choices, AllowPrivate: true, AllowPorts: []string{"1-65535"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String(), func() {
		if err := models.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// teach fetches pages of a site through the proxy.
func teach(t *testing.T, addr string, s site, pages []string) {
	t.Helper()
	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: addr})}
	defer transport.CloseIdleConnections()
	for _, p := range pages {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+p, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s%s: %s, %v", s.url, p, resp.Status, err)
		}
	}
}

// site is a site on an address of its own.
type site struct {
	name, url string
	// pages are paths.
	pages []string
	// hydrates says that a framework takes the pages over, which then say "taken over".
	hydrates bool
	// routes says that the framework also makes the pages that links lead to.
	routes bool
	// kinds are the kinds of pages of a made site. gold returns the texts of one that stay, and those that go.
	kinds []string
	gold  func(path string) (stays, goes []string)
}

// serveAt serves h at a port of an address of loopback, which is a host of its own.
func serveAt(t *testing.T, address string, h http.Handler) string {
	t.Helper()
	ln, err := net.Listen("tcp", address+":0")
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: ln, Config: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}}
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// serveCoded serves h on an address of its own, with what is text compressed.
func serveCoded(t *testing.T, n int, h http.Handler) string {
	t.Helper()
	return serveAt(t, "127.0.2."+strconv.Itoa(n), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") || strings.HasPrefix(r.URL.Path, "/img/") || r.Header.Get("Range") != "" {
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close() //nolint:errcheck // a client that left needs none
		h.ServeHTTP(codedWriter{w, z}, r)
	}))
}

// codedWriter compresses what is written.
type codedWriter struct {
	http.ResponseWriter
	z *gzip.Writer
}

// Write implements io.Writer.
func (c codedWriter) Write(b []byte) (int, error) {
	if c.Header().Get("Content-Type") == "" {
		c.Header().Set("Content-Type", http.DetectContentType(b))
	}
	return c.z.Write(b)
}

// WriteHeader drops the length, which is another once the content is compressed.
func (c codedWriter) WriteHeader(status int) {
	c.Header().Del("Content-Length")
	c.ResponseWriter.WriteHeader(status)
}
