package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeModels is a Models with two hosts.
type fakeModels struct {
	hosts   []cache.HostInfo
	err     error
	drained atomic.Int64
	listed  atomic.Int64
	looked  atomic.Int64
	block   bool
	health  cache.Health
	shared  *cache.Sharing
}

func newFakeModels() *fakeModels {
	seen := time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC)
	return &fakeModels{hosts: []cache.HostInfo{
		{Host: "a.test", Stats: model.Stats{Pages: 3, Bytes: 1000, LastSeen: seen}, Stored: 200, InMemory: true},
		{Host: "b.test:8443", Stats: model.Stats{Pages: 1, LastSeen: seen.Add(time.Hour)}, Stored: 100},
	}}
}

// Hosts implements Models.
func (m *fakeModels) Hosts(context.Context) ([]cache.HostInfo, error) {
	m.listed.Add(1)
	return append([]cache.HostInfo(nil), m.hosts...), m.err
}

// Host implements Models.
func (m *fakeModels) Host(_ context.Context, host string) (cache.HostInfo, error) {
	m.looked.Add(1)
	for _, h := range m.hosts {
		if h.Host == host {
			return h, m.err
		}
	}
	return cache.HostInfo{}, cmp.Or(m.err, fmt.Errorf("%s: %w", host, cache.ErrNotFound))
}

// Forget implements Models.
func (m *fakeModels) Forget(_ context.Context, host string) error {
	for i, h := range m.hosts {
		if h.Host == host {
			m.hosts = append(m.hosts[:i], m.hosts[i+1:]...)
			return nil
		}
	}
	return fmt.Errorf("%s: %w", host, cache.ErrNotFound)
}

// Drain implements Models.
func (m *fakeModels) Drain(ctx context.Context) error {
	if m.block {
		<-ctx.Done()
		return ctx.Err()
	}
	m.drained.Add(1)
	return m.err
}

// Counters implements Models.
func (m *fakeModels) Counters() cache.Counters {
	return cache.Counters{Learned: 42, Queue: 7}
}

// Health implements Models.
func (m *fakeModels) Health() cache.Health { return m.health }

// Sharing implements Models.
func (m *fakeModels) Sharing() (cache.Sharing, bool) {
	if m.shared == nil {
		return cache.Sharing{}, false
	}
	return *m.shared, true
}

// serve starts the handler on a real socket and returns a function that sends requests to it.
func serve(t *testing.T, o Options) func(method, path string, header ...string) (*http.Response, string) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	if o.Addr == "" {
		o.Addr = s.Listener.Addr().String()
	}
	s.Config.Handler = New(o)
	s.Start()
	t.Cleanup(s.Close)
	return func(method, path string, header ...string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequest(method, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
			if header[i] == "Host" {
				req.Host = header[i+1]
			}
		}
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(body)
	}
}

func TestHealthAndReadinessAreApart(t *testing.T) {
	var ready error
	send := serve(t, Options{Models: newFakeModels(), Ready: func() error { return ready }})
	for _, tc := range []struct {
		err  error
		want int
	}{{nil, 200}, {errors.New("the proxy is shutting down"), 503}} {
		ready = tc.err
		if resp, body := send("GET", "/readyz"); resp.StatusCode != tc.want || tc.err != nil && !strings.Contains(body, tc.err.Error()) {
			t.Errorf("readyz: %s %s", resp.Status, body)
		}
		if resp, _ := send("GET", "/healthz"); resp.StatusCode != 200 {
			t.Errorf("healthz: %s", resp.Status)
		}
	}
	send = serve(t, Options{Models: newFakeModels(), Late: func() string { return "3 times" }})
	if _, body := send("GET", "/readyz"); !strings.Contains(body, `"late":"3 times"`) {
		t.Errorf("late work is not told: %s", body)
	}
}

// A store that can't be written is told wherever one may look, while clients are still sent here; who has no password
// does not see where the store is.
func TestAStoreThatFailsIsTold(t *testing.T) {
	models, registry := newFakeModels(), &prom.Registry{}
	registry.Register(Metrics(models))
	send := serve(t, Options{Models: models, Metrics: registry})
	body := func(path string) string {
		resp, body := send("GET", path)
		if resp.StatusCode != 200 {
			t.Errorf("%s: %s", path, resp.Status)
		}
		return body
	}
	for path, word := range map[string]string{"/readyz": "degraded", "/": "can't be saved", "/metrics": "\nwinnow_store_failing 1\n"} {
		if got := body(path); strings.Contains(got, word) {
			t.Errorf("%s before anything failed: %s", path, got)
		}
	}
	since := time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC)
	models.health = cache.Health{Since: since, LastWrite: since.Add(-time.Minute),
		Err: fmt.Errorf("save 3 host models: %w", &fs.PathError{Op: "write", Path: "/var/secret/models.db", Err: syscall.ENOSPC})}
	for path, words := range map[string][]string{
		"/readyz":  {`"status":"degraded"`, "no space left on device", `"since":"2026-11-20T07:00:00Z"`},
		"/":        {"can't be saved", "no space left on device", "/var/secret/models.db", "2026-11-20 07:00", "2026-11-20 06:59"},
		"/metrics": {"winnow_store_failing 1\n", "winnow_store_last_write_timestamp_seconds 1.79515794e+09\n"},
	} {
		got := body(path)
		for _, word := range words {
			if !strings.Contains(got, word) {
				t.Errorf("%s does not say %q: %s", path, word, got)
			}
		}
		if path == "/readyz" && strings.Contains(got, "secret") {
			t.Errorf("%s names the file: %s", path, got)
		}
	}
}

func TestHostsAPI(t *testing.T) {
	send := serve(t, Options{Models: newFakeModels()})
	var list struct{ Hosts []map[string]any }
	_, body := send("GET", "/api/v1/hosts")
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Hosts) != 2 {
		t.Fatalf("%s: %v", body, err)
	}
	for _, key := range []string{"host", "pages", "bytes", "last_seen"} {
		if _, ok := list.Hosts[0][key]; !ok {
			t.Errorf("no %s in %v", key, list.Hosts[0])
		}
	}
	for _, tc := range []struct {
		method, path string
		status       int
		holds        string
	}{
		{"GET", "/api/v1/hosts/a.test", 200, `"pages":3`},
		{"GET", "/api/v1/hosts/A.test", 200, `"pages":3`},
		{"GET", "/api/v1/hosts/b.test:8443", 200, `"pages":1`},
		{"GET", "/api/v1/hosts/c.test", 404, `"error"`},
		{"DELETE", "/api/v1/hosts/c.test", 404, `"error"`},
		{"DELETE", "/api/v1/hosts/a.test", 204, ""},
		{"GET", "/api/v1/hosts/a.test", 404, `"error"`},
		{"GET", "/api/v1/nothing", 404, `"error"`},
		{"POST", "/api/v1/hosts", 405, `"error"`},
		{"PUT", "/api/v1/hosts/b.test:8443", 405, `"error"`},
		{"GET", "/api/v1/drain", 405, `"error"`},
		{"DELETE", "/healthz", 405, `"error"`},
	} {
		resp, body := send(tc.method, tc.path)
		if resp.StatusCode != tc.status || !strings.Contains(body, tc.holds) {
			t.Errorf("%s %s: %s %s", tc.method, tc.path, resp.Status, body)
		}
		if tc.status >= 400 && resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %s", tc.method, tc.path, resp.Header.Get("Content-Type"))
		}
		if tc.status == 405 && resp.Header.Get("Allow") == "" {
			t.Errorf("%s %s: no Allow", tc.method, tc.path)
		}
	}
}

func TestEmptyListIsAList(t *testing.T) {
	send := serve(t, Options{Models: &fakeModels{}})
	if _, body := send("GET", "/api/v1/hosts"); strings.TrimSpace(body) != `{"hosts":[]}` {
		t.Error(body)
	}
}

func TestErrorsOfTheModelsAreAnswered(t *testing.T) {
	m := newFakeModels()
	m.err = errors.New("the store is on fire")
	send := serve(t, Options{Models: m})
	for _, tc := range [][2]string{{"GET", "/"}, {"GET", "/api/v1/hosts"}, {"GET", "/api/v1/hosts/a.test"}, {"POST", "/api/v1/drain"}} {
		if resp, body := send(tc[0], tc[1]); resp.StatusCode != 500 || !strings.Contains(body, "on fire") {
			t.Errorf("%v: %s %s", tc, resp.Status, body)
		}
	}
}

func TestDrain(t *testing.T) {
	m := newFakeModels()
	send := serve(t, Options{Models: m})
	if resp, body := send("POST", "/api/v1/drain"); resp.StatusCode != 200 || !strings.Contains(body, `"learned":42`) || m.drained.Load() != 1 {
		t.Errorf("%s %s, drained %d times", resp.Status, body, m.drained.Load())
	}
}

// A client that gives up ends the wait for it.
func TestDrainEndsWithItsClient(t *testing.T) {
	m := newFakeModels()
	m.block = true
	s := httptest.NewServer(New(Options{Models: m}))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/v1/drain", nil)
	if _, err := s.Client().Do(req); err == nil {
		t.Error("an answer came")
	}
	s.Close() // waits for the handler
}

func TestForeignNamesAreRefused(t *testing.T) {
	send := serve(t, Options{Models: newFakeModels(), Names: []string{"box.lan"}})
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8081": 200, "LOCALHOST": 200, "winnow.localhost": 200, "127.0.0.1": 200, "127.8.8.8:1": 200,
		"[::1]:8081": 200, "box.lan": 200, "Box.lan:8081": 200,
		"evil.test": 421, "localhost.evil.test": 421, "192.168.1.1": 421, "127.0.0.1.evil.test": 421, "169.254.169.254": 421,
	} {
		for _, path := range []string{"/healthz", "/api/v1/hosts", "/"} {
			if resp, body := send("GET", path, "Host", host); resp.StatusCode != want {
				t.Errorf("Host %s: %s: %s %s", host, path, resp.Status, body)
			}
		}
	}
	configured := serve(t, Options{Models: newFakeModels(), Addr: "admin.lan:8081"})
	if resp, _ := configured("GET", "/healthz", "Host", "admin.lan:8081"); resp.StatusCode != 200 {
		t.Errorf("the configured name: %s", resp.Status)
	}
}

func TestOtherSitesCanDoNothing(t *testing.T) {
	m := newFakeModels()
	send := serve(t, Options{Models: m})
	for _, h := range [][]string{{"Origin", "http://evil.test"}, {"Sec-Fetch-Site", "cross-site"}, {"Origin", "null"}} {
		if resp, _ := send("POST", "/api/v1/drain", h...); resp.StatusCode != 403 {
			t.Errorf("%v: drain: %s", h, resp.Status)
		}
		if resp, _ := send("DELETE", "/api/v1/hosts/a.test", h...); resp.StatusCode != 403 || len(m.hosts) != 2 {
			t.Errorf("%v: forget: %s", h, resp.Status)
		}
		resp, _ := send("GET", "/api/v1/hosts", h...)
		for name := range resp.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%v: %s", h, name)
			}
		}
	}
	if m.drained.Load() != 0 {
		t.Error("something was set off")
	}
}

// Whether a host is known is not told to a page of another site by what loads and what fails there, and links lead here
// all the same.
func TestOtherSitesCannotProbe(t *testing.T) {
	send := serve(t, Options{Models: newFakeModels()})
	for _, path := range []string{"/api/v1/hosts/a.test", "/api/v1/hosts/unknown.test", "/hosts/a.test", "/hosts/unknown.test", "/", "/live.js"} {
		for _, site := range []string{"cross-site", "same-site"} {
			for mode, dest := range map[string]string{"no-cors": "image", "cors": "empty", "navigate": "iframe"} {
				if resp, _ := send("GET", path, "Sec-Fetch-Site", site, "Sec-Fetch-Mode", mode, "Sec-Fetch-Dest", dest); resp.StatusCode != 403 {
					t.Errorf("%s as %s of a %s page: %s", path, dest, site, resp.Status)
				}
			}
		}
	}
	for _, h := range [][]string{{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
		{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"}, nil} {
		if resp, _ := send("GET", "/hosts/a.test", h...); resp.StatusCode != 200 || resp.Header.Get("Cross-Origin-Opener-Policy") != "same-origin" {
			t.Errorf("%v: %s", h, resp.Status)
		}
	}
}

func TestStatusPage(t *testing.T) {
	m := newFakeModels()
	m.hosts = append(m.hosts, cache.HostInfo{Host: "<script>.test"})
	for i := range statusHosts {
		m.hosts = append(m.hosts, cache.HostInfo{Host: fmt.Sprintf("h%03d.test", i)})
	}
	send := serve(t, Options{Models: m, Version: "v1.2.3", Proxy: "127.0.0.1:8080", Ready: func() error { return errors.New("starting") }})
	resp, body := send("GET", "/")
	for _, want := range []string{"v1.2.3", "127.0.0.1:8080", "Not ready: starting", "42", "a.test", "2026-11-20 08:00 UTC", "and 3 more"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	policy := resp.Header.Get("Content-Security-Policy")
	if strings.Count(body, "<script") != 1 || !strings.Contains(body, `<script src="/live.js" defer></script>`) || !strings.Contains(policy, "script-src 'self'") ||
		strings.Contains(policy, "unsafe") {
		t.Error("the page is open to script")
	}
	if strings.Index(body, "b.test:8443") > strings.Index(body, ">a.test") {
		t.Error("the host seen last does not come first")
	}
}

func TestMetricsHaveBoundedLabels(t *testing.T) {
	reg := &prom.Registry{}
	m := newFakeModels()
	metrics := metrics.New(reg)
	hooks := pipeline.Counting(metrics)
	hooks.Count("passed", pipeline.ReasonNoTransform)
	hooks.Duration("parse", time.Millisecond)
	hooks.Bytes(100, 40)
	reg.Register(Metrics(m))
	send := serve(t, Options{Models: m, Metrics: reg})
	resp, body := send("GET", "/metrics")
	for _, want := range []string{"winnow_pages_learned_total 42", "winnow_learn_queue_pages 7", `winnow_page_bytes_total{direction="out"} 40`,
		`winnow_responses_total{outcome="passed",reason="no-transform"} 1`, `winnow_responses_total{outcome="passed",reason="panic"} 0`,
		`winnow_stage_seconds_count{stage="parse"} 1`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s: no %q in the metrics", resp.Status, want)
		}
	}
	if strings.Contains(body, ".test") {
		t.Error("a host name is in the metrics")
	}
	without := serve(t, Options{Models: m})
	if resp, _ := without("GET", "/metrics"); resp.StatusCode != 404 {
		t.Errorf("without a registry: %s", resp.Status)
	}
}

func TestPAC(t *testing.T) {
	send := serve(t, Options{Models: newFakeModels(), Proxy: "0.0.0.0:8080"})
	resp, body := send("GET", "/proxy.pac")
	if !strings.Contains(body, `"PROXY 127.0.0.1:8080"`) || resp.Header.Get("Content-Type") != "application/x-ns-proxy-autoconfig" {
		t.Errorf("%v %s", resp.Header, body)
	}
}

func TestHeadIsAnswered(t *testing.T) {
	send := serve(t, Options{Models: newFakeModels()})
	if resp, body := send("HEAD", "/healthz"); resp.StatusCode != 200 || body != "" {
		t.Errorf("%s %q", resp.Status, body)
	}
}

// A request for one host reads that one, not the whole store.
func TestOneHostIsReadByItsName(t *testing.T) {
	m := newFakeModels()
	send := serve(t, Options{Models: m})
	for _, method := range []string{"GET", "DELETE", "GET"} {
		send(method, "/api/v1/hosts/a.test")
	}
	if m.listed.Load() != 0 || m.looked.Load() != 3 {
		t.Errorf("%d listings, %d looks at one host, want 0 and 3", m.listed.Load(), m.looked.Load())
	}
}
