package proxy

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/limits"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// bothEntrances runs f with a connection to the proxy's listener and with one that it intercepts.
func bothEntrances(t *testing.T, r *world, f func(t *testing.T, c net.Conn, base, host string)) {
	t.Helper()
	hello := func(w http.ResponseWriter, req *http.Request) {
		n, _ := io.Copy(io.Discard, req.Body)
		fmt.Fprint(w, "got ", n)
	}
	plain, secure := r.origin("127.0.1.1", hello), r.secureOrigin("127.0.1.2", "site.test", hello)
	t.Run("plain", func(t *testing.T) { f(t, r.dial(), plain, hostPort(plain)) })
	t.Run("intercepted", func(t *testing.T) { f(t, r.secure(hostPort(secure)), "", hostPort(secure)) })
}

// goproxy took a header line of 64 MiB inside an intercepted connection.
func TestHeaderFloodIsRefused(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.HeaderBytes = 32 << 10 })
	bothEntrances(t, r, func(t *testing.T, c net.Conn, base, host string) {
		fmt.Fprintf(c, "GET %s/ HTTP/1.1\r\nHost: %s\r\nX-Flood: ", base, host)
		chunk := []byte(strings.Repeat("x", 8<<10))
		sent := 0
		for err := error(nil); err == nil && sent < 8<<20; sent += len(chunk) {
			_, err = c.Write(chunk)
		}
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil && resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("got %s after %d bytes", resp.Status, sent)
		}
		if err != nil && sent >= 8<<20 {
			t.Errorf("%d bytes were taken: %v", sent, err)
		}
	})
}

func TestSlowHeadersAreCut(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Header, o.Limits.Idle = 300*time.Millisecond, 300*time.Millisecond })
	bothEntrances(t, r, func(t *testing.T, c net.Conn, base, host string) {
		start := time.Now()
		fmt.Fprintf(c, "GET %s/ HTTP/1.1\r\nHost: %s\r\n", base, host)
		var err error
		for err == nil && time.Since(start) <= longWait {
			time.Sleep(20 * time.Millisecond)
			_, err = fmt.Fprint(c, "X: y\r\n")
		}
		if d := time.Since(start); d > longWait {
			t.Errorf("held for %v", d)
		}
	})
}

func TestIdleConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Header, o.Limits.Idle = 300*time.Millisecond, 300*time.Millisecond })
	bothEntrances(t, r, func(t *testing.T, c net.Conn, base, host string) {
		fmt.Fprintf(c, "GET %s/ HTTP/1.1\r\nHost: %s\r\n\r\n", base, host)
		br := bufio.NewReader(c)
		if _, err := http.ReadResponse(br, nil); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := io.Copy(io.Discard, br); time.Since(start) > longWait {
			t.Errorf("open for %v: %v", time.Since(start), err)
		}
	})
}

func TestSlowBodiesAreCut(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Stall = 150 * time.Millisecond })
	bothEntrances(t, r, func(t *testing.T, c net.Conn, base, host string) {
		start := time.Now()
		fmt.Fprintf(c, "POST %s/ HTTP/1.1\r\nHost: %s\r\nContent-Length: 100\r\n\r\nsome", base, host)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || resp.StatusCode != http.StatusRequestTimeout || time.Since(start) > longWait {
			t.Errorf("after %v: %v, %v", time.Since(start), resp, err)
		}
	})
}

func TestSlowBodyOverHTTP2IsCut(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Stall = 150 * time.Millisecond })
	u := r.secureOrigin("127.0.1.2", "site.test", func(_ http.ResponseWriter, req *http.Request) { _, _ = io.Copy(io.Discard, req.Body) })
	body, feed := io.Pipe()
	defer func() { _ = feed.Close() }()
	go fmt.Fprint(feed, "some")
	req, _ := http.NewRequest(http.MethodPost, u, body)
	if resp, text := do(t, r.client(true), req); resp.StatusCode != http.StatusRequestTimeout || resp.ProtoMajor != 2 {
		t.Errorf("got %s: %s", resp.Status, text)
	}
}

// Bodies that nobody asks for are read by net/http before it answers.
func TestSlowBodiesOfRefusedRequestsAreCut(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Stall = 150 * time.Millisecond })
	closed := listen(t, "127.0.1.3")
	closed.Close()
	for _, tc := range []struct {
		line   string
		status int
	}{
		{"POST http://" + closed.Addr().String() + "/ HTTP/1.1", 502}, {"POST http://169.254.169.254/ HTTP/1.1", 403},
		{"POST /proxy.pac HTTP/1.1", 405}, {"POST ftp://x.test/ HTTP/1.1", 400},
	} {
		start := time.Now()
		c := r.dial()
		fmt.Fprintf(c, "%s\r\nHost: x\r\nContent-Length: 100\r\n\r\nsome", tc.line)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || resp.StatusCode != tc.status || time.Since(start) > longWait {
			t.Errorf("%s: after %v: %v, %v", tc.line, time.Since(start), resp, err)
		}
	}
}

// A deadline on reading the body must not outlive it: net/http reads on while the answer is made, and would take an
// expired deadline for a client that has left.
func TestSlowAnswersOutliveTheBodysDeadline(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Stall = 150 * time.Millisecond })
	u := r.origin("127.0.1.1", func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		time.Sleep(500 * time.Millisecond)
		fmt.Fprint(w, "late")
	})
	req, _ := http.NewRequest(http.MethodPost, u, strings.NewReader("body"))
	if resp, body := do(t, r.client(false), req); body != "late" {
		t.Errorf("got %s %q", resp.Status, body)
	}
}

func TestClientThatStopsReadingIsCut(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Stall = 200 * time.Millisecond })
	gone := make(chan struct{})
	u := r.origin("127.0.1.1", func(w http.ResponseWriter, _ *http.Request) {
		defer close(gone)
		chunk := make([]byte, 64<<10)
		for end := time.Now().Add(longWait); time.Now().Before(end); {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
		t.Error("the origin was read to the end")
	})
	c := r.dial()
	fmt.Fprintf(c, "GET %s/ HTTP/1.1\r\nHost: x\r\n\r\n", u)
	<-gone
}

func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Connections = 2 })
	echo := r.rawOrigin("127.0.1.1", shout)
	a, _, _ := r.connect(echo) // a tunnel counts like any other connection
	fmt.Fprintln(a, "x")
	b := r.dial()
	third := r.dial()
	fmt.Fprint(third, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	_ = third.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	if _, err := third.Read(make([]byte, 1)); err == nil || !wire.TimedOut(err) {
		t.Fatalf("a third connection was served: %v", err)
	}
	_ = b.Close()
	_ = third.SetReadDeadline(time.Now().Add(longWait))
	if _, err := third.Read(make([]byte, 1)); err != nil {
		t.Errorf("with a place free: %v", err)
	}
	eventually(t, "gauge", func() bool {
		return r.server.metrics.Connections.WithLabelValues("client").Value() <= 2
	})
}

// panickyModels panic when they are asked to judge a page.
type panickyModels struct{}

// Mark implements Models.
func (panickyModels) Mark(context.Context, string, *page.Page, model.Visit) (*page.Marking, error) {
	panic("boom")
}

// LearnFrom implements Models.
func (panickyModels) LearnFrom(string, string, *page.Page, model.Visit) bool { panic("boom") }

// Whatever panics while a page is cleaned, the client gets the origin's bytes.
func TestPanicsAreContained(t *testing.T) {
	boom := func(string) bool { panic("boom") }
	judge := func(string) uint32 { panic("boom") }
	for name, o := range map[string]pipeline.Options{
		"with the request": {Bypass: boom}, "in the model": {}, "before the header": {Models: &noModels{}, Judge: judge},
	} {
		t.Run(name, func(t *testing.T) {
			log := &logBuffer{}
			o.Mode, o.Logger, o.Models = page.ModeRemove, slog.New(slog.NewTextHandler(log, nil)), cmp.Or[pipeline.Models](o.Models, panickyModels{})
			rewriter, err := pipeline.New(o)
			if err != nil {
				t.Fatal(err)
			}
			r := newWorld(t, func(o *Options) { o.Pipeline = rewriter })
			var mode string
			const body = "<p>the origin's bytes</p>"
			u := r.secureOrigin("127.0.1.1", "site.test", func(w http.ResponseWriter, req *http.Request) {
				mode = req.Header.Get("Winnow-Mode")
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, body)
			})
			for _, h2 := range []bool{false, true} {
				resp, got := get(t, r.client(h2), u, "Winnow-Mode", "tag")
				if resp.StatusCode != 200 || resp.Header.Get("Winnow") != "passed; reason=panic" || got != body {
					t.Errorf("got %s, Winnow %q: %q", resp.Status, resp.Header.Get("Winnow"), got)
				}
			}
			if mode != "" {
				t.Errorf("Winnow-Mode %q reached the origin", mode)
			}
			if !strings.Contains(log.String(), "reason=panic") {
				t.Error("the log has no word of it")
			}
		})
	}
}

// noModels have seen nothing and judge nothing to be noise.
type noModels struct{}

// Mark implements Models.
func (*noModels) Mark(_ context.Context, _ string, p *page.Page, _ model.Visit) (*page.Marking, error) {
	return &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}, nil
}

// LearnFrom implements Models.
func (*noModels) LearnFrom(string, string, *page.Page, model.Visit) bool { return true }

func TestPanicInTheHandlerBecomesAPage(t *testing.T) {
	r := newWorld(t)
	engine := r.server.engine
	r.server.engine = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/panic" {
			panic("boom")
		}
		engine.ServeHTTP(w, req)
	})
	u := r.origin("127.0.1.1", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	c := r.client(false)
	resp, body := get(t, c, u+"/panic")
	if resp.StatusCode != 500 || resp.Header.Get("Winnow") != "failed; reason=internal" || strings.Contains(body, "boom") {
		t.Errorf("got %s: %q", resp.Status, body)
	}
	if _, body := get(t, c, u); body != "hello" {
		t.Errorf("afterwards: %q", body)
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	r := newWorld(t)
	u := r.secureOrigin("127.0.1.1", "site.test", func(http.ResponseWriter, *http.Request) {})
	c, _, _ := r.connect(hostPort(u))
	tc := tls.Client(c, &tls.Config{RootCAs: r.ca.Pool(), ServerName: "site.test", MaxVersion: tls.VersionTLS11}) //nolint:gosec // it should fail
	if tc.Handshake() == nil {
		t.Error("TLS 1.1 was accepted")
	}
}

// What neither stalls nor ends is cut after the longest time that anything may take, by request and by tunnel.
func TestNothingGoesOnForEver(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Total = 2 * time.Second }) // enough for a header
	drip := func(w http.ResponseWriter, req *http.Request) {
		for req.Context().Err() == nil {
			fmt.Fprint(w, "drip ")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	}
	plain, secure := r.origin("127.0.1.1", drip), r.secureOrigin("127.0.1.2", "site.test", drip)
	for _, u := range []string{plain, secure} {
		for _, h2 := range []bool{false, true} {
			start := time.Now()
			resp, err := r.client(h2).Get(u)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err == nil || len(body) == 0 || time.Since(start) > longWait {
				t.Errorf("%s: %d bytes and %v after %v", u, len(body), err, time.Since(start))
			}
		}
	}
	c, br, _ := r.connect(r.rawOrigin("127.0.1.3", shout))
	var err error
	for start := time.Now(); err == nil && time.Since(start) < longWait; time.Sleep(10 * time.Millisecond) {
		if _, err = fmt.Fprintln(c, "x"); err == nil {
			_, err = br.ReadString('\n')
		}
	}
	if err == nil {
		t.Error("a tunnel went on for ever")
	}
}

func TestLimitsAreVisible(t *testing.T) {
	r := newWorld(t, func(o *Options) {
		rw, err := pipeline.New(pipeline.Options{Models: &noModels{}, Logger: o.Logger, Limits: limits.Limits{Body: 1234}})
		if err != nil {
			t.Fatal(err)
		}
		o.Pipeline = rw
		o.Limits.Connections, o.Limits.ClientRate = 77, 1000
	})
	for name, want := range map[string]float64{"connections": 77, "body_bytes": 1234, "total_seconds": 86400, "client_rate": 1000,
		"client_connections": 0, "clean_seconds": 3} {
		if got := r.server.metrics.Limit.WithLabelValues(name).Value(); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
