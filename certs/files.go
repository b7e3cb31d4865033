package certs

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"runtime"
)

// readKey reads an ECDSA key in PKCS #8 and refuses a file that other users can read, because everybody with the key
// can impersonate any site to the clients that trust the CA.
func readKey(path string) (*ecdsa.PrivateKey, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read the CA key: %w", err)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("the CA key %s can be read by others (mode %#o): if nobody has read it, run 'chmod 600 %s'; "+
			"otherwise remove it and %s, and remove the old CA from the clients", path, perm, path, certFile)
	}
	der, err := readPEM(path, "PRIVATE KEY")
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("read the CA key %s: %w", path, err)
	}
	if ec, ok := key.(*ecdsa.PrivateKey); ok {
		return ec, nil
	}
	return nil, fmt.Errorf("the CA key %s is a %T, want an ECDSA key", path, key)
}

func readCert(path string) (*x509.Certificate, error) {
	der, err := readPEM(path, "CERTIFICATE")
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("read the CA certificate %s: %w", path, err)
	}
	return cert, nil
}

func readPEM(path, kind string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the CA: %w", err)
	}
	block, _ := pem.Decode(b)
	if block == nil || block.Type != kind {
		return nil, fmt.Errorf("%s holds no PEM block %q: restore it, or remove %s and %s to make a new CA",
			path, kind, certFile, keyFile)
	}
	return block.Bytes, nil
}
