package proxy

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Clients without the CA, and those that get it.

// plainAlerts is a client's connection whose first alert in TLS 1.3 is not encrypted, as that of OpenSSL is.
type plainAlerts struct{ net.Conn }

// Write implements net.Conn.
func (c plainAlerts) Write(b []byte) (int, error) {
	const ccs, encrypted, alert = 6, 23, 5 + 2 + 1 + 16 // after ChangeCipherSpec; nothing else in a handshake is as short
	if len(b) != ccs+alert || b[ccs] != encrypted {
		return c.Conn.Write(b)
	}
	if _, err := c.Conn.Write(append(b[:ccs:ccs], 21, 3, 3, 0, 2, 2, 48)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// refuseTwice has a client without the CA try a host until it passes.
func (r *world) refuseTwice(t *testing.T, clock *fakeClock, target string, wrap ...func(net.Conn) net.Conn) {
	t.Helper()
	untrusted := func() float64 { return r.server.metrics.Handshakes.WithLabelValues("untrusted").Value() }
	for i := range 2 {
		before := untrusted()
		if r.pinned(t, target, &tls.Config{RootCAs: r.origins.Pool()}, nil, wrap...) {
			t.Fatalf("try %d: got through", i+1)
		}
		eventually(t, "refusal noticed", func() bool { return untrusted() == before+1 })
		clock.move(2 * time.Second) // what comes sooner counts as one refusal
	}
	eventually(t, "the host passes", func() bool { return len(r.server.Passthrough()) == 1 })
}

// curl, Python and many apps are OpenSSL.
func TestRefusalsThatAreNotEncryptedCount(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	r := newWorld(t, func(o *Options) { o.Now = clock.now })
	u := hostPort(r.secureOrigin("127.0.1.1", "app.test", tell))
	plain := func(c net.Conn) net.Conn { return plainAlerts{c} }
	r.refuseTwice(t, clock, u, plain)
	if !r.pinned(t, u, &tls.Config{RootCAs: r.origins.Pool()}, nil, plain) {
		t.Error("the host does not pass")
	}
	if !strings.Contains(r.log.String(), "the client does not trust the proxy's certificate") {
		t.Error("the log does not say so")
	}
}

// Who installs the CA does so after everything has been refused, and wants to see what it is good for at once.
func TestInstallingTheCAEndsWhatPassesThrough(t *testing.T) {
	t.Parallel()
	clock := newFakeClock()
	r := newWorld(t, func(o *Options) { o.Now = clock.now })
	u := hostPort(r.secureOrigin("127.0.1.1", "news.test", tell))
	next := r.secureOrigin("127.0.1.2", "next.test", tell)
	refuseTwice := func() { t.Helper(); r.refuseTwice(t, clock, u) }
	refuseTwice()
	get(t, r.client(true), next) // with the CA
	if l := r.server.Passthrough(); len(l) > 0 {
		t.Errorf("after the first certificate that was taken: %+v", l)
	}
	refuseTwice()
	get(t, r.client(true), next)
	if len(r.server.Passthrough()) != 1 {
		t.Error("a client that is known to have the CA no longer gets its pinned hosts through")
	}
	r.retry(t, "https://"+hostname.Portal)
	if l := r.server.Passthrough(); len(l) > 0 {
		t.Errorf("after the portal's form: %+v", l)
	}
	if _, body := get(t, r.client(true), "https://"+u); !strings.HasPrefix(body, "HTTP/2.0 GET /") {
		t.Errorf("the host afterwards: %q", body)
	}
}

// retry fills in the form of the portal at base.
func (r *world) retry(t *testing.T, base string) {
	t.Helper()
	c := r.client(true)
	_, body := get(t, c, base+"/")
	_, token, _ := strings.Cut(body, `name="token" value="`)
	token, _, ok := strings.Cut(token, `"`)
	if !ok {
		t.Fatalf("no form: %s", body)
	}
	resp, err := c.PostForm(base+"/retry", url.Values{"token": {token}})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusSeeOther {
		t.Errorf("the form: %s", resp.Status)
	}
}
