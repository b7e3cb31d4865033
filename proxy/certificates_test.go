package proxy

import (
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"github.com/winnow-proxy/winnow/proxy/failure"
	"github.com/winnow-proxy/winnow/proxy/internal/testcerts"
)

// Every way in which an origin's certificate can be bad has its own page, which says what is wrong and what to do, and
// there is no way around it that a client could take.
func TestBadCertificatesAreExplained(t *testing.T) {
	t.Parallel()
	ca, rsaCA := testcerts.NewIssuer(t, testcerts.NewECDSA(t, elliptic.P256())), testcerts.NewIssuer(t, testcerts.NewRSA(t, 2048))
	stranger := testcerts.NewIssuer(t, testcerts.NewECDSA(t, elliptic.P256()))
	key, now := testcerts.NewECDSA(t, elliptic.P256()), time.Now()
	self, _ := selfSigned(t, now.Add(time.Hour))
	incomplete := ca.Through(key, key)
	incomplete.Certificate = incomplete.Certificate[:1]

	r := newWorld(t, func(o *Options) {
		o.UpstreamRoots.AddCert(ca.Cert)
		o.UpstreamRoots.AddCert(rsaCA.Cert)
	})
	for _, tc := range []struct {
		name   string
		cert   tls.Certificate
		reason failure.Reason // empty: nothing is wrong
		holds  string
	}{
		{"good", ca.Issue(key, nil), "", ""},
		{"good, through an intermediate", ca.Through(key, key), "", ""},
		{"good, RSA of 2048 bits", rsaCA.Issue(testcerts.NewRSA(t, 2048), nil), "", ""},
		{"expired", ca.Issue(key, func(c *x509.Certificate) { c.NotAfter = now.Add(-time.Minute) }), failure.TLSExpired,
			"ended on " + now.Add(-time.Minute).UTC().Format("2 January 2006")},
		{"not yet valid", ca.Issue(key, func(c *x509.Certificate) { c.NotBefore = now.Add(30 * time.Minute) }), failure.TLSNotYet, "holds from"},
		{"wrong name", ca.Issue(key, func(c *x509.Certificate) { c.DNSNames = []string{"*.other.test"} }), failure.TLSName,
			"is for *.other.test, not for site.test"},
		{"no name", ca.Issue(key, func(c *x509.Certificate) { c.DNSNames, c.Subject.CommonName = nil, "site.test" }), failure.TLSName, "not for site.test"},
		{"self-signed", self, failure.TLSSelfSigned, "--upstream-ca"},
		{"unknown issuer", stranger.Issue(key, nil), failure.TLSIssuer, "--upstream-ca"},
		{"intermediate left out", incomplete, failure.TLSIssuer, "leaves out the certificates in between"},
		{"RSA of 1024 bits", ca.Issue(testcerts.NewRSA(t, 1024), nil), failure.TLSWeak, "too short"},
		{"RSA of 1024 bits between", ca.Through(key, testcerts.NewRSA(t, 1024)), failure.TLSWeak, "too short"},
		{"ECDSA of 224 bits between", ca.Through(key, testcerts.NewECDSA(t, elliptic.P224())), failure.TLSWeak, "too short"},
		{"SHA-1 and RSA", rsaCA.Issue(key, testcerts.SignedBy(x509.SHA1WithRSA)), failure.TLSWeak, "can be forged"},
		{"SHA-1 and ECDSA", ca.Issue(key, testcerts.SignedBy(x509.ECDSAWithSHA1)), failure.TLSWeak, "can be forged"},
		{"MD5", testcerts.AsMD5(t, rsaCA.Issue(key, testcerts.SignedBy(x509.SHA1WithRSA))), failure.TLSWeak, "can be forged"},
		{"not for servers", ca.Issue(key, func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection}
		}), failure.TLS, "may not be used this way"},
		{"revoked", ca.Stapled(ca.Issue(key, nil), ocsp.Revoked, now), failure.TLSRevoked, "called it back"},
		{"revoked long ago", ca.Stapled(ca.Issue(key, nil), ocsp.Revoked, now.Add(-99*time.Hour)), failure.TLSRevoked, "called it back"},
		{"not revoked", ca.Stapled(ca.Issue(key, nil), ocsp.Good, now), "", ""},
		{"word of somebody else", stranger.Stapled(ca.Issue(key, nil), ocsp.Revoked, now), "", ""},
		{"word demanded and there", ca.Stapled(ca.Issue(key, testcerts.DemandsStaple), ocsp.Good, now), "", ""},
		{"word demanded, none there", ca.Issue(key, testcerts.DemandsStaple), failure.TLSRevocation, "Try again"},
		{"word demanded, out of date", ca.Stapled(ca.Issue(key, testcerts.DemandsStaple), ocsp.Good, now.Add(-99*time.Hour)), failure.TLSRevocation, "Try again"},
		{"word demanded, unknown", ca.Stapled(ca.Issue(key, testcerts.DemandsStaple), ocsp.Unknown, now), failure.TLSRevocation, "Try again"},
		{"word demanded, somebody else's", stranger.Stapled(ca.Issue(key, testcerts.DemandsStaple), ocsp.Good, now), failure.TLSRevocation, "Try again"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u := r.tlsOrigin("127.0.1.1", "site.test", &tls.Config{Certificates: []tls.Certificate{tc.cert}}, tell)
			for range 2 { // the second time, TLS would resume a session
				resp, body := get(t, r.client(true), u, "Accept", "text/html")
				if tc.reason == "" {
					if resp.StatusCode != 200 {
						t.Errorf("%s: %s", resp.Status, body)
					}
					continue
				}
				if resp.StatusCode != 502 || resp.Header.Get("Winnow") != "failed; reason="+string(tc.reason) {
					t.Errorf("%s, Winnow %q: %s", resp.Status, resp.Header.Get("Winnow"), body)
				}
				checkPage(t, resp, body, "text/html", tc.holds)
			}
		})
	}
}
