package proxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/attack"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// silent is an origin that takes requests and never answers. It counts the connections that it has.
func (r *world) silent(ip, host string) (authority string, open *atomic.Int64) {
	open = &atomic.Int64{}
	ln := &countingListener{Listener: listen(r.t, ip), open: open}
	done := make(chan struct{})
	s := &http.Server{ErrorLog: discardLog(), TLSConfig: r.origins.TLSConfig(host),
		Protocols: new(http.Protocols), // HTTP/1.1 alone: a connection for each request
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			select {
			case <-done:
			case <-req.Context().Done():
			}
		})}
	s.Protocols.SetHTTP1(true)
	go func() { _ = s.ServeTLS(ln, "", "") }()
	r.t.Cleanup(func() { close(done); s.Close() })
	r.dns.set(host, ip)
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	return net.JoinHostPort(host, port), open
}

type countingListener struct {
	net.Listener
	open *atomic.Int64
}

// Accept implements net.Listener.
func (l *countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.open.Add(1)
	return &countedConn{Conn: c, closed: sync.OnceFunc(func() { l.open.Add(-1) })}, nil
}

type countedConn struct {
	net.Conn
	closed func()
}

// Close implements net.Conn.
func (c *countedConn) Close() error { c.closed(); return c.Conn.Close() }

// answers counts statuses as they come in, until the connection ends.
func answers(h *attack.H2, counts *sync.Map) {
	for {
		e, err := h.Next()
		if err != nil {
			return
		}
		n, _ := counts.LoadOrStore(e.Status, &atomic.Int64{})
		n.(*atomic.Int64).Add(1)
	}
}

// Streams to an origin that says nothing each hold a connection to it. Twelve connections of one client held 3,000.
func TestOneClientHoldsFewOrigins(t *testing.T) {
	t.Parallel()
	g := newGateway(t, nil)
	target, open := g.silent("127.0.1.3", "silent.test")
	page := g.origin("127.0.1.4", articles)
	var counts sync.Map
	var wg sync.WaitGroup
	defer wg.Wait()
	var clients []*attack.H2
	defer func() {
		for _, h := range clients {
			_ = h.Close()
		}
	}()
	for range 12 {
		h := g.framesFrom("127.0.0.2", target, 65535)
		clients = append(clients, h)
		wg.Go(func() { answers(h, &counts) })
		for range 100 {
			if _, err := h.Get(target, "/"); err != nil {
				t.Fatal(err)
			}
		}
	}
	var most int64
	refused := func() int64 {
		most = max(most, open.Load())
		if n, ok := counts.Load("429"); ok {
			return n.(*atomic.Int64).Load()
		}
		return 0
	}
	for end := time.Now().Add(longWait); time.Now().Before(end) && refused() < 1200-256; time.Sleep(5 * time.Millisecond) {
	}
	if most > 256 {
		t.Errorf("one client held %d connections to origins; %d requests were refused", most, refused())
	}
	within(t, longWait, "another client's page", func() {
		if resp, _ := get(t, g.clientFrom("127.0.0.3"), page+"/x", "Accept", "text/html"); resp.StatusCode != http.StatusOK {
			t.Errorf("another client: %s", resp.Status)
		}
	})
}

// Pages that a client asks for and does not read are held for it: one connection turned cleaning off for everybody.
func TestUnreadPagesAreTheirClientsOwn(t *testing.T) {
	t.Parallel()
	g := newGateway(t, func(o *pipeline.Options) { o.Limits.Held, o.Limits.Cleaning = 8<<20, 8 })
	large := "<p>" + strings.Repeat("Long is the coast, and dark the night. ", 10_000) + "</p>"
	u := g.secureOrigin("127.0.1.2", "site.test", func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if req.URL.Path == "/small" {
			fmt.Fprint(w, article("small"))
			return
		}
		fmt.Fprint(w, strings.Replace(article(req.URL.Path), `<div class="legal">`, large+`<div class="legal">`, 1))
	})
	h := g.framesFrom("127.0.0.2", hostPort(u), 0)
	var counts sync.Map
	var wg sync.WaitGroup
	wg.Go(func() { answers(h, &counts) })
	defer func() { _ = h.Close(); wg.Wait() }()
	for i := range 100 {
		if _, err := h.Get(hostPort(u), fmt.Sprint("/", i), "accept", "text/html"); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "many pages are held", func() bool {
		n, ok := counts.Load("200")
		return ok && n.(*atomic.Int64).Load() >= 90
	})
	c := g.clientFrom("127.0.0.3")
	c.Transport.(*http.Transport).TLSClientConfig.RootCAs = g.ca.Pool()
	for range 5 {
		resp, _ := get(t, c, u+"/small", "Accept", "text/html")
		if got := resp.Header.Get("Winnow"); !strings.HasPrefix(got, "cleaned;") {
			t.Errorf("another client's page: Winnow %q", got)
		}
	}
}

// A client that does not read is let go over HTTP/2 as over HTTP/1.1.
func TestUnreadStreamsAreCut(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) {
		o.AllowPrivate, o.AllowPorts, o.Limits.Stall = true, []string{"1-65535"}, 500*time.Millisecond
	})
	u := r.secureOrigin("127.0.1.2", "site.test", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = io.CopyN(w, zeros{}, 1<<20)
	})
	h := r.framesFrom("127.0.0.1", hostPort(u), 0)
	defer func() { _ = h.Close() }()
	stream, err := h.Get(hostPort(u), "/")
	if err != nil {
		t.Fatal(err)
	}
	cut := make(chan attack.Event, 1)
	go func() {
		for {
			e, err := h.Next()
			if err != nil || e.Status == "" {
				cut <- e
				return
			}
		}
	}()
	select {
	case e := <-cut:
		if e.Stream != stream {
			t.Errorf("the connection was cut, not the stream: %+v", e)
		}
	case <-time.After(longWait):
		t.Error("the stream is held")
	}
	// The connection itself goes on.
	if _, err := h.Get(hostPort(u), "/"); err != nil {
		t.Error(err)
	}
}

type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// What counts is the memory that is taken, not the bytes that are in it: an origin that promises a page and sends a
// byte takes as much as one that sends the page.
func TestHeldMemoryIsChargedAsTaken(t *testing.T) {
	t.Parallel()
	g := newGateway(t, func(o *pipeline.Options) { o.Limits.Held, o.Limits.Read = 2<<20, 2*longWait })
	u := g.origin("127.0.1.2", func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", "250000")
		fmt.Fprint(w, "<")
		_ = http.NewResponseController(w).Flush()
		<-req.Context().Done()
	})
	var busy atomic.Int64
	var wg sync.WaitGroup
	const asked = 60
	ctx, leave := context.WithCancel(t.Context())
	for range asked {
		c := g.clientFrom("127.0.0.2")
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			resp, err := c.Do(req)
			if err != nil {
				return // it was held until the end
			}
			defer resp.Body.Close()
			if resp.Header.Get("Winnow") == "passed; reason=busy" {
				busy.Add(1)
			}
		})
	}
	defer wg.Wait()
	defer leave()
	eventually(t, "all bodies of 250,000 bytes but those that 2 MiB hold, which are eight times 256 KiB", func() bool { return busy.Load() >= asked-9 })
}
