package proxy

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// reloadable is a world that remembers its options.
func reloadable(t *testing.T) (*world, Options) {
	var o Options
	r := newWorld(t, func(given *Options) { o = *given })
	return r, o
}

// A reload is seen by the next request on the very same connection, while what is under way ends as it began.
func TestReloadDropsNothing(t *testing.T) {
	t.Parallel()
	r, o := reloadable(t)
	release := make(chan struct{})
	u := r.secureOrigin("127.0.1.1", "site.test", func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/slow" {
			fmt.Fprint(w, "first half, ")
			_ = http.NewResponseController(w).Flush()
			<-release
			fmt.Fprint(w, "second half")
		}
	})
	c := r.client(false)
	slow, err := c.Get(u + "/slow")
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Body.Close()
	if resp, _ := get(t, c, u); resp.StatusCode != http.StatusOK {
		t.Fatalf("before: %s", resp.Status)
	}

	o.AllowPorts = []string{"1"}
	if err := r.server.Reload(o); err != nil {
		t.Fatal(err)
	}
	var reused atomic.Bool
	req, _ := http.NewRequest(http.MethodGet, u, nil)
	req = req.WithContext(httptrace.WithClientTrace(req.Context(),
		&httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused.Store(i.Reused) }}))
	if resp, _ := do(t, c, req); resp.StatusCode != http.StatusForbidden || !reused.Load() {
		t.Errorf("after: %s on a connection that is reused: %v", resp.Status, reused.Load())
	}
	close(release)
	if got, err := io.ReadAll(slow.Body); err != nil || string(got) != "first half, second half" {
		t.Errorf("the request that was under way: %q, %v", got, err)
	}
}

// Lists of hosts, and who may come in, follow a reload.
func TestReloadChangesLists(t *testing.T) {
	t.Parallel()
	r, o := reloadable(t)
	u := r.secureOrigin("127.0.1.1", "site.test", func(http.ResponseWriter, *http.Request) {})
	r.secure(hostPort(u)).Close() // fails unless the certificate is the proxy's
	o.Bypass = []string{"site.test"}
	if err := r.server.Reload(o); err != nil {
		t.Fatal(err)
	}
	if _, err := r.client(false).Get(u); err == nil || !strings.Contains(err.Error(), "unknown authority") {
		t.Errorf("a host that is now bypassed: %v, want its own certificate", err)
	}
	o.AllowClients = []string{"10.0.0.0/8"}
	if err := r.server.Reload(o); err != nil {
		t.Fatal(err)
	}
	if _, err := r.client(false).Get("http://127.0.1.1/"); err == nil {
		t.Error("a client that is no longer allowed is served")
	}
}

// The pause that a client may make follows a reload too, with the connections that come from then on.
func TestReloadChangesTheStall(t *testing.T) {
	t.Parallel()
	r, o := reloadable(t)
	ended := make(chan struct{})
	u := r.origin("127.0.1.1", func(w http.ResponseWriter, req *http.Request) {
		defer close(ended)
		for page := make([]byte, 64<<10); req.Context().Err() == nil; {
			if _, err := w.Write(page); err != nil {
				return
			}
		}
	})
	o.Limits.Stall = 200 * time.Millisecond
	if err := r.server.Reload(o); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(r.dial(), "GET %s/ HTTP/1.1\r\nHost: x\r\n\r\n", u) // and nothing is read
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("a client that does not read is not cut")
	}
}

// Who has guessed wrong too often is not forgiven for a reload.
func TestReloadRemembersWhoGuesses(t *testing.T) {
	t.Parallel()
	var o Options
	r := newWorld(t, withPasswords(t), func(given *Options) { o = *given })
	u := r.origin("127.0.1.1", func(http.ResponseWriter, *http.Request) {})
	status := func(password string) int {
		resp, _ := get(t, r.clientAs(false, "ada", password), u)
		return resp.StatusCode
	}
	if got := status("secret"); got != http.StatusOK {
		t.Fatalf("before: %d", got)
	}
	for i := 0; status(fmt.Sprint("guess ", i)) != http.StatusTooManyRequests; i++ {
		if i > 100 {
			t.Fatal("guessing goes on for ever")
		}
	}
	withPasswords(t)(&o) // other hashes of the same passwords
	if err := r.server.Reload(o); err != nil {
		t.Fatal(err)
	}
	if got := status("another guess"); got != http.StatusTooManyRequests {
		t.Errorf("after the reload: %d", got)
	}
}

// Connections that are kept open are no way around what a reload takes away.
func TestReloadEndsWhatClientsMayNoLonger(t *testing.T) {
	t.Parallel()
	users := func(o *Options, names ...string) {
		var lines strings.Builder
		for _, n := range names {
			hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&lines, "%s:%s\n", n, hash)
		}
		known, err := access.ParseUsers(strings.NewReader(lines.String()))
		if err != nil {
			t.Fatal(err)
		}
		if o.Users, err = access.NewVerifier(known); err != nil {
			t.Fatal(err)
		}
	}
	for _, h2 := range []bool{false, true} {
		var o Options
		r := newWorld(t, func(given *Options) { users(given, "ada", "bob"); o = *given })
		u := r.secureOrigin("127.0.1.1", "site.test", func(http.ResponseWriter, *http.Request) {})
		plain := r.origin("127.0.1.2", func(http.ResponseWriter, *http.Request) {})
		ada, bob := r.clientAs(h2, "ada", "secret"), r.clientAs(h2, "bob", "secret")
		expect := func(c *http.Client, u string, status int, when string) {
			t.Helper()
			if resp, _ := get(t, c, u); resp.StatusCode != status {
				t.Errorf("HTTP/2 %v, %s, %s: %s, want %d", h2, u, when, resp.Status, status)
			}
		}
		expect(ada, u, 200, "ada, at first")
		expect(bob, u, 200, "bob, at first")
		users(&o, "bob")
		if err := r.server.Reload(o); err != nil {
			t.Fatal(err)
		}
		expect(ada, u, 403, "ada, removed")
		if _, err := ada.Get(u); err == nil || !strings.Contains(err.Error(), "Proxy Authentication Required") {
			t.Errorf("HTTP/2 %v: ada's connection was not ended: %v", h2, err)
		}
		expect(bob, u, 200, "bob, still there")
		expect(bob, plain, 200, "bob, still there")
		o.AllowClients = []string{"10.0.0.0/8"}
		if err := r.server.Reload(o); err != nil {
			t.Fatal(err)
		}
		expect(bob, u, 403, "bob, from a network that may not")
		expect(bob, plain, 403, "bob, from a network that may not")
		if _, err := bob.Get(plain); err == nil {
			t.Errorf("HTTP/2 %v: bob's connection was not ended", h2)
		}
	}
}

// What can't be right is refused by name, and the old configuration stays in force.
func TestReloadRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	r, o := reloadable(t)
	u := r.origin("127.0.1.1", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	for want, change := range map[string]func(*Options){
		"bypass list":       func(o *Options) { o.Bypass = []string{"https://x"} },
		"interception list": func(o *Options) { o.Intercept = []string{"a b"} },
		"allowed client":    func(o *Options) { o.AllowClients = []string{"everybody"} },
		"authority":         func(o *Options) { o.Authority = nil },
	} {
		bad := o
		bad.AllowPorts = []string{"1"}
		change(&bad)
		if err := r.server.Reload(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about the %s", err, want)
		}
	}
	if _, text := get(t, r.client(false), u); text != "hello" {
		t.Errorf("after bad reloads: %q", text)
	}
}

// Limits of the listener stay; what is known of clients stays where it means the same.
func TestReloadKeepsWhatLasts(t *testing.T) {
	t.Parallel()
	r, o := reloadable(t)
	before := r.server.live.Load()
	o.Limits.Connections, o.Limits.ClientRate = 7, 3
	if err := r.server.Reload(o); err != nil {
		t.Fatal(err)
	}
	after := r.server.live.Load()
	if after == before || after.opts.Limits.Connections != before.opts.Limits.Connections {
		t.Errorf("connections limited to %d, want %d as before", after.opts.Limits.Connections, before.opts.Limits.Connections)
	}
	if after.admission.open != before.admission.open || after.tunnels != before.tunnels {
		t.Error("what is known of clients is gone")
	}
	if after.rates == before.rates {
		t.Error("the rate that changed is still the old one")
	}
}
