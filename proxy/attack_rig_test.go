package proxy

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/attack"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// The files attack_*_test.go are what adversaries have tried, over real sockets: each failed to hold once.

// gateway is a world that serves others than this machine, with the default detector.
type gateway struct {
	*world
	models *cache.Models
}

// newGateway starts one. Its origins are on this machine, which its rules permit.
func newGateway(t *testing.T, cleaning func(*pipeline.Options)) *gateway {
	t.Helper()
	models := testmodels.New(t)
	o := pipeline.Options{Models: models, Limits: testmodels.Patient(), Mode: page.ModeRemove, Shared: true, Logger: slog.New(slog.DiscardHandler)}
	if cleaning != nil {
		cleaning(&o)
	}
	rw, err := pipeline.New(o)
	if err != nil {
		t.Fatal(err)
	}
	permit := func(o *Options) { o.Pipeline, o.AllowPrivate, o.AllowPorts = rw, true, []string{"1-65535"} }
	return &gateway{world: newWorld(t, outside, permit), models: models}
}

// dialFrom connects to the proxy from one of this machine's addresses, which makes a client of its own.
func (r *world) dialFrom(ip string) net.Conn {
	r.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}, Timeout: longWait}
	c, err := d.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	return c
}

// clientFrom is client from one of this machine's addresses.
func (r *world) clientFrom(ip string) *http.Client {
	c := r.client(false)
	tr := c.Transport.(*http.Transport)
	tr.DialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}).DialContext
	tr.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: r.addr})
	return c
}

// framesFrom opens HTTP/2 within CONNECT to target from one of this machine's addresses.
func (r *world) framesFrom(ip, target string, window uint32) *attack.H2 {
	r.t.Helper()
	c := r.dialFrom(ip)
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
	var answer [39]byte // HTTP/1.1 200 Connection established
	if _, err := c.Read(answer[:]); err != nil || !strings.HasPrefix(string(answer[:]), "HTTP/1.1 200") {
		r.t.Fatalf("CONNECT %s: %q, %v", target, answer, err)
	}
	tc := tls.Client(c, &tls.Config{RootCAs: r.ca.Pool(), ServerName: hostname.WithoutPort(target), NextProtos: []string{"h2"}})
	if err := tc.Handshake(); err != nil {
		r.t.Fatal(err)
	}
	h, err := attack.OpenH2(tc, window)
	if err != nil {
		r.t.Fatal(err)
	}
	return h
}

// drain waits until all that was observed has been learned.
func (g *gateway) drain() {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*longWait)
	defer cancel()
	if err := g.models.Drain(ctx); err != nil {
		g.t.Fatal(err)
	}
}

// within fails the test where f takes longer.
func within(t *testing.T, d time.Duration, what string, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > d {
		t.Errorf("%s took %v", what, took)
	}
}

// article is a page of a site with a template, whose own text is told apart by name.
func article(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html><html><head><title>%s</title></head><body>
<ul class="menu"><li><a href="/1">Harbours of the north</a></li><li><a href="/2">Tide tables</a></li><li><a href="/3">Buy a chart</a></li></ul>
<div class="main"><h1>%[1]s</h1>`, name)
	for i := range 8 {
		fmt.Fprintf(&b, "<p>Paragraph %d of %s tells, at some length and in words of its own (%[2]s, again), what the keeper of the light "+
			"wrote into his book on the night of the %[1]dth, when the wind had turned and no ship was to be seen.</p>\n", i+1, name)
	}
	b.WriteString(`</div><div class="legal"><p>Printed for the Society of Friends of the Coast. All lights reserved.</p></div></body></html>`)
	return b.String()
}

// articles serves article by path.
func articles(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, article(strings.TrimPrefix(r.URL.Path, "/")))
}

// stubProxy is an upstream proxy that notes what it is asked for, and goes nowhere: tests of what must be refused
// connect to nothing beyond this machine, even where they fail.
type stubProxy struct {
	server *httptest.Server
	mu     sync.Mutex
	asked  []string
}

func newStubProxy(t *testing.T) *stubProxy {
	t.Helper()
	p := &stubProxy{}
	p.server = httptest.NewServer(p)
	t.Cleanup(p.server.Close)
	return p
}

// ServeHTTP implements http.Handler.
func (p *stubProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r.Method+" "+r.RequestURI)
	w.Header().Set("X-Stub", "1")
}

func (p *stubProxy) took() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// option has a world go through the stub.
func (p *stubProxy) option(o *Options) {
	u := &url.URL{Scheme: "http", Host: p.server.Listener.Addr().String()}
	o.Upstream = dial.Proxies{HTTP: u, HTTPS: u}
}
