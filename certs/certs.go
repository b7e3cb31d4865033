// Package certs is the local certificate authority. It creates the CA on first use, keeps it in the data directory, and
// mints a leaf certificate for each host whose TLS is intercepted.
//
// The certificates have the form that mkcert and mitmproxy found every client to accept: a CA of ten years that can
// sign leaves only, and leaves of at most 199 days with the name in the SAN only.
package certs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

// leafCacheSize bounds the leaf certificates in memory, about 2 KB each. A miss costs one signature (50 µs).
const leafCacheSize = 4096

// Authority is the local CA. It is safe for concurrent use.
type Authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	now  func() time.Time
	// profile is the result of MobileConfig.
	profile []byte

	leafKey *ecdsa.PrivateKey // one for all leaves of this process, never written to disk
	leaves  *lru.Cache[string, *tls.Certificate]
	minting singleflight.Group
	tickets *ticketSecrets
}

// LoadOrCreate reads the CA from dir (ca.pem and ca-key.pem) and creates what is missing: dir with mode 0700, the key
// with 0600. Processes that create it at the same moment get the same CA. LoadOrCreate refuses a key file that others
// can read, a certificate that does not belong to the key, and an expired certificate. now is the clock: time.Now
// outside of tests.
func LoadOrCreate(dir string, now func() time.Time) (*Authority, error) {
	cert, key, err := loadOrCreateCA(dir, now())
	if err != nil {
		return nil, err
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of the leaf certificates: %w", err)
	}
	leaves, err := lru.New[string, *tls.Certificate](leafCacheSize)
	if err != nil {
		return nil, fmt.Errorf("make the cache of leaf certificates: %w", err)
	}
	profile, err := newProfile(cert)
	if err != nil {
		return nil, err
	}
	return &Authority{
		dir: dir, cert: cert, key: key, profile: profile, now: now,
		leafKey: leafKey, leaves: leaves, tickets: newTicketSecrets(now()),
	}, nil
}

// PEM returns the CA certificate in PEM.
func (a *Authority) PEM() []byte { return encodeCertificate(a.cert.Raw) }

// DER returns the CA certificate in DER.
func (a *Authority) DER() []byte { return bytes.Clone(a.cert.Raw) }

// Certificate returns the CA certificate. The caller must not change it.
func (a *Authority) Certificate() *x509.Certificate { return a.cert }

// Pool returns a new pool that contains only the CA, for clients that should trust nothing else.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// Fingerprint returns the SHA-256 of the CA certificate in the format of trust dialogues: AA:BB:….
func (a *Authority) Fingerprint() string {
	sum := sha256.Sum256(a.cert.Raw)
	return strings.ReplaceAll(fmt.Sprintf("% X", sum[:]), " ", ":")
}

func encodeCertificate(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// newSerial returns a random serial number of at most 127 bits, so that its DER needs no leading zero octet. RFC 5280,
// section 4.1.2.2 allows 20 octets and requires a positive number.
func newSerial() (*big.Int, error) {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("make a serial number: %w", err)
	}
	return n.Add(n, big.NewInt(1)), nil // 0 is not allowed
}
