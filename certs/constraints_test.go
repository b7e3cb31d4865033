package certs

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"
)

// A CA that is constrained speaks for its hosts alone, and for as long as it was made for.
func TestConstraints(t *testing.T) {
	dir, clock := t.TempDir(), newClock()
	a, err := Create(dir, Constraints{Hosts: []string{"news.example", "192.0.2.1"}, Life: 30 * 24 * time.Hour}, clock.now)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{"news.example": true, "www.news.example": true, "192.0.2.1": true, "other.example": false,
		"notnews.example": false, "192.0.2.2": false, "2001:db8::1": false} {
		leaf, err := a.TLSConfig(host).GetCertificate(&tls.ClientHelloInfo{ServerName: host})
		if err != nil {
			t.Fatal(err)
		}
		cert, err := x509.ParseCertificate(leaf.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cert.Verify(x509.VerifyOptions{Roots: a.Pool(), DNSName: host, CurrentTime: clock.now()}); (err == nil) != want {
			t.Errorf("%s: %v", host, err)
		}
	}
	if got := a.Certificate().NotAfter.Sub(clock.now()); got != 30*24*time.Hour {
		t.Errorf("valid for %s", got)
	}
	if _, err := Create(dir, Constraints{}, clock.now); err == nil {
		t.Error("a second CA took the place of the first")
	}
}
