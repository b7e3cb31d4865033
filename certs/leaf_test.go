package certs

import (
	"crypto/x509"
	"encoding/asn1"
	"sync"
	"testing"
	"time"
)

func leafFor(t *testing.T, a *Authority, host string) *x509.Certificate {
	t.Helper()
	cert, err := a.TLSConfig(host).GetCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	return cert.Leaf
}

func TestLeafIsOfTheStatedShape(t *testing.T) {
	c := newClock()
	a := create(t, t.TempDir(), c.now)
	leaf := leafFor(t, a, "news.example")
	if got := leaf.Subject.String(); got != "" {
		t.Errorf("subject %q, want none", got)
	}
	if !sanIsCritical(t, leaf) {
		t.Error("the SAN is not critical although the subject is empty (RFC 5280, section 4.2.1.6)")
	}
	if leaf.IsCA || leaf.KeyUsage != x509.KeyUsageDigitalSignature {
		t.Errorf("CA %v, usage %v", leaf.IsCA, leaf.KeyUsage)
	}
	if n := leaf.SerialNumber.BitLen(); n > 128 || n < 64 {
		t.Errorf("serial number of %d bits, want about 127 random ones", n)
	}
	if got := leaf.NotAfter.Sub(leaf.NotBefore); got != leafLifetime {
		t.Errorf("lifetime %v, want %v", got, leafLifetime)
	}
	if got := c.t.Sub(leaf.NotBefore); got != backdate {
		t.Errorf("backdated by %v, want %v", got, backdate)
	}
	opts := x509.VerifyOptions{Roots: a.Pool(), DNSName: "news.example", CurrentTime: c.t}
	if _, err := leaf.Verify(opts); err != nil {
		t.Error(err)
	}
}

func sanIsCritical(t *testing.T, cert *x509.Certificate) bool {
	t.Helper()
	for _, e := range cert.Extensions {
		if e.Id.Equal(asn1.ObjectIdentifier{2, 5, 29, 17}) {
			return e.Critical
		}
	}
	t.Fatal("no SAN")
	return false
}

func TestLeafIsForTheHostAlone(t *testing.T) {
	a := create(t, t.TempDir(), time.Now)
	for _, tt := range []struct{ host, matches, not string }{
		{"news.example", "news.example", "www.news.example"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example", "bucher.example"},
		{"a_b.example", "a_b.example", "ab.example"},
		{"localhost", "localhost", "127.0.0.1"},
		{"127.0.1.5", "127.0.1.5", "127.0.1.6"},
		{"2001:db8::1", "2001:db8::1", "2001:db8::2"},
	} {
		leaf := leafFor(t, a, tt.host)
		if n := len(leaf.DNSNames) + len(leaf.IPAddresses); n != 1 {
			t.Errorf("%s: %d names, want 1: browsers share connections among the names of a certificate", tt.host, n)
		}
		if err := leaf.VerifyHostname(tt.matches); err != nil {
			t.Errorf("%s: %v", tt.host, err)
		}
		if leaf.VerifyHostname(tt.not) == nil {
			t.Errorf("%s: the certificate is good for %s too", tt.host, tt.not)
		}
	}
}

func TestLeafIsKeptAndRenewed(t *testing.T) {
	c := newClock()
	a := create(t, t.TempDir(), c.now)
	first := leafFor(t, a, "news.example")
	c.t = first.NotAfter.Add(-renewBefore - time.Hour)
	if !leafFor(t, a, "news.example").Equal(first) {
		t.Error("minted again although the first is still good")
	}
	c.t = first.NotAfter.Add(-renewBefore + time.Hour)
	second := leafFor(t, a, "news.example")
	if second.Equal(first) || !second.NotAfter.After(first.NotAfter) {
		t.Error("not renewed a month before it expires")
	}
}

// Clients with a correct clock get a valid leaf, whatever the clock was when the leaf was minted.
func TestLeavesSurviveClockJumps(t *testing.T) {
	for _, jump := range []time.Duration{-10 * 365 * 24 * time.Hour, -time.Hour, -72 * time.Hour, time.Hour, 365 * 24 * time.Hour} {
		c := newClock()
		right := c.t
		a := create(t, t.TempDir(), c.now)
		c.t = right.Add(jump)
		wrong := leafFor(t, a, "news.example")
		c.t = right
		leaf := leafFor(t, a, "news.example")
		if right.Before(leaf.NotBefore) || right.After(leaf.NotAfter) {
			t.Errorf("minted %v off: clients get a leaf that holds from %v to %v", jump, leaf.NotBefore, leaf.NotAfter)
		}
		if jump.Abs() == time.Hour && !leaf.Equal(wrong) {
			t.Errorf("minted %v off: minted again although the first is still good", jump)
		}
	}
}

func TestLeafEndsWithTheCA(t *testing.T) {
	c := newClock()
	a := create(t, t.TempDir(), c.now)
	c.t = a.Certificate().NotAfter.Add(-10 * 24 * time.Hour)
	leaf := leafFor(t, a, "news.example")
	if !leaf.NotAfter.Equal(a.Certificate().NotAfter) {
		t.Errorf("leaf ends %v, CA %v", leaf.NotAfter, a.Certificate().NotAfter)
	}
	if !leafFor(t, a, "news.example").Equal(leaf) {
		t.Error("minted on every connection at the end of the CA's life")
	}
}

// A browser opens six connections at once. All get the same certificate.
func TestConcurrentHandshakesMintOnce(t *testing.T) {
	a := create(t, t.TempDir(), time.Now)
	serials := make([]string, 16)
	var wg sync.WaitGroup
	for i := range serials {
		wg.Go(func() {
			cert, err := a.TLSConfig("news.example").GetCertificate(nil)
			if err != nil {
				t.Error(err)
				return
			}
			serials[i] = cert.Leaf.SerialNumber.String()
		})
	}
	wg.Wait()
	for _, s := range serials {
		if s != serials[0] {
			t.Fatalf("several certificates for one host: %v", serials)
		}
	}
}

func TestLeafCacheIsBounded(t *testing.T) {
	a := create(t, t.TempDir(), time.Now)
	a.leaves.Resize(10)
	for i := range 50 {
		leafFor(t, a, string(rune('a'+i%25))+"x"+string(rune('a'+i/25))+".example")
	}
	if n := a.leaves.Len(); n != 10 {
		t.Errorf("%d leaves in memory, want 10", n)
	}
}

func BenchmarkMint(b *testing.B) {
	a, err := LoadOrCreate(b.TempDir(), time.Now)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := a.mint(name{dns: "news.example"}); err != nil {
			b.Fatal(err)
		}
	}
}
