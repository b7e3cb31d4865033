package certs

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestParseHostRefuses(t *testing.T) {
	for _, host := range []string{
		"", ".", "a..example", "*.example", "a b.example", "a.example:443", "http://a.example", "a\x00.example", "a\n",
		strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 127) + "example", "::g", "a/b", "a@b",
		strings.Repeat("ü", 1<<20),
		// Forms that are not canonical: the caller compared another.
		"NEWS.example", "news.example.", "bücher.example", "１２７.0.1.5", "127.0.1.5.", "[2001:db8::1]", "2001:DB8::1", "fe80::1%eth0",
		"::ffff:192.0.2.1",
	} {
		n, err := parseHost(host)
		if !errors.Is(err, errHost) {
			t.Errorf("parseHost(%q) = %q, %v; want errHost", host, n, err)
		}
	}
}

func TestUnusableHostFailsTheHandshakeAlone(t *testing.T) {
	a := create(t, t.TempDir(), time.Now)
	if _, err := a.TLSConfig("*.example").GetCertificate(nil); !errors.Is(err, errHost) {
		t.Errorf("error %v, want errHost", err)
	}
}

// For any CONNECT target, the outcome is an error or exactly that name, in a form that x509 can put into a certificate.
func FuzzParseHost(f *testing.F) {
	for _, s := range []string{"news.example", "BÜCHER.example.", "127.0.0.1", "[::1]", "fe80::1%lo", "*.a", "xn--a", "a_b", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, host string) {
		n, err := parseHost(host)
		if err != nil {
			if !errors.Is(err, errHost) {
				t.Fatalf("%q: %v", host, err)
			}
			return
		}
		if n.String() != host {
			t.Fatalf("%q gives %q", host, n)
		}
		plain := regexp.MustCompile(`^[a-z0-9_-]+(\.[a-z0-9_-]+)*$`).MatchString(n.dns) && len(n.dns) <= maxName
		if n.ip.IsValid() == (n.dns != "") || !n.ip.IsValid() && !plain {
			t.Fatalf("%q gives %+v", host, n)
		}
	})
}
