package access

import (
	"net"
	"net/netip"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNetworks(t *testing.T) {
	n, err := ParseNetworks([]string{"192.168.1.77/16", "10.0.0.1", "2001:db8::/32", "::1"})
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[string]bool{
		"192.168.255.255": true, "192.169.0.0": false, "10.0.0.1": true, "10.0.0.2": false, "::ffff:10.0.0.1": true,
		"2001:db8:1::9": true, "2001:db9::": false, "::1": true, "fe80::1%eth0": false, "127.0.0.1": false,
	} {
		if got := n.Contains(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %v", addr, got)
		}
	}
	if n.Contains(netip.Addr{}) {
		t.Error("what is no address is in no network")
	}
	for _, bad := range []string{"", "lan", "10.0.0.0/33", "10.0.0", "::ffff:10.0.0.0/104"} {
		if _, err := ParseNetworks([]string{bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestLoopbackOnly(t *testing.T) {
	for listen, want := range map[string]bool{
		"127.0.0.1:8080": true, "127.8.8.8:1": true, "[::1]:8080": true, "localhost:8080": true, "[::ffff:127.0.0.1]:80": true,
		":8080": false, "0.0.0.0:8080": false, "[::]:8080": false, "192.168.1.1:8080": false, "localhost.example:1": false,
		"loopback.lan:8080": false, "": false,
	} {
		if got := LoopbackOnly(listen); got != want {
			t.Errorf("%q: %v", listen, got)
		}
	}
}

func TestClientOf(t *testing.T) {
	of := func(s string) Client { return ClientOf(netip.MustParseAddr(s)) }
	for _, same := range [][2]string{
		{"10.0.0.1", "::ffff:10.0.0.1"}, {"2001:db8::1", "2001:db8::ffff:1:2:3"}, {"fe80::1%eth0", "fe80::2"},
	} {
		if of(same[0]) != of(same[1]) {
			t.Errorf("%v are one client", same)
		}
	}
	for _, other := range [][2]string{{"10.0.0.1", "10.0.0.2"}, {"2001:db8::1", "2001:db8:0:1::1"}, {"0.0.0.0", "::"}} {
		if of(other[0]) == of(other[1]) {
			t.Errorf("%v are two clients", other)
		}
	}
	if ClientOf(AddrOf(&net.UnixAddr{Name: "x", Net: "unix"})) != (Client{}) || ClientOf(AddrOf(nil)) != (Client{}) {
		t.Error("what has no address is the zero Client")
	}
}

func TestPorts(t *testing.T) {
	var byDefault Ports
	for port, want := range map[uint16]bool{
		80: true, 443: true, 1024: true, 8080: true, 8443: true, 65535: true,
		0: false, 22: false, 25: false, 465: false, 587: false, 81: false, 1023: false, 2049: false, 6000: false, 6667: false,
	} {
		if got := byDefault.Contains(port); got != want {
			t.Errorf("port %d by default: %v", port, got)
		}
	}
	p, err := ParsePorts([]string{"22", "8000-8002", "65535"})
	if err != nil {
		t.Fatal(err)
	}
	for port, want := range map[uint16]bool{22: true, 8000: true, 8002: true, 8003: false, 65535: true, 443: false, 80: false} {
		if got := p.Contains(port); got != want {
			t.Errorf("port %d: %v", port, got)
		}
	}
	for _, bad := range []string{"", "http", "0", "65536", "9-8", "-1", "1-", "1-2-3", "0-5", "+80"} {
		if _, err := ParsePorts([]string{bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
