package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/cache/durable"
)

const (
	keyFile  = "ca-key.pem"
	certFile = "ca.pem"

	caLifetime = 10 * 365 * 24 * time.Hour
	// backdate allows for clients whose clock is behind.
	backdate = 2 * 24 * time.Hour
)

// loadOrCreateCA creates the key first, and then the certificate from the key that is in place. Both files appear
// complete and are never replaced. So when several processes start at once, one of them creates each file and all read
// the same pair.
func loadOrCreateCA(dir string, now time.Time) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the data directory: %w", err)
	}
	key, err := loadOrCreateKey(dir)
	if err != nil {
		return nil, nil, err
	}
	cert, err := loadOrCreateCert(dir, key, now)
	if err != nil {
		return nil, nil, err
	}
	return cert, key, checkCA(filepath.Join(dir, certFile), cert, key, now)
}

func loadOrCreateKey(dir string) (*ecdsa.PrivateKey, error) {
	path := filepath.Join(dir, keyFile)
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if _, err := os.Stat(filepath.Join(dir, certFile)); err == nil {
		// Another process may have created both files just now. If it has not, the key is lost.
		if key, err := readKey(path); !errors.Is(err, fs.ErrNotExist) {
			return key, err
		}
		return nil, fmt.Errorf("%s is there but its key %s is missing: restore the key, or remove %s to make a new CA "+
			"(which every client must then trust)", certFile, path, certFile)
	}
	key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the CA key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode the CA key: %w", err)
	}
	if err := durable.Create(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		return nil, fmt.Errorf("write the CA key: %w", err)
	}
	return readKey(path) // this process's key, or that of a faster process
}

func loadOrCreateCert(dir string, key *ecdsa.PrivateKey, now time.Time) (*x509.Certificate, error) {
	path := filepath.Join(dir, certFile)
	cert, err := readCert(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return cert, err
	}
	der, err := newCA(key, now, Constraints{})
	if err != nil {
		return nil, err
	}
	if err := durable.Create(path, encodeCertificate(der), 0o644); err != nil {
		return nil, fmt.Errorf("write the CA certificate: %w", err)
	}
	return readCert(path)
}

// newCA returns a self-signed certificate for key in DER.
func newCA(key *ecdsa.PrivateKey, now time.Time, c Constraints) ([]byte, error) {
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	name, err := caName(key)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{Organization: []string{"winnow"}, CommonName: name},
		NotBefore:             now.Add(-backdate),
		NotAfter:              now.Add(caLifetime),
		KeyUsage:              x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}
	c.apply(template)
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("sign the CA certificate: %w", err)
	}
	return der, nil
}

// caName names the CA so that people can tell the CAs of two machines or installations apart in trust dialogues. iOS
// shows only the common name, which has at most 64 characters (RFC 5280, ub-common-name).
func caName(key *ecdsa.PrivateKey) (string, error) {
	spki, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return "", fmt.Errorf("encode the CA's public key: %w", err)
	}
	sum := sha256.Sum256(spki)
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "this machine"
	}
	return "winnow CA " + shortened(host) + " " + hex.EncodeToString(sum[:4]), nil
}

// maxLabel is the most bytes of the machine's name in that of a CA.
const maxLabel = 40

// shortened returns as much of a machine's name as the name of a CA has room for: whole characters, because a
// certificate takes no others.
func shortened(host string) string { return strings.ToValidUTF8(host[:min(len(host), maxLabel)], "") }

// checkCA refuses a pair whose certificates no client would accept.
func checkCA(path string, cert *x509.Certificate, key *ecdsa.PrivateKey, now time.Time) error {
	switch {
	case !key.PublicKey.Equal(cert.PublicKey):
		return fmt.Errorf("%s does not belong to %s beside it: restore the pair, or remove both to make a new CA",
			path, keyFile)
	case !cert.IsCA:
		return fmt.Errorf("%s is not a CA certificate: restore it, or remove it to make a new one", path)
	case now.After(cert.NotAfter):
		return fmt.Errorf("%s expired on %s: remove %s and %s to make a new CA, and install that on the clients",
			path, cert.NotAfter.Format(time.DateOnly), certFile, keyFile)
	}
	return nil
}
