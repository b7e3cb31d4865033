package certs

import (
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-proxy/winnow/cache/durable"
)

// Constraints limit what the certificates of a CA are good for, so that a stolen key is worth less. The zero value
// limits nothing.
type Constraints struct {
	// Hosts are the names, with all names below them, and the addresses that it may speak for (RFC 5280 §4.2.1.10). There
	// must be a name among them.
	Hosts []string
	// Life is how long it is valid; 0 means ten years.
	Life time.Duration
}

// Create makes a CA with constraints in dir. It fails if there is a CA, because clients trust that one.
func Create(dir string, c Constraints, now func() time.Time) (*Authority, error) {
	path := filepath.Join(dir, certFile)
	if _, err := os.Stat(path); err == nil {
		return nil, fmt.Errorf("there is a CA: remove %s and %s to make another one, which every client must then trust", path, keyFile)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	key, err := loadOrCreateKey(dir)
	if err != nil {
		return nil, err
	}
	der, err := newCA(key, now(), c)
	if err != nil {
		return nil, err
	}
	if err := durable.Create(path, encodeCertificate(der), 0o644); err != nil {
		return nil, fmt.Errorf("write the CA certificate: %w", err)
	}
	return LoadOrCreate(dir, now)
}

// apply writes the constraints into a certificate. A kind of name that no constraint speaks of is not limited, so that
// addresses are excluded where none is permitted.
func (c Constraints) apply(cert *x509.Certificate) {
	if c.Life > 0 {
		cert.NotAfter = cert.NotBefore.Add(backdate + c.Life)
	}
	if len(c.Hosts) == 0 {
		return
	}
	cert.PermittedDNSDomainsCritical = true
	for _, host := range c.Hosts {
		if ip, err := netip.ParseAddr(host); err == nil {
			bits := ip.Unmap().BitLen()
			cert.PermittedIPRanges = append(cert.PermittedIPRanges, &net.IPNet{IP: ip.Unmap().AsSlice(), Mask: net.CIDRMask(bits, bits)})
		} else {
			cert.PermittedDNSDomains = append(cert.PermittedDNSDomains, host)
		}
	}
	if len(cert.PermittedIPRanges) == 0 {
		cert.ExcludedIPRanges = []*net.IPNet{{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)}, {IP: net.IPv6zero, Mask: net.CIDRMask(0, 128)}}
	}
}
