package hostname

import (
	"net"
	"net/url"
	"testing"
)

// FuzzParseAuthority checks that an accepted authority is dialled exactly as it was checked.
func FuzzParseAuthority(f *testing.F) {
	for _, s := range []string{"a.test", "a.test:443", "[::1]:1", "::1", "a:b:c", "bücher.test", "a.test.:080", "[fe80::1%eth0]:1", "%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := ParseAuthority(s, "443")
		if err != nil {
			return
		}
		host, port, err := net.SplitHostPort(a.String())
		if err != nil || host != a.Host || port != a.Port {
			t.Fatalf("%q: dials %q, checked as %v", s, a, a)
		}
		again, err := ParseAuthority(a.String(), "")
		if err != nil || again != a {
			t.Fatalf("%q: %v, then %v, %v", s, a, again, err)
		}
		if short, err := ParseAuthority(a.In("https"), "443"); err != nil || short != a {
			t.Fatalf("%q: in a URL %q, which is %v, %v", s, a.In("https"), short, err)
		}
	})
}

func TestSiteOf(t *testing.T) {
	for in, want := range map[string]string{
		"http://Example.COM/":        "example.com",
		"http://example.com:80/":     "example.com",
		"https://example.com:443/":   "example.com",
		"https://example.com:80/":    "example.com:80",
		"http://example.com.:8080/":  "example.com:8080",
		"http://u:p@example.com./":   "example.com",
		"http://[2001:DB8::1]/":      "[2001:db8::1]",
		"https://[2001:db8::1]:443/": "[2001:db8::1]",
		"http://[2001:db8::1]:81/":   "[2001:db8::1]:81",
		"http://bücher.example/":     "xn--bcher-kva.example",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := SiteOf(u); got != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", in, got, err, want)
		}
	}
}

// A name without a scheme keeps its port, because the default port is unknown.
func TestSite(t *testing.T) {
	for in, want := range map[string]string{
		"Example.ORG": "example.org", "example.org.": "example.org", "example.org:8080": "example.org:8080",
		"example.org:80": "example.org:80", "example.org:443": "example.org:443", "BÜCHER.example:81": "xn--bcher-kva.example:81",
		"::1": "[::1]", "[::1]": "[::1]", "[0::1]:81": "[::1]:81", "https://example.org": "", "example.org/": "", "": "",
		"example.org:0": "", "a b": "", "127.0.0.1.": "127.0.0.1",
	} {
		if got, err := Site(in); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", in, got, err, want)
		}
	}
}
