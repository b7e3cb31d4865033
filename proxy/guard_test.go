package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

func TestGuardOnAddresses(t *testing.T) {
	for _, tc := range []struct {
		addr, why string
	}{
		{"93.184.215.14", ""}, {"2606:2800:21f::1", ""}, {"172.32.0.1", ""}, {"100.128.0.1", ""}, {"192.0.2.1", ""},
		{"127.0.0.1", whyLoopback}, {"127.9.9.9", whyLoopback}, {"::1", whyLoopback}, {"::ffff:127.0.0.1", whyLoopback},
		{"10.0.0.1", whyPrivate}, {"172.16.0.1", whyPrivate}, {"172.31.255.255", whyPrivate}, {"192.168.1.1", whyPrivate},
		{"fd12::1", whyPrivate}, {"fc00::1", whyPrivate}, {"fec0::1", whyPrivate}, {"::ffff:10.0.0.1", whyPrivate},
		{"::10.0.0.1", whyPrivate}, {"::127.0.0.1", whyLoopback}, {"::93.184.215.14", ""},
		{"2001:0:5333::f5ff:fffe", whyPrivate}, {"2001:0:5333::8000:80ff:fffe", whyLoopback}, {"2001:1::1", ""},
		{"64:ff9b:1::a00:1", whyReserved}, {"192.0.0.8", whyReserved}, {"198.18.0.1", whyReserved}, {"198.20.0.1", ""},
		{"240.0.0.1", whyReserved}, {"255.255.255.254", whyReserved}, {"192.0.0.192", whyMetadata},
		{"64:ff9b::a00:1", whyPrivate}, {"2002:a00:1::1", whyPrivate},
		{"169.254.1.1", whyLinkLocal}, {"fe80::1", whyLinkLocal}, {"fe80::1%eth0", whyLinkLocal},
		{"100.64.0.1", whyShared}, {"100.127.255.255", whyShared},
		{"0.0.0.0", whyUnspecified}, {"0.1.2.3", whyUnspecified}, {"::", whyUnspecified},
		{"224.0.0.1", whyMulticast}, {"ff02::1", whyMulticast}, {"255.255.255.255", whyMulticast},
		{"169.254.169.254", whyMetadata}, {"::ffff:169.254.169.254", whyMetadata}, {"fd00:ec2::254", whyMetadata},
		{"100.100.100.200", whyMetadata}, {"64:ff9b::a9fe:a9fe", whyMetadata}, {"2002:a9fe:a9fe::", whyMetadata}, {"::169.254.169.254", whyMetadata}, {"168.63.129.16", whyMetadata},
	} {
		for _, listen := range []struct {
			addr         string
			allowPrivate bool
			open         bool
		}{{"0.0.0.0:8080", false, false}, {":8080", false, false}, {"192.168.1.1:8080", false, false}, {"name.lan:1", false, false},
			{"0.0.0.0:8080", true, true}, {"127.0.0.1:8080", false, true}, {"localhost:8080", false, true}, {"[::1]:1", false, true}} {
			g, err := newGuard(Options{Listen: listen.addr, AllowPrivate: listen.allowPrivate}, noAddrs)
			if err != nil {
				t.Fatal(err)
			}
			want := tc.why
			if listen.open && want != whyMetadata {
				want = ""
			}
			checkDenied(t, g.addr("h", netip.MustParseAddr(tc.addr), "80"), want, tc.addr+" at "+listen.addr)
		}
	}
}

func noAddrs() []netip.AddrPort { return nil }

func checkDenied(t *testing.T, err error, why, what string) {
	t.Helper()
	var denied *DeniedError
	if got := errors.As(err, &denied); got != (why != "") || got && denied.Why != why {
		t.Errorf("%s: got %v, want %q", what, err, why)
	}
}

func TestGuardOnNames(t *testing.T) {
	g, err := newGuard(Options{Listen: ":1", AllowTargets: []string{"metadata.goog", "10.1.0.0/16", "169.254.169.254", ".lan"}}, noAddrs)
	if err != nil {
		t.Fatal(err)
	}
	for name, why := range map[string]string{
		"site.test:80": "", "metadata.google.internal:80": whyMetadata, "METADATA.google.internal.:80": whyMetadata,
		"instance-data.ec2.internal:80": whyMetadata, "metadata.goog:80": "", "127.0.0.1:80": whyLoopback,
		"[::1]:80": whyLoopback, "10.1.2.3:80": "", "10.2.0.1:80": whyPrivate, "169.254.169.254:80": "",
	} {
		a, err := hostname.ParseAuthority(name, "")
		if err != nil {
			t.Fatal(err)
		}
		checkDenied(t, g.name(a), why, name)
	}
	checkDenied(t, g.addr("nas.lan", netip.MustParseAddr("192.168.1.9"), "80"), "", "an allowed name's address")
	checkDenied(t, g.addr("nas.other", netip.MustParseAddr("192.168.1.9"), "80"), whyPrivate, "another name's address")
}

func TestGuardKnowsTheProxyItself(t *testing.T) {
	own := []netip.AddrPort{netip.MustParseAddrPort("[::]:8080"), netip.MustParseAddrPort("127.0.0.1:8081")}
	g, err := newGuard(Options{Listen: "127.0.0.1:1", AllowTargets: []string{"0.0.0.0/0", "::/0"}}, func() []netip.AddrPort { return own })
	if err != nil {
		t.Fatal(err)
	}
	g.local = func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.IPv4(192, 168, 7, 7), Mask: net.CIDRMask(24, 32)}}, nil
	}
	for addr, why := range map[string]string{
		"127.0.0.1:8080": whySelf, "127.5.5.5:8080": whySelf, "192.168.7.7:8080": whySelf, "[::ffff:192.168.7.7]:8080": whySelf,
		"[::1]:8080": whySelf, "0.0.0.0:8080": whySelf, "192.168.7.8:8080": "", "192.168.7.7:8082": "",
		"127.0.0.1:8081": whySelf, "0.0.0.0:8081": whySelf, "127.0.0.2:8081": "", "192.168.7.7:8081": "",
	} {
		ap := netip.MustParseAddrPort(addr)
		checkDenied(t, g.addr("h", ap.Addr(), fmt.Sprint(ap.Port())), why, addr)
	}
}

// outside makes the proxy believe that it listens for everybody.
func outside(o *Options) { o.Listen = "0.0.0.0:8080" }

// However an address is spelled, what is checked is what would be dialled.
func TestGuardOnSpellings(t *testing.T) {
	g, err := newGuard(Options{Listen: ":1"}, noAddrs)
	if err != nil {
		t.Fatal(err)
	}
	for spelling, why := range map[string]string{
		"127.0.0.1.:80": whyLoopback, "[::ffff:127.0.0.1]:80": whyLoopback, "[::ffff:7f00:1]:80": whyLoopback,
		"[0:0:0:0:0:0:0:1]:80": whyLoopback, "[::1%25lo]:80": whyLoopback, "０.0.0.0:80": whyUnspecified,
		"①②⑦.0.0.1:80": whyLoopback, "169。254。169。254:80": whyMetadata, "[fe80::1%eth0]:80": whyLinkLocal,
		"METADATA.GOOGLE.INTERNAL.:80": whyMetadata, "metadata。google。internal:80": whyMetadata,
		"2130706433:80": whySpelling, "0x7f.1:80": whySpelling, "0X7F000001:80": whySpelling, "0177.0.0.01:80": whySpelling,
		"127.1.:80": whySpelling, "1.2.3.4.5:80": whySpelling, "0x:80": whySpelling,
		"3com.test:80": "", "4.a:80": "", "0xfg:80": "", "fe:80": "", "a-1:80": "", "host1:80": "",
	} {
		a, err := hostname.ParseAuthority(spelling, "")
		if err != nil {
			continue // refused as no address at all
		}
		checkDenied(t, g.name(a), why, spelling)
	}
}

func TestGuardOnPorts(t *testing.T) {
	for _, tc := range []struct {
		allowed []string
		port    string
		why     string
	}{
		{nil, "80", ""}, {nil, "443", ""}, {nil, "8443", ""}, {nil, "25", whyPort}, {nil, "22", whyPort}, {nil, "6667", whyPort},
		{[]string{"22", "443"}, "22", ""}, {[]string{"22", "443"}, "80", whyPort},
	} {
		g, err := newGuard(Options{Listen: "127.0.0.1:1", AllowPorts: tc.allowed, AllowTargets: []string{"site.test"}}, noAddrs)
		if err != nil {
			t.Fatal(err)
		}
		checkDenied(t, g.name(hostname.Authority{Host: "site.test", Port: tc.port}), tc.why, "port "+tc.port)
	}
}

// Mail servers and the like are out of reach by request, by tunnel and from inside an intercepted connection.
func TestRefusedPorts(t *testing.T) {
	r := newWorld(t)
	resp, body := get(t, r.client(false), "http://127.0.0.1:25/", "Accept", "text/html")
	if resp.StatusCode != http.StatusForbidden || resp.Header.Get("Winnow") != "failed; reason=denied" ||
		!strings.Contains(body, "--allow-port") {
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
	// By name, the answer to CONNECT is out before the address is known: the tunnel must end without a byte.
	c, br, _ := r.connect("named.test:" + port)
	fmt.Fprint(c, "GET / HTTP/1.0\r\n\r\n")
	if b, err := br.ReadByte(); err == nil {
		t.Errorf("the tunnel said %q", b)
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
	if err != nil || specialAddr(first[0]) != "" {
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
	r := newWorld(t, func(o *Options) { o.Admin = admin.Addr().String() })
	resp, body := get(t, r.client(false), "http://"+admin.Addr().String()+"/api/v1/hosts")
	if resp.StatusCode != http.StatusForbidden || !strings.Contains(body, "the proxy itself") {
		t.Errorf("got %s: %s", resp.Status, body)
	}
}
