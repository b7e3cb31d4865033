package proxy

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Link-local addresses are where clouds keep their metadata services, and routers their setup: nobody reads pages
// there. They are refused whatever the proxy listens on, and however they are written; as what a name resolves to, see
// TestGuardOnAddresses of dial.
func TestLinkLocalIsAlwaysRefused(t *testing.T) {
	addresses := []string{"169.254.42.42", "169.254.0.23", "169.254.169.252", "[fe80::1]",
		// SIIT (RFC 7915), local NAT64 (RFC 8215) of each length, 6to4, Teredo, ISATAP (RFC 5214).
		"[::ffff:0:a9fe:a9fe]", "[::ffff:0:169.254.42.42]", "[64:ff9b:1::a9fe:a9fe]", "[64:ff9b:1:a9fe:a9:fe00::]",
		"[64:ff9b:1:a9:fe:a9fe::]", "[64:ff9b:1:0:a9:fea9:fe00:0]", "[2002:a9fe:a9fe::1]", "[2001:0:1:2:3:4:5601:5601]",
		"[2001:db8::5efe:a9fe:a9fe]", "[2001:db8::200:5efe:169.254.1.1]", "[64:ff9b::a9fe:102]"}
	for name, listen := range map[string]func(*Options){
		"on loopback":          strict,
		"with --allow-private": func(o *Options) { outside(o); o.AllowPrivate = true },
	} {
		stub := newStubProxy(t)
		r := newWorld(t, stub.option, listen)
		for _, host := range addresses {
			resp, _ := get(t, r.client(false), "http://"+host+"/")
			if resp.StatusCode != http.StatusForbidden || resp.Header.Get("Winnow") != "failed; reason=denied" {
				t.Errorf("%s: %s: %s, Winnow %q", name, host, resp.Status, resp.Header.Get("Winnow"))
			}
		}
		if asked := stub.took(); len(asked) != 0 {
			t.Errorf("%s: the upstream proxy was asked for %q", name, asked)
		}
	}
}

// A page in a browser that goes through the proxy can name any host that its owner's name server has an address for. On
// loopback, this machine's own services are reached by their address or as localhost alone.
func TestNamesThatResolveInsideAreRefused(t *testing.T) {
	hello := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }
	r := newWorld(t, strict)
	u := r.origin("127.0.0.1", hello)
	_, port, _ := net.SplitHostPort(hostPort(u))
	r.dns.set("rebound.test", "127.0.0.1")
	for host, want := range map[string]int{
		"rebound.test:" + port: 403, "127.0.0.1:" + port: 200, "localhost:" + port: 200,
	} {
		if resp, body := get(t, r.client(false), "http://"+host+"/"); resp.StatusCode != want {
			t.Errorf("%s: %s: %s", host, resp.Status, body)
		}
	}
	permitted := newWorld(t, strict, func(o *Options) { o.AllowPrivate = true })
	permitted.dns.set("rebound.test", "127.0.0.1")
	if resp, _ := get(t, permitted.client(false), "http://rebound.test:"+port+"/"); resp.StatusCode != http.StatusOK {
		t.Errorf("with --allow-private: %s", resp.Status)
	}
}

// A tunnel carries anything: it leads to where HTTPS is, and to what is listed. This machine's own servers are on any
// port.
func TestTunnelsLeadToHTTPSAlone(t *testing.T) {
	for _, tc := range []struct {
		target  string
		allowed []string
		open    bool
		want    int
	}{
		{"site.test:443", nil, false, 200}, {"site.test:8443", nil, false, 403}, {"site.test:80", nil, false, 403},
		{"site.test:8443", []string{"8443", "443"}, false, 200}, {"192.0.2.1:8080", nil, false, 403},
		{"127.0.0.1:8443", nil, false, 200}, {"localhost:3000", nil, false, 200}, {"127.0.0.1:22", nil, false, 403},
		{"127.0.0.1:8443", nil, true, 403}, {"site.test:9000", nil, true, 403},
	} {
		r := newWorld(t, strict, func(o *Options) {
			o.AllowPorts = tc.allowed
			if tc.open {
				o.Listen, o.AllowPrivate = "0.0.0.0:8080", true
			}
		})
		if _, _, resp := r.connect(tc.target); resp.StatusCode != tc.want {
			t.Errorf("CONNECT %s, ports %q, open to others %v: %s, want %d", tc.target, tc.allowed, tc.open, resp.Status, tc.want)
		}
	}
}

// An upstream proxy on this machine reaches what this machine reaches: the admin address too, by a name that only it
// resolves.
func TestAdminIsNotReachedThroughALocalUpstreamProxy(t *testing.T) {
	for _, kind := range []string{"http", "socks5"} {
		var asked []string
		admin := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { asked = append(asked, req.Method) }))
		t.Cleanup(admin.Close)
		_, port, _ := net.SplitHostPort(admin.Listener.Addr().String())
		r := newUpstreamRig(t, kind, func(o *Options) { o.Own, o.AllowPorts = []string{admin.Listener.Addr().String()}, []string{"1-65535"} })
		r.dns.set("evil.test", "127.0.0.1")
		req, err := http.NewRequest(http.MethodDelete, "http://evil.test:"+port+"/api/v1/hosts/a.test", nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, _ := do(t, r.client(false), req); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: DELETE: %s", kind, resp.Status)
		}
		c, br, resp := r.connect("evil.test:" + port)
		if resp.StatusCode == http.StatusOK {
			fmt.Fprintf(c, "DELETE /api/v1/hosts/a.test HTTP/1.1\r\nHost: localhost\r\n\r\n")
			_, _ = br.ReadByte()
			t.Errorf("%s: CONNECT: %s", kind, resp.Status)
		}
		_, own, _ := net.SplitHostPort(r.addr)
		if resp, _ := get(t, r.client(false), "http://evil.test:"+own+"/"); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: the proxy itself: %s", kind, resp.Status)
		}
		if len(asked) != 0 {
			t.Errorf("%s: the admin address was asked to %q", kind, asked)
		}
	}
}
