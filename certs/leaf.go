package certs

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"time"
)

const (
	// leafLifetime is the lifetime that mitmproxy uses. It is below every limit of clients (Apple allows 825 days for
	// user-added roots; public CAs move towards 200).
	leafLifetime = 199 * 24 * time.Hour
	// renewBefore leaves a month to clients that cache the certificate.
	renewBefore = 30 * 24 * time.Hour
)

// TLSConfig returns the server's TLS configuration for an intercepted CONNECT to host (a DNS name or an IP address in
// canonical form, without port): HTTP/2 and HTTP/1.1, at least TLS 1.2, and sessions that resume only on connections to
// the same host. The certificate is always for host, whatever name the client's SNI asks for: the model, the access
// rules and the upstream connection all use the CONNECT target, and a client that expects another name must notice. The
// handshake fails for a host that can't have a certificate. The caller may change the returned config.
func (a *Authority) TLSConfig(host string) *tls.Config {
	n, err := parseHost(host)
	config := &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			if err != nil {
				return nil, err
			}
			return a.leaf(n)
		},
	}
	if err == nil {
		config.SetSessionTicketKeys(a.tickets.keys(n.String(), a.now()))
	}
	return config
}

// leaf returns the certificate for n. It mints it on first use and again before it expires.
func (a *Authority) leaf(n name) (*tls.Certificate, error) {
	key := n.String()
	if cert, ok := a.leaves.Get(key); ok && a.fresh(cert) {
		return cert, nil
	}
	cert, err, _ := a.minting.Do(key, func() (any, error) {
		if cert, ok := a.leaves.Get(key); ok && a.fresh(cert) {
			return cert, nil // minted since the look-up above
		}
		cert, err := a.mint(n)
		if err == nil {
			a.leaves.Add(key, cert)
		}
		return cert, err
	})
	if err != nil {
		return nil, fmt.Errorf("mint a certificate for %s: %w", n, err)
	}
	return cert.(*tls.Certificate), nil
}

// fresh reports whether cert can still be used. A certificate that ends or begins with the CA can't be improved. A
// machine without a clock of its own may start in the future until its first NTP answer: a certificate from that time
// would be valid for nobody.
func (a *Authority) fresh(cert *tls.Certificate) bool {
	now, start, end := a.now(), cert.Leaf.NotBefore, cert.Leaf.NotAfter
	begun := !now.Before(start) || !start.After(a.cert.NotBefore)
	return begun && (now.Before(end.Add(-renewBefore)) || !end.Before(a.cert.NotAfter))
}

// mint signs a new certificate for n. The subject is empty; x509 therefore makes the SAN critical (RFC 5280, section
// 4.2.1.6).
func (a *Authority) mint(n name) (*tls.Certificate, error) {
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	notBefore := later(a.now().Add(-backdate), a.cert.NotBefore)
	template := &x509.Certificate{
		SerialNumber:          serial,
		NotBefore:             notBefore,
		NotAfter:              earlier(notBefore.Add(leafLifetime), a.cert.NotAfter),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	if n.ip.IsValid() {
		template.IPAddresses = []net.IP{n.ip.AsSlice()}
	} else {
		template.DNSNames = []string{n.dns}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, a.leafKey.Public(), a.key)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.leafKey, Leaf: leaf}, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
