package hostname

import (
	"crypto/x509"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/certs"
)

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"Example.ORG.": "example.org", "bücher.example": "xn--bcher-kva.example", "XN--BCHER-KVA.example": "xn--bcher-kva.example",
		"a_b.example": "a_b.example", "r3---sn-x.example": "r3---sn-x.example", "１２７.0.0.1": "127.0.0.1", "::FFFF:10.0.0.1": "10.0.0.1",
		"[fe80::1%eth0]": "fe80::1", "localhost": "localhost", "0x7f.1": "0x7f.1",
	} {
		if got, err := Canonical(in); got != want || err != nil {
			t.Errorf("Canonical(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", ".", "..", "a..example", "*.example", "a b", "a/b", "a@b", "a:1", "https://a", "\xff",
		strings.Repeat("a", 64), strings.Repeat("a.", 127) + "example", strings.Repeat("ü", 1<<20)} {
		if got, err := Canonical(in); !errors.Is(err, ErrInvalid) {
			t.Errorf("Canonical(%.40q) = %q, %v, want ErrInvalid", in, got, err)
		}
	}
}

// FuzzAgree checks that all users of a host name agree: a canonical name does not change, and the URL, the model, a
// pattern and the certificate have the same name.
func FuzzAgree(f *testing.F) {
	for _, s := range []string{"Example.org", "bücher.example.", "[::1]", "fe80::1%eth0", "127.0.0.1.", "１２７.1", "a_b", "*.a", "xn--a",
		"a..b", "-a.example", "r3---sn.example", "ａ.example", "faß.de", "i❤.ws", "a\u200db"} {
		f.Add(s)
	}
	authority, err := certs.LoadOrCreate(f.TempDir(), time.Now)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host, err := Canonical(s)
		if err != nil {
			return
		}
		if again, err := Canonical(host); again != host || err != nil {
			t.Fatalf("%q is %q, which is %q, %v", s, host, again, err)
		}
		site, err := Site(host)
		if err != nil {
			t.Fatalf("%q is no site: %v", host, err)
		}
		if of, err := SiteOf(&url.URL{Scheme: "https", Host: site}); of != site || err != nil {
			t.Fatalf("%q: the URL's model is %q, %v, the name's is %q", s, of, err, site)
		}
		var table Table[bool]
		if err := table.Add(s, true); err == nil {
			if _, ok := table.Lookup(site); !ok {
				t.Fatalf("the pattern %q does not match %q", s, site)
			}
		}
		certificateIsFor(t, authority, host)
	})
}

func certificateIsFor(t *testing.T, authority *certs.Authority, host string) {
	t.Helper()
	cert, err := authority.TLSConfig(host).GetCertificate(nil)
	if err != nil {
		t.Fatalf("%q: no certificate: %v", host, err)
	}
	leaf, err := x509.ParseCertificate(cert.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	names := leaf.DNSNames
	for _, ip := range leaf.IPAddresses {
		addr, _ := netip.AddrFromSlice(ip)
		names = append(names, addr.String())
	}
	if len(names) != 1 || names[0] != host {
		t.Fatalf("the certificate of %q is for %q", host, names)
	}
}
