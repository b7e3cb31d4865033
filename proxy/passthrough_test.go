package proxy

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/hostname"
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

// pinned opens a connection through the proxy as an app does that pins its server's certificate, and reports whether
// the app got to talk to its server.
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
			clock := newFakeClock()
			r := newWorld(t, func(o *Options) { o.Now = clock.now })
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
			if n := r.tunnelCount("passthrough"); n != 1 || r.server.metrics.Passthroughs.Value() != 1 {
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
	if n := r.server.metrics.Handshakes.WithLabelValues("hangup").Value(); n != 0 {
		t.Errorf("%v of them count as refusals", n)
	}
}

// A client that leaves before the handshake has answered it has not seen the certificate, however often it does so.
func TestClientsThatSawNoCertificateRefuseNone(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	r := newWorld(t, func(o *Options) { o.Now = clock.now })
	u := r.secureOrigin("127.0.1.1", "site.test", tell)
	for n := range 4 {
		c, _, _ := r.connect(hostPort(u))
		fmt.Fprint(c, "\x16\x03\x01\x02\x00\x01\x00\x01") // the head of a ClientHello of 508 bytes
		c.Close()
		eventually(t, "the handshake ends", func() bool {
			return r.server.metrics.Handshakes.WithLabelValues("failed").Value() == float64(n+1)
		})
		clock.move(time.Minute)
	}
	if got := r.server.Passthrough(); len(got) != 0 {
		t.Errorf("listed: %+v", got[0])
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
