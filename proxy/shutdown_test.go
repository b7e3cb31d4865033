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

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

func TestShutdownLetsRequestsFinish(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	started, release := make(chan struct{}, 3), make(chan struct{})
	slow := func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "first ")
		_ = http.NewResponseController(w).Flush()
		started <- struct{}{}
		<-release
		fmt.Fprint(w, "last")
	}
	plain, secure := r.origin("127.0.1.1", slow), r.secureOrigin("127.0.1.2", "site.test", slow)
	var wg sync.WaitGroup
	for _, f := range []struct {
		c *http.Client
		u string
	}{{r.client(false), plain}, {r.client(false), secure}, {r.client(true), secure}} {
		wg.Go(func() {
			if _, body := get(t, f.c, f.u); body != "first last" {
				t.Errorf("%s: got %q", f.u, body)
			}
		})
	}
	for range 3 {
		<-started
	}
	r.stop()
	eventually(t, "not ready", func() bool { return r.server.Ready() != nil })
	eventually(t, "no new connections", func() bool {
		c, err := net.Dial("tcp", r.addr)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	close(release)
	wg.Wait()
	r.end()
}

// Under load, with tunnels open that say nothing and tunnels that never stop talking, a shutdown ends in time, and
// every response that was cut says so.
func TestShutdownUnderLoad(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Grace = 2 * time.Second })
	page := strings.Repeat("x", 50_000)
	serve := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) }
	urls := []string{r.origin("127.0.1.1", serve), r.secureOrigin("127.0.1.2", "site.test", serve)}
	echo := r.rawOrigin("127.0.1.3", func(c net.Conn) { _, _ = io.Copy(c, c) })
	ws := r.origin("127.0.1.4", shouting)

	silent, _, _ := r.connect(echo)
	fmt.Fprint(silent, "x")
	if _, err := io.ReadFull(silent, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	half := r.dial() // between CONNECT and its handshake
	fmt.Fprint(half, "CONNECT site.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
	skipHead(t, half)
	upgraded := r.dial()
	fmt.Fprintf(upgraded, "GET %s/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: shout/1\r\n\r\n", ws)
	skipHead(t, upgraded)
	talking, _, _ := r.connect(echo)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			if _, err := talking.Write([]byte("talk")); err != nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	wg.Go(func() { _, _ = io.Copy(io.Discard, talking) })
	var whole, refused atomic.Int64
	for i := range 6 {
		c := r.client(i%2 == 0)
		wg.Go(func() {
			for {
				resp, err := c.Get(urls[i%len(urls)])
				if err != nil {
					refused.Add(1)
					return
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err == nil && string(body) != page {
					t.Errorf("%s: %d bytes of %d without an error", resp.Status, len(body), len(page))
				}
				whole.Add(1)
			}
		})
	}
	eventually(t, "the load is on", func() bool { return whole.Load() >= 20 })
	start := time.Now()
	r.end()
	if d := time.Since(start); d > longWait {
		t.Errorf("Serve returned after %v", d)
	}
	wg.Wait()
	if refused.Load() != 6 {
		t.Errorf("%d of 6 workers were refused", refused.Load())
	}
	for name, c := range map[string]net.Conn{"silent": silent, "half": half, "upgraded": upgraded} {
		_ = c.SetReadDeadline(time.Now().Add(longWait))
		if _, err := io.Copy(io.Discard, c); err != nil && wire.TimedOut(err) {
			t.Errorf("the %s connection is still open", name)
		}
	}
	if n := r.server.tunnels.Count(); n != 0 {
		t.Errorf("%d tunnels left", n)
	}
}

func TestShutdownEndsSilentTunnelsEarly(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Grace = time.Minute })
	echo := r.rawOrigin("127.0.1.1", func(c net.Conn) { _, _ = io.Copy(c, c) })
	c, br, _ := r.connect(echo)
	fmt.Fprint(c, "x")
	_, _ = br.ReadByte()
	start := time.Now()
	r.server.Shutdown(context.Background())
	if d := time.Since(start); d > longWait {
		t.Errorf("took %v", d)
	}
}

func TestIdleTunnelsEnd(t *testing.T) {
	t.Parallel()
	const idle = 700 * time.Millisecond
	r := newWorld(t, func(o *Options) { o.Limits.TunnelIdle = idle })
	echo := r.rawOrigin("127.0.1.1", func(c net.Conn) { _, _ = io.Copy(c, c) })
	c, br, _ := r.connect(echo)
	start := time.Now()
	for time.Since(start) < idle*3/2 { // talking keeps it open
		fmt.Fprint(c, "x")
		if _, err := br.ReadByte(); err != nil {
			t.Fatalf("after %v: %v", time.Since(start), err)
		}
	}
	if _, err := br.ReadByte(); err == nil || wire.TimedOut(err) {
		t.Errorf("silence did not end it: %v", err)
	}
}

func TestReadiness(t *testing.T) {
	s, err := New(Options{Authority: newAuthority(t)})
	if err != nil {
		t.Fatal(err)
	}
	if s.Ready() == nil {
		t.Error("ready before Serve")
	}
	s.Shutdown(context.Background())
	if s.Ready() == nil {
		t.Error("ready after Shutdown")
	}
	ln := listen(t, "127.0.0.1")
	if s.Serve(context.Background(), ln) == nil {
		t.Error("Serve after Shutdown did not fail")
	}
}

func TestListenerFailureEndsServe(t *testing.T) {
	s, err := New(Options{Authority: newAuthority(t)})
	if err != nil {
		t.Fatal(err)
	}
	ln := listen(t, "127.0.0.1")
	ln.Close()
	if err := s.Serve(context.Background(), ln); err == nil || !strings.Contains(err.Error(), ln.Addr().String()) {
		t.Errorf("got %v", err)
	}
}
