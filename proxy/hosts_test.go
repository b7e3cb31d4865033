package proxy

import (
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestHostsMatch(t *testing.T) {
	h, err := ParseHosts([]string{"one.test", ".two.test", "*.three.test", "10.0.0.1", "[::1]", "BÜCHER.test", "a_b.test."})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{
		"one.test": true, "ONE.test.": true, "one.test:8443": true, "www.one.test": false, "xone.test": false,
		"two.test": true, "a.b.two.test": true, "xtwo.test": false, "two.test.evil": false,
		"www.three.test": true, "three.test": false,
		"10.0.0.1": true, "10.0.0.1:1": true, "::1": true, "[::1]:443": true, "[0:0:0::1]": true, "::2": false,
		"xn--bcher-kva.test": true, "A_B.test": true, "": false, ".": false,
	} {
		if h.Match(host) != want {
			t.Errorf("Match(%q) = %v", host, !want)
		}
	}
	if (Hosts{}).Match("one.test") {
		t.Error("the zero Hosts matches")
	}
}

func TestHostPatternsThatMakeNoSense(t *testing.T) {
	for _, p := range []string{"", ".", "*", "*.", "a*b.test", "https://a.test", "a.test/x", "a.test:443", "a b", "*a.test"} {
		if _, err := ParseHosts([]string{p}); err == nil {
			t.Errorf("%q was taken", p)
		}
	}
}

// A pattern that covers half the web is a mistake, whatever list it is on.
func TestPublicSuffixesAreRefused(t *testing.T) {
	for _, p := range []string{"com", ".com", "*.com", ".co.uk", "co.uk", "*.CO.UK.", ".орг.срб", ".kawasaki.jp"} {
		if _, err := ParseHosts([]string{"one.test", p}); err == nil || !strings.Contains(err.Error(), "anybody can register") {
			t.Errorf("%q: %v", p, err)
		}
	}
	for _, p := range []string{".example.co.uk", "github.io", ".github.io", ".test", "localhost", ".internal", "10.0.0.1", "::1",
		"metadata"} {
		if _, err := ParseHosts([]string{p}); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}

// FuzzParseAuthority checks that what is taken as an authority is dialled as what it was checked as.
func FuzzParseAuthority(f *testing.F) {
	for _, s := range []string{"a.test", "a.test:443", "[::1]:1", "::1", "a:b:c", "bücher.test", "a.test.:080", "[fe80::1%eth0]:1", "%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := parseAuthority(s, "443")
		if err != nil {
			return
		}
		host, port, err := net.SplitHostPort(a.String())
		if err != nil || host != a.host || port != a.port {
			t.Fatalf("%q: dials %q, checked as %v", s, a, a)
		}
		again, err := parseAuthority(a.String(), "")
		if err != nil || again != a {
			t.Fatalf("%q: %v, then %v, %v", s, a, again, err)
		}
		if short, err := parseAuthority(a.urlHost("https"), "443"); err != nil || short != a {
			t.Fatalf("%q: in a URL %q, which is %v, %v", s, a.urlHost("https"), short, err)
		}
	})
}

// FuzzHopByHop checks that nothing that concerns the hop goes on, whatever Connection names, and that nothing panics.
func FuzzHopByHop(f *testing.F) {
	f.Add("close, X-A", "X-A", "1.1 winnow-1")
	f.Add("Host,,\t, Content-Length", "Te", "1.1 a (b, c), 1.0 winnow-1")
	f.Fuzz(func(t *testing.T, connection, name, viaLine string) {
		h := http.Header{"Connection": {connection}, "Content-Length": {"1"}, "Via": {viaLine}, "Upgrade": {"h2c"}}
		h.Set(name, "x")
		v := via{"winnow-1"}
		_ = upgradeType(h)
		stripRequest(h)
		for _, gone := range hopByHop() {
			if _, ok := h[gone]; ok && gone != "Te" {
				t.Fatalf("%s went on", gone)
			}
		}
		for _, named := range strings.Split(connection, ",") {
			named = strings.Trim(named, " \t")
			if _, ok := h[http.CanonicalHeaderKey(named)]; ok && named != "" && !keptDespiteConnection(named) &&
				!strings.EqualFold(named, "Te") && !strings.EqualFold(named, "User-Agent") {
				t.Fatalf("%q went on", named)
			}
		}
		if v.add(h, 1, 1); !v.seen(h) {
			t.Fatal("own entry not recognized")
		}
	})
}
