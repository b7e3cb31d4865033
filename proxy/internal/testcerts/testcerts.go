// Package testcerts issues certificates for tests, good and bad ones.
package testcerts

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
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
)

// Issuer is a CA that signs whatever it is asked to.
type Issuer struct {
	t    testing.TB
	Cert *x509.Certificate
	key  crypto.Signer
}

// NewIssuer returns a CA with a key.
func NewIssuer(t testing.TB, key crypto.Signer) *Issuer {
	t.Helper()
	tpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "An Authority"}, IsCA: true,
		NotBefore: time.Now().Add(-1000 * time.Hour), NotAfter: time.Now().Add(1000 * time.Hour), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	return &Issuer{t, Parse(t, sign(t, tpl, tpl, key.Public(), key)), key}
}

func sign(t testing.TB, tpl, parent *x509.Certificate, public crypto.PublicKey, key crypto.Signer) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, tpl, parent, public, key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// Parse reads a certificate in DER form.
func Parse(t testing.TB, der []byte) *x509.Certificate {
	t.Helper()
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// NewECDSA makes a key on a curve.
func NewECDSA(t testing.TB, curve elliptic.Curve) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// NewRSA makes a key of a length in bits.
func NewRSA(t testing.TB, bits int) crypto.Signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Issue makes a certificate for site.test, good but for what tweak does to it.
func (i *Issuer) Issue(key crypto.Signer, tweak func(*x509.Certificate)) tls.Certificate {
	i.t.Helper()
	tpl := &x509.Certificate{SerialNumber: big.NewInt(7), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"site.test"}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	if tweak != nil {
		tweak(tpl)
	}
	return tls.Certificate{Certificate: [][]byte{sign(i.t, tpl, i.Cert, key.Public(), i.key)}, PrivateKey: key}
}

// SignedBy is an Issue's tweak: the algorithm of the signature.
func SignedBy(a x509.SignatureAlgorithm) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.SignatureAlgorithm = a }
}

// Through makes a certificate that is signed by an intermediate with the key between.
func (i *Issuer) Through(key, between crypto.Signer) tls.Certificate {
	i.t.Helper()
	middle := &Issuer{i.t, Parse(i.t, i.Issue(between, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage, c.Subject.CommonName = true, true, x509.KeyUsageCertSign, "In Between"
	}).Certificate[0]), between}
	c := middle.Issue(key, nil)
	c.Certificate = append(c.Certificate, middle.Cert.Raw)
	return c
}

// Stapled adds the issuer's word on c: good, revoked or unknown, given at a time and good for an hour.
func (i *Issuer) Stapled(c tls.Certificate, status int, at time.Time) tls.Certificate {
	i.t.Helper()
	staple, err := ocsp.CreateResponse(i.Cert, i.Cert, ocsp.Response{Status: status, SerialNumber: big.NewInt(7), ThisUpdate: at,
		NextUpdate: at.Add(time.Hour), RevokedAt: at}, i.key)
	if err != nil {
		i.t.Fatal(err)
	}
	c.OCSPStaple = staple
	return c
}

// DemandsStaple makes a certificate one that is only good with a stapled OCSP response.
func DemandsStaple(c *x509.Certificate) {
	value, _ := asn1.Marshal([]int{5})
	c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 24}, Value: value})
}

// AsMD5 makes a certificate that is signed with SHA-1 and RSA say MD5. The signature is no good then, but MD5 is worse.
func AsMD5(t *testing.T, c tls.Certificate) tls.Certificate {
	t.Helper()
	sha1OID, _ := asn1.Marshal(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 5})
	md5OID, _ := asn1.Marshal(asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 4})
	der := bytes.ReplaceAll(c.Certificate[0], sha1OID, md5OID)
	if got := Parse(t, der).SignatureAlgorithm; got != x509.MD5WithRSA {
		t.Fatal(got)
	}
	c.Certificate = [][]byte{der}
	return c
}
