package dial

import (
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"time"

	"golang.org/x/crypto/ocsp"
)

// minRSA is the least length of an origin's RSA key in bits. Public CAs sign no shorter key (CA/Browser Forum, Baseline
// Requirements §6.1.5), but crypto/tls does not check it.
const minRSA = 2048

// CertificateFault is what is wrong with a certificate although its chain is good.
type CertificateFault uint8

const (
	// faultWeakKey: the key is too short.
	WeakKey CertificateFault = iota
	// faultRevoked: the issuer has revoked the certificate.
	Revoked
	// faultNoStaple: the certificate demands a stapled OCSP response, and there is no valid one.
	NoStaple
)

// CertificateError says that a certificate is not good enough although its chain is.
type CertificateError struct {
	Fault  CertificateFault
	detail string
}

// Error implements error.
func (e *CertificateError) Error() string { return "certificate refused: " + e.detail }

// verifyMore checks what crypto/tls leaves out: weak keys, and the statement on revocation that the site itself sends.
// It asks nobody else about revocation. That would tell the issuer who reads what, and would fail whenever the issuer's
// server fails.
func verifyMore(cs tls.ConnectionState, now time.Time) error {
	chain, err := strongChain(cs.VerifiedChains)
	if err != nil {
		return err
	}
	return checkStaple(chain, cs.OCSPResponse, now)
}

// strongChain returns the first chain without a weak key. The keys of roots are not checked: roots are trusted as they
// are.
func strongChain(chains [][]*x509.Certificate) (chain []*x509.Certificate, err error) {
	for _, c := range chains {
		if err = weakKey(c[:max(1, len(c)-1)]); err == nil {
			return c, nil
		}
	}
	return nil, err
}

func weakKey(certs []*x509.Certificate) error {
	for _, c := range certs {
		bits, least := 0, 0
		switch k := c.PublicKey.(type) {
		case *rsa.PublicKey:
			bits, least = k.N.BitLen(), minRSA
		case *ecdsa.PublicKey:
			bits, least = k.Params().BitSize, 256
		}
		if bits < least {
			return &CertificateError{WeakKey, fmt.Sprintf("a key of %d bits, want %d", bits, least)}
		}
	}
	return nil
}

// checkStaple reads the statement of the issuer that the site has stapled to the handshake (RFC 6066 §8). A statement
// that can't be read or is out of date counts as none, which is an error only where the certificate demands one.
func checkStaple(chain []*x509.Certificate, staple []byte, now time.Time) error {
	if len(chain) < 2 {
		return nil
	}
	status := ocsp.Unknown
	if r, err := ocsp.ParseResponseForCert(staple, chain[0], chain[1]); len(staple) > 0 && err == nil && staplesAt(r, now) {
		status = r.Status
	}
	switch {
	case status == ocsp.Revoked:
		return &CertificateError{Revoked, "its issuer has revoked it"}
	case status != ocsp.Good && mustStaple(chain[0]):
		return &CertificateError{NoStaple, "it demands a stapled OCSP response, and there is no valid one"}
	}
	return nil
}

// staplesAt reports whether a statement holds at a time. A revocation is final.
func staplesAt(r *ocsp.Response, now time.Time) bool {
	const skew = time.Hour
	return r.Status == ocsp.Revoked || !now.Before(r.ThisUpdate.Add(-skew)) && (r.NextUpdate.IsZero() || now.Before(r.NextUpdate.Add(skew)))
}

// mustStaple reports whether a certificate demands a stapled statement (RFC 7633).
func mustStaple(c *x509.Certificate) bool {
	const statusRequest = 5
	for _, e := range c.Extensions {
		var features []int
		if e.Id.Equal(asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 24}) {
			if _, err := asn1.Unmarshal(e.Value, &features); err != nil {
				continue
			}
		}
		for _, f := range features {
			if f == statusRequest {
				return true
			}
		}
	}
	return false
}
