package dial

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

func TestGuardOnAddresses(t *testing.T) {
	for _, tc := range []struct {
		addr, why string
	}{
		{"93.184.215.14", ""}, {"2606:2800:21f::1", ""}, {"172.32.0.1", ""}, {"100.128.0.1", ""}, {"192.0.2.1", ""},
		{"127.0.0.1", whyLoopback}, {"127.9.9.9", whyLoopback}, {"::1", whyLoopback}, {"::ffff:127.0.0.1", whyLoopback},
		{"10.0.0.1", WhyPrivate}, {"172.16.0.1", WhyPrivate}, {"172.31.255.255", WhyPrivate}, {"192.168.1.1", WhyPrivate},
		{"fd12::1", WhyPrivate}, {"fc00::1", WhyPrivate}, {"fec0::1", WhyPrivate}, {"::ffff:10.0.0.1", WhyPrivate},
		{"::10.0.0.1", WhyPrivate}, {"::127.0.0.1", whyLoopback}, {"::93.184.215.14", ""},
		{"2001:0:5333::f5ff:fffe", WhyPrivate}, {"2001:0:5333::8000:80ff:fffe", whyLoopback}, {"2001:1::1", ""},
		{"64:ff9b:1::a00:1", whyReserved}, {"192.0.0.8", whyReserved}, {"198.18.0.1", whyReserved}, {"198.20.0.1", ""},
		{"240.0.0.1", whyReserved}, {"255.255.255.254", whyReserved}, {"192.0.0.192", WhyMetadata},
		{"64:ff9b::a00:1", WhyPrivate}, {"2002:a00:1::1", WhyPrivate},
		{"::ffff:0:a9fe:a9fe", WhyMetadata}, {"::ffff:0:169.254.42.42", whyLinkLocal}, {"64:ff9b:1::a9fe:a9fe", whyLinkLocal},
		{"64:ff9b:1:a9fe:a9:fe00::", whyLinkLocal}, {"64:ff9b:1:a9:fe:a9fe::", whyLinkLocal}, {"64:ff9b:1:0:a9:fea9:fe00:0", whyLinkLocal},
		{"2001:0:1:2:3:4:5601:5601", WhyMetadata}, {"2001:db8::5efe:a9fe:a9fe", WhyMetadata}, {"2001:db8::200:5efe:169.254.1.1", whyLinkLocal},
		{"64:ff9b::a9fe:102", whyLinkLocal}, {"::ffff:0:93.184.215.14", ""}, {"2001:db8::5efe:93.184.215.14", ""},
		{"169.254.1.1", whyLinkLocal}, {"fe80::1", whyLinkLocal}, {"fe80::1%eth0", whyLinkLocal},
		{"100.64.0.1", whyShared}, {"100.127.255.255", whyShared},
		{"0.0.0.0", whyUnspecified}, {"0.1.2.3", whyUnspecified}, {"::", whyUnspecified},
		{"224.0.0.1", whyMulticast}, {"ff02::1", whyMulticast}, {"255.255.255.255", whyMulticast},
		{"169.254.169.254", WhyMetadata}, {"::ffff:169.254.169.254", WhyMetadata}, {"fd00:ec2::254", WhyMetadata},
		{"100.100.100.200", WhyMetadata}, {"64:ff9b::a9fe:a9fe", WhyMetadata}, {"2002:a9fe:a9fe::", WhyMetadata}, {"::169.254.169.254", WhyMetadata}, {"168.63.129.16", WhyMetadata},
	} {
		for _, listen := range []struct {
			addr         string
			allowPrivate bool
			open, named  bool // to addresses, and to names that resolve to them
		}{{"0.0.0.0:8080", false, false, false}, {":8080", false, false, false}, {"192.168.1.1:8080", false, false, false},
			{"name.lan:1", false, false, false}, {"0.0.0.0:8080", true, true, true}, {"127.0.0.1:8080", false, true, false},
			{"localhost:8080", false, true, false}, {"[::1]:1", false, true, false}, {"127.0.0.1:8080", true, true, true}} {
			g, err := newGuard(Options{Private: listen.allowPrivate, Local: access.LoopbackOnly(listen.addr), Self: noAddrs})
			if err != nil {
				t.Fatal(err)
			}
			always := tc.why == WhyMetadata || tc.why == whyLinkLocal
			for host, open := range map[string]bool{tc.addr: listen.open, "localhost": listen.open, "a.localhost": listen.open, "h.test": listen.named} {
				want := tc.why
				if open && !always {
					want = ""
				}
				checkDenied(t, g.addr(host, netip.MustParseAddr(tc.addr), "80"), want, host+" for "+tc.addr+" at "+listen.addr)
			}
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
	g, err := newGuard(Options{Targets: []string{"metadata.goog", "10.1.0.0/16", "169.254.169.254", ".lan"}, Self: noAddrs})
	if err != nil {
		t.Fatal(err)
	}
	for name, why := range map[string]string{
		"site.test:80": "", "metadata.google.internal:80": WhyMetadata, "METADATA.google.internal.:80": WhyMetadata,
		"instance-data.ec2.internal:80": WhyMetadata, "metadata.goog:80": "", "127.0.0.1:80": whyLoopback,
		"[::1]:80": whyLoopback, "10.1.2.3:80": "", "10.2.0.1:80": WhyPrivate, "169.254.169.254:80": "",
	} {
		a, err := hostname.ParseAuthority(name, "")
		if err != nil {
			t.Fatal(err)
		}
		checkDenied(t, g.name(a), why, name)
	}
	checkDenied(t, g.addr("nas.lan", netip.MustParseAddr("192.168.1.9"), "80"), "", "an allowed name's address")
	checkDenied(t, g.addr("nas.other", netip.MustParseAddr("192.168.1.9"), "80"), WhyPrivate, "another name's address")
}

func TestGuardKnowsTheProxyItself(t *testing.T) {
	own := []netip.AddrPort{netip.MustParseAddrPort("[::]:8080"), netip.MustParseAddrPort("127.0.0.1:8081")}
	g, err := newGuard(Options{Private: true, Targets: []string{"0.0.0.0/0", "::/0"}, Self: func() []netip.AddrPort { return own }})
	if err != nil {
		t.Fatal(err)
	}
	g.interfaces = func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.IPv4(192, 168, 7, 7), Mask: net.CIDRMask(24, 32)}}, nil
	}
	for addr, why := range map[string]string{
		"127.0.0.1:8080": WhySelf, "127.5.5.5:8080": WhySelf, "192.168.7.7:8080": WhySelf, "[::ffff:192.168.7.7]:8080": WhySelf,
		"[::1]:8080": WhySelf, "0.0.0.0:8080": WhySelf, "192.168.7.8:8080": "", "192.168.7.7:8082": "",
		"127.0.0.1:8081": WhySelf, "0.0.0.0:8081": WhySelf, "127.0.0.2:8081": "", "192.168.7.7:8081": "",
	} {
		ap := netip.MustParseAddrPort(addr)
		checkDenied(t, g.addr("h", ap.Addr(), fmt.Sprint(ap.Port())), why, addr)
	}
}

// However an address is spelled, what is checked is what would be dialled.
func TestGuardOnSpellings(t *testing.T) {
	g, err := newGuard(Options{Self: noAddrs})
	if err != nil {
		t.Fatal(err)
	}
	for spelling, why := range map[string]string{
		"127.0.0.1.:80": whyLoopback, "[::ffff:127.0.0.1]:80": whyLoopback, "[::ffff:7f00:1]:80": whyLoopback,
		"[0:0:0:0:0:0:0:1]:80": whyLoopback, "[::1%25lo]:80": whyLoopback, "０.0.0.0:80": whyUnspecified,
		"①②⑦.0.0.1:80": whyLoopback, "169。254。169。254:80": WhyMetadata, "[fe80::1%eth0]:80": whyLinkLocal,
		"METADATA.GOOGLE.INTERNAL.:80": WhyMetadata, "metadata。google。internal:80": WhyMetadata,
		"2130706433:80": WhySpelling, "0x7f.1:80": WhySpelling, "0X7F000001:80": WhySpelling, "0177.0.0.01:80": WhySpelling,
		"127.1.:80": WhySpelling, "1.2.3.4.5:80": WhySpelling, "0x:80": WhySpelling,
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
		{nil, "80", ""}, {nil, "443", ""}, {nil, "8443", ""}, {nil, "25", WhyPort}, {nil, "22", WhyPort}, {nil, "6667", WhyPort},
		{[]string{"22", "443"}, "22", ""}, {[]string{"22", "443"}, "80", WhyPort},
	} {
		g, err := newGuard(Options{Private: true, Ports: tc.allowed, Targets: []string{"site.test"}, Self: noAddrs})
		if err != nil {
			t.Fatal(err)
		}
		checkDenied(t, g.name(hostname.Authority{Host: "site.test", Port: tc.port}), tc.why, "port "+tc.port)
	}
}

// Mail servers and the like are out of reach by request, by tunnel and from inside an intercepted connection.
