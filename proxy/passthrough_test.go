package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/hostname"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// fakeClock is a clock that tests set.
type fakeClock struct {
	mu sync.Mutex
	at time.Time
}

func newFakeClock() *fakeClock { return &fakeClock{at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)} }

func (c *fakeClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *fakeClock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newTestPassthroughs(t testing.TB) (*passthroughs, *fakeClock) {
	t.Helper()
	p, err := newPassthroughs(time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	clock := newFakeClock()
	p.now = clock.now
	return p, clock
}

// pinned opens a connection through the proxy as an app does that pins its server's certificate, and reports whether the
// app got to talk to its server.
func (r *world) pinned(t *testing.T, target string, c *tls.Config, after func(*tls.Conn) error,
	wrap ...func(net.Conn) net.Conn) bool {
	t.Helper()
	conn, _, resp := r.connect(target)
	for _, w := range wrap {
		conn = w(conn)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("CONNECT %s: %s", target, resp.Status)
	}
	c.ServerName = hostname.WithoutPort(target)
	tc := tls.Client(conn, c)
	defer tc.Close()
	if tc.Handshake() != nil || after != nil && after(tc) != nil {
		return false
	}
	fmt.Fprintf(tc, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", target)
	var b [12]byte
	n, err := tc.Read(b[:])
	return err == nil && string(b[:n]) == "HTTP/1.1 200"
}

func TestClientsThatRefuseTheCertificatePassThrough(t *testing.T) {
	t.Parallel()
	for _, app := range pinningApps() {
		t.Run(app.name, func(t *testing.T) {
			r := newWorld(t)
			clock := newFakeClock()
			r.server.passthrough.now = clock.now
			// The pinned certificate is the origin's own, which nobody but the origin has. The app can't be fooled.
			server := r.origins.TLSConfig("app.test")
			server.NextProtos = []string{"http/1.1"}
			u := hostPort(r.tlsOrigin("127.0.1.1", "app.test", server, tell))
			// The browser beside it has the CA: not all that this client does is refused.
			other := r.secureOrigin("127.0.1.2", "other.test", tell)
			get(t, r.client(true), other)
			app.getsThrough(t, r, u, clock)
			got := r.server.Passthrough()
			if len(got) != 1 || got[0].Client != "127.0.0.1" || got[0].Host != "app.test" || got[0].Reason != app.reason ||
				got[0].Until.Sub(got[0].Since) != time.Hour {
				t.Errorf("listed: %+v", got)
			}
			if n := r.tunnelCount("passthrough"); n != 1 || testutil.ToFloat64(r.server.metrics.Passthroughs) != 1 {
				t.Errorf("counted %v tunnels", n)
			}
			if !strings.Contains(r.log.String(), "a client refuses the proxy's certificate") {
				t.Error("the log has no word of it")
			}
			// Other hosts are intercepted as ever, and so is this one once the entry is deleted.
			if _, body := get(t, r.client(true), other); !strings.HasPrefix(body, "HTTP/2.0 GET /") {
				t.Errorf("another host: %q", body)
			}
			if n := r.server.ForgetPassthrough("", "no host"); n != 0 {
				t.Errorf("what is no host ended %d entries", n)
			}
			if n := r.server.ForgetPassthrough("", "APP.test:443"); n != 1 {
				t.Errorf("%d entries deleted", n)
			}
			if _, body := get(t, r.client(true), "https://"+u); !strings.HasPrefix(body, "HTTP/1.1 GET /") {
				t.Errorf("after deletion: %q", body)
			}
		})
	}
}

func TestClientsHaveNames(t *testing.T) {
	for addr, want := range map[string]string{"10.0.0.1:99": "10.0.0.1", "[::ffff:10.0.0.1]:99": "10.0.0.1",
		"[2001:db8::1:2]:99": "2001:db8::/64"} {
		id := identity{client: access.ClientOf(access.ParseAddr(addr))}
		if id.text() != want {
			t.Errorf("%s: %s", addr, id.text())
		}
		if id.user = "ada"; id.text() != "ada@"+want {
			t.Errorf("%s: %s", addr, id.text())
		}
	}
}

// One client's refusals are not another's.
func TestRefusalsAreTheClientsOwn(t *testing.T) {
	p, clock := newTestPassthroughs(t)
	a, b := passthroughKey{"10.0.0.1", "app.test"}, passthroughKey{"10.0.0.2", "app.test"}
	p.refused(a, refusedByAlert)
	p.refused(b, refusedByAlert)
	clock.move(time.Minute)
	if p.passes(a) || p.passes(b) || !p.refused(a, refusedByAlert) || !p.passes(a) || p.passes(b) {
		t.Error("they share their refusals")
	}
}

// refuse has a client refuse a host's certificate a number of times, a minute before each.
func refuse(p *passthroughs, c *fakeClock, k passthroughKey, how refusal, times int) {
	for range times {
		c.move(time.Minute)
		p.refused(k, how)
	}
}

func TestAGlitchExcludesNobody(t *testing.T) {
	k := passthroughKey{"10.0.0.1", "app.test"}
	for name, steps := range map[string]func(p *passthroughs, c *fakeClock){
		"one alert":    func(p *passthroughs, _ *fakeClock) { p.refused(k, refusedByAlert) },
		"two hang-ups": func(p *passthroughs, c *fakeClock) { refuse(p, c, k, refusedByHangup, 2) },
		"many at once": func(p *passthroughs, c *fakeClock) {
			for range 10 {
				p.refused(k, refusedByAlert)
				c.move(refusalBurst / 20)
			}
		},
		// Go opens two connections for two requests, and closes one right after the handshake, before or after it uses the other.
		"spare connections": func(p *passthroughs, c *fakeClock) {
			for range 10 {
				p.refused(k, refusedByHangup)
				p.accepted(k)
				p.refused(k, refusedByHangup)
				c.move(time.Minute)
			}
		},
		"far apart": func(p *passthroughs, c *fakeClock) {
			for range 5 {
				p.refused(k, refusedByAlert)
				c.move(refusalWindow + time.Second)
			}
		},
		"not in a row": func(p *passthroughs, c *fakeClock) {
			for range 5 {
				refuse(p, c, k, refusedByAlert, 1)
				p.accepted(k)
			}
		},
		"spare connections beside one in use": func(p *passthroughs, c *fakeClock) {
			p.accepted(k)
			refuse(p, c, k, refusedByHangup, 5)
		},
		"switched off": func(p *passthroughs, c *fakeClock) {
			p.lasts = -1
			refuse(p, c, k, refusedByAlert, 5)
		},
	} {
		p, clock := newTestPassthroughs(t)
		if steps(p, clock); p.passes(k) || len(p.list()) > 0 {
			t.Errorf("%s: the host passes", name)
		}
	}
}

func TestPassthroughExpiresAndIsRenewedByOneAlert(t *testing.T) {
	k := passthroughKey{"10.0.0.1", "app.test"}
	p, clock := newTestPassthroughs(t)
	refuse(p, clock, k, refusedByAlert, 2)
	clock.move(59 * time.Minute)
	if !p.passes(k) {
		t.Error("ended early")
	}
	clock.move(time.Minute)
	if p.passes(k) || len(p.list()) > 0 {
		t.Error("goes on")
	}
	if !p.refused(k, refusedByAlert) || !p.passes(k) {
		t.Error("not renewed")
	}
	clock.move(time.Hour)
	if p.passes(k) {
		t.Error("goes on")
	}
	p.accepted(k) // the app was updated, the CA installed
	if p.refused(k, refusedByAlert) {
		t.Error("one alert is enough although the client took the certificate meanwhile")
	}
}

// Clocks jump: no entry may outlive its time by it, and none may last for ever.
func TestPassthroughSurvivesClockJumps(t *testing.T) {
	k := passthroughKey{"10.0.0.1", "app.test"}
	for _, jump := range []time.Duration{-time.Minute, -24 * time.Hour, -20 * 365 * 24 * time.Hour, 24 * time.Hour} {
		p, clock := newTestPassthroughs(t)
		refuse(p, clock, k, refusedByAlert, 2)
		clock.move(jump)
		if small := jump.Abs() < time.Hour; p.passes(k) != small {
			t.Errorf("jump of %v: passes %v", jump, !small)
		}
		refuse(p, clock, k, refusedByAlert, 2)
		if !p.passes(k) {
			t.Errorf("jump of %v: refusals no longer count", jump)
		}
		clock.move(2 * time.Hour)
		if p.passes(k) {
			t.Errorf("jump of %v: lasts for ever", jump)
		}
	}
}

func TestPassthroughTableIsBounded(t *testing.T) {
	p, clock := newTestPassthroughs(t)
	p.lasts = 24 * 365 * time.Hour
	for i := range 3 * passthroughEntries {
		k := passthroughKey{fmt.Sprint("10.0.0.", i%200), fmt.Sprint("host", i, ".test")}
		refuse(p, clock, k, refusedByAlert, 2)
	}
	if n := len(p.list()); n != passthroughEntries {
		t.Errorf("%d entries", n)
	}
	if n := p.forget("10.0.0.7", ""); n == 0 || n > passthroughEntries/100 {
		t.Errorf("one client had %d entries", n)
	}
	if p.forget("", ""); len(p.list()) != 0 || p.states.Len() != 0 {
		t.Error("something is left")
	}
}

// Whatever happens in whatever order, and however the clock runs: no host passes without refusals, none longer than it may.
func TestPassthroughProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _ := newPassthroughs(time.Hour)
		clock := newFakeClock()
		p.now = clock.now
		k := passthroughKey{"c", "h"}
		refusals := 0 // since the last success
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				p.refused(k, refusedByAlert)
				refusals++
			case 1:
				p.refused(k, refusedByHangup)
				refusals++
			case 2:
				if p.accepted(k); !p.passes(k) {
					refusals = 0
				}
			case 3:
				clock.move(time.Duration(rapid.Int64Range(0, int64(90*time.Minute)).Draw(t, "forward")))
			case 4:
				clock.move(-time.Duration(rapid.Int64Range(0, int64(90*time.Minute)).Draw(t, "back")))
			}
			if p.passes(k) && refusals == 0 {
				t.Fatal("passes without a refusal")
			}
			if len(p.list()) != map[bool]int{true: 1, false: 0}[p.passes(k)] {
				t.Fatal("listed and passing differ")
			}
		}
		clock.move(2 * time.Hour) // one for the entry, one that the clock may have been set back by without anybody noticing
		if p.passes(k) {
			t.Fatal("passes for longer than it may")
		}
	})
}

// A browser that opens connections ahead of need refuses nothing, and neither does a client that is cut by a shutdown.
func TestUnusedConnectionsAreNoRefusals(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	u := r.secureOrigin("127.0.1.1", "site.test", tell)
	for range 4 { // speaks HTTP/2, asks for nothing
		c := r.secure(hostPort(u), "h2")
		fmt.Fprint(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
		_, _ = c.Read(make([]byte, 9)) // the server's settings
		c.Close()
	}
	idle := r.secure(hostPort(u))
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	r.server.Shutdown(soon)
	idle.Close()
	if n := testutil.ToFloat64(r.server.metrics.Handshakes.WithLabelValues("hangup")); n != 0 {
		t.Errorf("%v of them count as refusals", n)
	}
}

func TestOnlyListedHostsAreIntercepted(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Intercept, o.Bypass = []string{".news.test"}, []string{"pay.news.test"} })
	for host, opened := range map[string]bool{"www.news.test": true, "pay.news.test": false, "bank.test": false} {
		u := r.secureOrigin("127.0.1.1", host, func(w http.ResponseWriter, req *http.Request) {
			fmt.Fprint(w, "opened: ", req.Header.Get("Via") != "")
		})
		c := r.client(true)
		if !opened {
			c.Transport.(*http.Transport).TLSClientConfig.RootCAs = r.origins.Pool()
		}
		if _, body := get(t, c, u); body != fmt.Sprint("opened: ", opened) {
			t.Errorf("%s: %s", host, body)
		}
	}
	if r.tunnelCount("unlisted") != 1 || r.tunnelCount("bypass") != 1 {
		t.Error("not counted by reason")
	}
	for _, list := range []func(*Options){
		func(o *Options) { o.Intercept = []string{".co.uk"} }, func(o *Options) { o.Bypass = []string{"com"} },
	} {
		o := Options{Authority: r.ca}
		list(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), "anybody can register") {
			t.Errorf("%+v: %v", o.Intercept, err)
		}
	}
}

func TestAlertsThatDistrust(t *testing.T) {
	for text, want := range map[string]bool{
		"tls: bad certificate": true, "tls: unknown certificate authority": true, "tls: unknown certificate": true,
		"tls: expired certificate": true, "tls: revoked certificate": true, "tls: handshake failure": false,
		"tls: protocol version not supported": false, "tls: user canceled": false,
	} {
		if err := error(&net.OpError{Op: "remote error", Err: errors.New(text)}); distrusts(fmt.Errorf("x: %w", err)) != want {
			t.Errorf("%s: %v", text, !want)
		}
		if distrusts(&net.OpError{Op: "local error", Err: errors.New(text)}) {
			t.Errorf("%s of our own", text)
		}
	}
}
