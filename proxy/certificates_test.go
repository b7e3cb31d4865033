package proxy

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
)

// issuer is a CA that signs whatever it is asked to.
type issuer struct {
	t    testing.TB
	cert *x509.Certificate
	key  crypto.Signer
}

func newIssuer(t testing.TB, key crypto.Signer) *issuer {
	t.Helper()
	tpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "An Authority"}, IsCA: true,
		NotBefore: time.Now().Add(-1000 * time.Hour), NotAfter: time.Now().Add(1000 * time.Hour), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	return &issuer{t, parse(t, sign(t, tpl, tpl, key.Public(), key)), key}
}

func sign(t testing.TB, tpl, parent *x509.Certificate, public crypto.PublicKey, key crypto.Signer) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, tpl, parent, public, key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func parse(t testing.TB, der []byte) *x509.Certificate {
	t.Helper()
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newECDSA(t testing.TB, curve elliptic.Curve) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newRSA(t testing.TB, bits int) crypto.Signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// issue makes a certificate for site.test, good but for what tweak does to it.
func (i *issuer) issue(key crypto.Signer, tweak func(*x509.Certificate)) tls.Certificate {
	i.t.Helper()
	tpl := &x509.Certificate{SerialNumber: big.NewInt(7), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"site.test"}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	if tweak != nil {
		tweak(tpl)
	}
	return tls.Certificate{Certificate: [][]byte{sign(i.t, tpl, i.cert, key.Public(), i.key)}, PrivateKey: key}
}

// signedBy is an issue's tweak: the algorithm of the signature.
func signedBy(a x509.SignatureAlgorithm) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.SignatureAlgorithm = a }
}

// through makes a certificate that is signed by an intermediate with the key between.
func (i *issuer) through(key, between crypto.Signer) tls.Certificate {
	i.t.Helper()
	middle := &issuer{i.t, parse(i.t, i.issue(between, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage, c.Subject.CommonName = true, true, x509.KeyUsageCertSign, "In Between"
	}).Certificate[0]), between}
	c := middle.issue(key, nil)
	c.Certificate = append(c.Certificate, middle.cert.Raw)
	return c
}

// stapled adds the issuer's word on c: good, revoked or unknown, given at a time and good for an hour.
func (i *issuer) stapled(c tls.Certificate, status int, at time.Time) tls.Certificate {
	i.t.Helper()
	staple, err := ocsp.CreateResponse(i.cert, i.cert, ocsp.Response{Status: status, SerialNumber: big.NewInt(7), ThisUpdate: at,
		NextUpdate: at.Add(time.Hour), RevokedAt: at}, i.key)
	if err != nil {
		i.t.Fatal(err)
	}
	c.OCSPStaple = staple
	return c
}

// demandsStaple makes a certificate one that is only good with a stapled OCSP response.
func demandsStaple(c *x509.Certificate) {
	value, _ := asn1.Marshal([]int{5})
	c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 24}, Value: value})
}

// asMD5 makes a certificate that is signed with SHA-1 and RSA say MD5. The signature is no good then, but MD5 is worse.
func asMD5(t *testing.T, c tls.Certificate) tls.Certificate {
	t.Helper()
	sha1OID, _ := asn1.Marshal(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 5})
	md5OID, _ := asn1.Marshal(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 4})
	der := bytes.ReplaceAll(c.Certificate[0], sha1OID, md5OID)
	if got := parse(t, der).SignatureAlgorithm; got != x509.MD5WithRSA {
		t.Fatal(got)
	}
	c.Certificate = [][]byte{der}
	return c
}

// Every way in which an origin's certificate can be bad has its own page, which says what is wrong and what to do, and there
// is no way around it that a client could take.
func TestBadCertificatesAreExplained(t *testing.T) {
	t.Parallel()
	ca, rsaCA := newIssuer(t, newECDSA(t, elliptic.P256())), newIssuer(t, newRSA(t, 2048))
	stranger := newIssuer(t, newECDSA(t, elliptic.P256()))
	key, now := newECDSA(t, elliptic.P256()), time.Now()
	self, _ := selfSigned(t, now.Add(time.Hour))
	incomplete := ca.through(key, key)
	incomplete.Certificate = incomplete.Certificate[:1]

	r := newWorld(t, func(o *Options) {
		o.UpstreamRoots.AddCert(ca.cert)
		o.UpstreamRoots.AddCert(rsaCA.cert)
	})
	for _, tc := range []struct {
		name   string
		cert   tls.Certificate
		reason FailReason // empty: nothing is wrong
		holds  string
	}{
		{"good", ca.issue(key, nil), "", ""},
		{"good, through an intermediate", ca.through(key, key), "", ""},
		{"good, RSA of 2048 bits", rsaCA.issue(newRSA(t, 2048), nil), "", ""},
		{"expired", ca.issue(key, func(c *x509.Certificate) { c.NotAfter = now.Add(-time.Minute) }), FailTLSExpired,
			"ended on " + now.Add(-time.Minute).UTC().Format("2 January 2006")},
		{"not yet valid", ca.issue(key, func(c *x509.Certificate) { c.NotBefore = now.Add(30 * time.Minute) }), FailTLSNotYet, "holds from"},
		{"wrong name", ca.issue(key, func(c *x509.Certificate) { c.DNSNames = []string{"*.other.test"} }), FailTLSName,
			"is for *.other.test, not for site.test"},
		{"no name", ca.issue(key, func(c *x509.Certificate) { c.DNSNames, c.Subject.CommonName = nil, "site.test" }), FailTLSName, "not for site.test"},
		{"self-signed", self, FailTLSSelfSigned, "--upstream-ca"},
		{"unknown issuer", stranger.issue(key, nil), FailTLSIssuer, "--upstream-ca"},
		{"intermediate left out", incomplete, FailTLSIssuer, "leaves out the certificates in between"},
		{"RSA of 1024 bits", ca.issue(newRSA(t, 1024), nil), FailTLSWeak, "too short"},
		{"RSA of 1024 bits between", ca.through(key, newRSA(t, 1024)), FailTLSWeak, "too short"},
		{"ECDSA of 224 bits between", ca.through(key, newECDSA(t, elliptic.P224())), FailTLSWeak, "too short"},
		{"SHA-1 and RSA", rsaCA.issue(key, signedBy(x509.SHA1WithRSA)), FailTLSWeak, "can be forged"},
		{"SHA-1 and ECDSA", ca.issue(key, signedBy(x509.ECDSAWithSHA1)), FailTLSWeak, "can be forged"},
		{"MD5", asMD5(t, rsaCA.issue(key, signedBy(x509.SHA1WithRSA))), FailTLSWeak, "can be forged"},
		{"not for servers", ca.issue(key, func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection}
		}), FailTLS, "may not be used this way"},
		{"revoked", ca.stapled(ca.issue(key, nil), ocsp.Revoked, now), FailTLSRevoked, "called it back"},
		{"revoked long ago", ca.stapled(ca.issue(key, nil), ocsp.Revoked, now.Add(-99*time.Hour)), FailTLSRevoked, "called it back"},
		{"not revoked", ca.stapled(ca.issue(key, nil), ocsp.Good, now), "", ""},
		{"word of somebody else", stranger.stapled(ca.issue(key, nil), ocsp.Revoked, now), "", ""},
		{"word demanded and there", ca.stapled(ca.issue(key, demandsStaple), ocsp.Good, now), "", ""},
		{"word demanded, none there", ca.issue(key, demandsStaple), FailTLSRevocation, "Try again"},
		{"word demanded, out of date", ca.stapled(ca.issue(key, demandsStaple), ocsp.Good, now.Add(-99*time.Hour)), FailTLSRevocation, "Try again"},
		{"word demanded, unknown", ca.stapled(ca.issue(key, demandsStaple), ocsp.Unknown, now), FailTLSRevocation, "Try again"},
		{"word demanded, somebody else's", stranger.stapled(ca.issue(key, demandsStaple), ocsp.Good, now), FailTLSRevocation, "Try again"},
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

// A certificate writes what it likes where its names should stand.
func TestNamesOfCertificatesAreNotRepeatedBlindly(t *testing.T) {
	for _, names := range [][]string{{"<script>alert(1)</script>"}, {strings.Repeat("a", 81)}, {"a.test", "call 0900-1 now"}, nil} {
		if got := namesOf(&x509.Certificate{DNSNames: names}); got != "" {
			t.Errorf("%q", got)
		}
	}
	if got := namesOf(&x509.Certificate{DNSNames: []string{"a.test", "*.b.test", "c", "d"}}); got != "for a.test, *.b.test, c, " {
		t.Errorf("%q", got)
	}
}

// FuzzStaple checks that whatever a site staples to its handshake, nothing panics, and nothing but its issuer's word makes a
// certificate that demands one good.
func FuzzStaple(f *testing.F) {
	ca := newIssuer(f, newECDSA(f, elliptic.P256()))
	cert := ca.issue(newECDSA(f, elliptic.P256()), demandsStaple)
	chain := []*x509.Certificate{parse(f, cert.Certificate[0]), ca.cert}
	now := time.Now()
	good := map[string]bool{}
	for _, status := range []int{ocsp.Good, ocsp.Revoked, ocsp.Unknown} {
		staple := ca.stapled(cert, status, now).OCSPStaple
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
