package dial

import (
	"crypto/elliptic"
	"crypto/x509"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"github.com/winnow-proxy/winnow/proxy/internal/testcerts"
)

// FuzzStaple checks that whatever a site staples to its handshake, nothing panics, and nothing but its issuer's word
// makes a certificate that demands one good.
func FuzzStaple(f *testing.F) {
	ca := testcerts.NewIssuer(f, testcerts.NewECDSA(f, elliptic.P256()))
	cert := ca.Issue(testcerts.NewECDSA(f, elliptic.P256()), testcerts.DemandsStaple)
	chain := []*x509.Certificate{testcerts.Parse(f, cert.Certificate[0]), ca.Cert}
	now := time.Now()
	good := map[string]bool{}
	for _, status := range []int{ocsp.Good, ocsp.Revoked, ocsp.Unknown} {
		staple := ca.Stapled(cert, status, now).OCSPStaple
		good[string(staple)] = status == ocsp.Good
		f.Add(staple)
		f.Add(staple[:len(staple)/2])
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, staple []byte) {
		err := checkStaple(chain, staple, now)
		if response, parseErr := ocsp.ParseResponseForCert(staple, chain[0], chain[1]); err == nil && (parseErr != nil || response.Status != ocsp.Good) {
			t.Fatalf("taken as good: %x, %v", staple, parseErr)
		}
		if good[string(staple)] && err != nil {
			t.Fatalf("the issuer's own word: %v", err)
		}
	})
}
