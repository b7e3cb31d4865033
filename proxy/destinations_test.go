package proxy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// outside makes the proxy believe that it listens for everybody.
func outside(o *Options) { o.Listen, o.AllowPrivate = "0.0.0.0:8080", false }

func TestRefusedPorts(t *testing.T) {
	r := newWorld(t)
	resp, body := get(t, r.client(false), "http://127.0.0.1:25/", "Accept", "text/html")
	if resp.StatusCode != http.StatusForbidden || resp.Header.Get("Winnow") != "failed; reason=denied" ||
		!strings.Contains(body, "allow-port") {
		t.Errorf("got %s: %s", resp.Status, body)
	}
	for _, target := range []string{"mail.test:25", "mail.test:587", "127.0.0.1:22"} {
		if _, _, resp := r.connect(target); resp.StatusCode != http.StatusForbidden {
			t.Errorf("CONNECT %s: %s", target, resp.Status)
		}
	}
}

func TestRefusedDestinations(t *testing.T) {
	r := newWorld(t, outside)
	reached := false
	hit := func(http.ResponseWriter, *http.Request) { reached = true }
	plain, secure := r.origin("127.0.1.1", hit), r.secureOrigin("127.0.1.2", "inside.test", hit)
	_, port, _ := net.SplitHostPort(hostPort(plain))
	r.dns.set("named.test", "127.0.1.1")
	for _, u := range []string{plain, "http://named.test:" + port, secure, "http://169.254.169.254/latest/meta-data",
		"http://metadata.google.internal/", "http://[::1]:" + port} {
		resp, body := get(t, r.client(true), u, "Accept", "text/html")
		if resp.StatusCode != http.StatusForbidden || resp.Header.Get("Winnow") != "failed; reason=denied" {
			t.Errorf("%s: got %s: %s", u, resp.Status, body)
		}
	}
	for _, u := range []string{"http://0x7f000101:" + port, "http://127.257:" + port, "http://2130706689:" + port} {
		if resp, body := get(t, r.client(true), u); resp.StatusCode < 400 { // what resolvers make of these differs
			t.Errorf("%s: got %s: %s", u, resp.Status, body)
		}
	}
	if _, _, resp := r.connect(hostPort(plain)); resp.StatusCode != http.StatusForbidden {
		t.Errorf("CONNECT to an address: %s", resp.Status)
	}
	// By name, the answer to CONNECT is out before the address is known: the tunnel must end without a byte,
	// and a request in it is refused.
	c, br, _ := r.connect("named.test:" + port)
	fmt.Fprint(c, "hello\n")
	if b, err := br.ReadByte(); err == nil {
		t.Errorf("the tunnel said %q", b)
	}
	c, br, _ = r.connect("named.test:" + port)
	fmt.Fprint(c, "GET / HTTP/1.0\r\n\r\n")
	if resp, err := http.ReadResponse(br, nil); err != nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a request in the tunnel: %v, %v", resp, err)
	}
	if reached {
		t.Error("a refused destination was reached")
	}
}

// A name that is public when it is first looked up and private when it is dialled must be refused at the dial.
func TestRebindingIsCaughtAtTheDial(t *testing.T) {
	r := newWorld(t, outside)
	reached := false
	u := r.origin("127.0.1.1", func(http.ResponseWriter, *http.Request) { reached = true })
	_, port, _ := net.SplitHostPort(hostPort(u))
	r.dns.set("rebind.test", "192.0.2.1", "127.0.1.1")
	first, err := r.dns.resolver().LookupNetIP(context.Background(), "ip4", "rebind.test")
	if err != nil || first[0].IsLoopback() {
		t.Fatalf("the first look-up gave %v, %v", first, err)
	}
	resp, _ := get(t, r.client(false), "http://rebind.test:"+port+"/")
	if resp.StatusCode != http.StatusForbidden || resp.Header.Get("Winnow") != "failed; reason=denied" || reached {
		t.Errorf("got %s, Winnow %q, reached: %v", resp.Status, resp.Header.Get("Winnow"), reached)
	}
}

func TestAllowedTargetIsReached(t *testing.T) {
	r := newWorld(t, outside, func(o *Options) { o.AllowTargets = []string{"127.0.1.0/24", "localname.test"} })
	u := r.origin("127.0.1.1", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	other := r.origin("127.0.2.1", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "other") })
	_, port, _ := net.SplitHostPort(hostPort(other))
	r.dns.set("localname.test", "127.0.2.1")
	for u, want := range map[string]string{u: "hello", "http://localname.test:" + port: "other"} {
		if _, body := get(t, r.client(false), u); body != want {
			t.Errorf("%s: %q", u, body)
		}
	}
	if resp, _ := get(t, r.client(false), other); resp.StatusCode != http.StatusForbidden {
		t.Errorf("%s: %s", other, resp.Status)
	}
}

func TestAdminIsNotReachedThroughTheProxy(t *testing.T) {
	admin := listen(t, "127.0.0.1")
	defer admin.Close()
	r := newWorld(t, func(o *Options) { o.Own = []string{admin.Addr().String()} })
	resp, body := get(t, r.client(false), "http://"+admin.Addr().String()+"/api/v1/hosts")
	if resp.StatusCode != http.StatusForbidden || !strings.Contains(body, "the proxy itself") {
		t.Errorf("got %s: %s", resp.Status, body)
	}
}
