package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// trap panics in one place of those that call it, as long as it is set.
type trap struct{ in atomic.Value }

func (t *trap) step(where string) {
	if t.in.Load() == where {
		panic("boom in " + where)
	}
}

// trappedDetector is the style tree with a trap in every method, trappedStore a store without anything but one.
type (
	trappedDetector struct {
		styletree.Detector
		*trap
	}
	trappedHost struct {
		model.Host
		*trap
	}
	trappedStore struct{ *trap }
)

func (d trappedDetector) New(k model.Key) model.Host {
	d.step("detector.New")
	return trappedHost{d.Detector.New(k), d.trap}
}

func (h trappedHost) Observe(p *page.Page, v model.Visit) {
	h.step("host.Observe")
	h.Host.Observe(p, v)
}

func (h trappedHost) Mark(p *page.Page, v model.Visit) *page.Marking {
	h.step("host.Mark")
	return h.Host.Mark(p, v)
}

func (h trappedHost) Encode() ([]byte, error) {
	h.step("host.Encode")
	return h.Host.Encode()
}

func (h trappedHost) Stats() model.Stats {
	h.step("host.Stats")
	return h.Host.Stats()
}

func (s trappedStore) Load(_ context.Context, host string) ([]byte, error) {
	s.step("store.Load")
	return nil, fmt.Errorf("%s: %w", host, cache.ErrNotFound)
}
func (s trappedStore) Save(context.Context, map[string][]byte) error {
	s.step("store.Save")
	return nil
}
func (s trappedStore) SetAside(context.Context, string) error { return nil }
func (s trappedStore) Delete(context.Context, string) error   { return nil }
func (s trappedStore) Stat(_ context.Context, host string) (cache.Info, error) {
	return cache.Info{}, fmt.Errorf("%s: %w", host, cache.ErrNotFound)
}
func (s trappedStore) List(context.Context) ([]cache.Info, error) { return nil, nil }
func (s trappedStore) Close() error                               { return nil }

// Whatever panics behind the pipeline, and wherever: the client gets the origin's page, cleaned or as it was, the panic
// is counted and logged, and what comes after is served as if nothing had been.
func TestPanicsBehindThePipeline(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"detector.New", "host.Observe", "host.Mark", "host.Encode", "host.Stats", "store.Load", "store.Save"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			tr, log := &trap{}, &logBuffer{}
			models, err := cache.New(t.Context(), cache.Options{Detector: trappedDetector{trap: tr}, Key: model.NewKey(),
				Store: trappedStore{tr}, FlushEvery: 5 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			r := newWorld(t, func(o *Options) {
				o.Metrics = metrics.New(nil)
				if o.Pipeline, err = pipeline.New(pipeline.Options{Models: models, Limits: testmodels.Patient(), Mode: page.ModeRemove,
					Logger: slog.New(slog.DiscardHandler), Metrics: pipeline.Counting(o.Metrics)}); err != nil {
					t.Fatal(err)
				}
			})
			t.Cleanup(func() { r.end(); _ = models.Close(context.Background()) })
			site := r.secureOrigin("127.0.1.1", "light.test", lighthouses)
			tr.in.Store(where)
			c := r.client(true)
			for range 3 {
				for _, path := range []string{"/lamp", "/fog"} {
					resp, body := getHTML(t, c, site+path)
					if resp.StatusCode != 200 || !strings.Contains(body, "</blockquote>") && !strings.Contains(body, "twenty miles") {
						t.Errorf("%s: %s %q", path, resp.Status, body)
					}
				}
			}
			eventually(t, "counted and logged", func() bool {
				return models.Counters().Panics > 0 && strings.Contains(log.String(), "boom in "+where)
			})
			tr.in.Store("")
			for _, path := range []string{"/lamp", "/fog"} {
				getHTML(t, c, site+path)
				if err := models.Drain(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, "learned again", func() bool {
				resp, _ := get(t, c, site+"/lamp", "Accept", "text/html")
				return strings.HasPrefix(resp.Header.Get("Winnow"), "cleaned;") && !strings.Contains(resp.Header.Get("Winnow"), "pages=0")
			})
		})
	}
}

// panickyAuthority panics when it is asked for a config, or for the certificate in it.
type panickyAuthority struct{ late bool }

func (a panickyAuthority) TLSConfig(string) *tls.Config {
	if !a.late {
		panic("boom")
	}
	return &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { panic("boom") }}
}

// A panic in a connection that was taken over closes it and leaves nothing behind that a shutdown would wait for.
func TestPanicsOfTheAuthorityCostOneConnection(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		r := newWorld(t, func(o *Options) { o.Authority = panickyAuthority{late} })
		c, _, _ := r.connect("site.test:443")
		if err := tls.Client(c, &tls.Config{ServerName: "site.test"}).Handshake(); err == nil {
			t.Error("a handshake without a certificate")
		}
		m := r.server.metrics
		eventually(t, "counted", func() bool { return m.Panics.WithLabelValues("connection").Value() == 1 })
		if n := m.Connections.WithLabelValues("intercepted").Value(); n != 0 || r.server.tunnels.Count() != 0 {
			t.Errorf("%v connections and %d tunnels are left", n, r.server.tunnels.Count())
		}
		if _, body := get(t, r.client(false), r.origin("127.0.1.1", tell)); !strings.HasPrefix(body, "HTTP/1.1 GET") {
			t.Errorf("afterwards: %q", body)
		}
		r.end()
	}
}

// Around the pipeline too, a panic gets an HTTP answer.
func TestPanicsOutsideTheForwardPathAreAnswered(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	r.server.engine = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/begun" {
			fmt.Fprint(w, "half")
			http.NewResponseController(w).Flush() //nolint:errcheck // a test
		}
		panic("boom")
	})
	for line, want := range map[string]int{"GET / HTTP/1.1": 500, "CONNECT site.test:443 HTTP/1.1": 500, "GET /begun HTTP/1.1": 200} {
		c := r.dial()
		fmt.Fprintf(c, "%s\r\nHost: site.test\r\n\r\n", line)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || resp.StatusCode != want {
			t.Errorf("%s: %v, %v", line, resp, err)
			continue
		}
		if _, err := resp.Body.Read(make([]byte, 100)); want == 500 && resp.Header.Get("Winnow") != "failed; reason=internal" {
			t.Errorf("%s: Winnow %q, %v", line, resp.Header.Get("Winnow"), err)
		}
	}
	eventually(t, "counted", func() bool {
		return r.server.metrics.Panics.WithLabelValues("connection").Value() == 3
	})
}
