// Package certs is the local certificate authority: it makes the CA on first use, keeps it in the data directory, and
// mints a leaf certificate for each host whose TLS is intercepted.
package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"time"
)

// Authority is the local CA. It is safe for concurrent use.
type Authority struct{}

// LoadOrCreate reads the CA from dir (ca.pem and ca-key.pem), and creates what is missing: dir with mode 0700, the key
// with 0600. Processes that do so at the same moment end up with the same CA. It refuses a key file that others can
// read, a certificate that does not belong to the key and one that has expired. now is the clock, time.Now outside of
// tests.
func LoadOrCreate(dir string, now func() time.Time) (*Authority, error) {
	return nil, errors.New("not written yet")
}

// TLSConfig returns the server side of TLS for an intercepted CONNECT to host (a DNS name or an IP address, without
// port): HTTP/2 and HTTP/1.1, at least TLS 1.2, sessions that resume on later connections to the same host and on no
// other. The certificate is always for host, whatever name the client's SNI asks for: the model, the access rules and
// the upstream connection all go by the CONNECT target, and a client that expects another name should see that it
// does not get it. The caller may change the config that it gets.
func (a *Authority) TLSConfig(host string) *tls.Config { return nil }

// PEM returns the CA certificate in PEM.
func (a *Authority) PEM() []byte { return nil }

// DER returns the CA certificate in DER.
func (a *Authority) DER() []byte { return nil }

// Certificate returns the CA certificate. The caller must not change it.
func (a *Authority) Certificate() *x509.Certificate { return nil }

// Pool returns a new pool that holds the CA alone, for clients that should trust nothing else.
func (a *Authority) Pool() *x509.CertPool { return nil }

// Fingerprint returns the SHA-256 of the CA certificate, as trust dialogues show it: AA:BB:….
func (a *Authority) Fingerprint() string { return "" }

// MobileConfig returns an Apple configuration profile that installs the CA on iOS and macOS.
func (a *Authority) MobileConfig() []byte { return nil }

// Outcome says what Install or Uninstall did and what is left to do, in words for a person.
type Outcome struct {
	// Done are the trust stores that were changed.
	Done []string
	// Commands are those to run by hand, in order, because they need rights or tools that this process has not.
	Commands []string
	// Notes are what else to know: browsers with stores of their own, phones, restarts.
	Notes []string
}

// Install adds the CA to the trust stores of this machine, as far as it may, and says what is left to do.
func (a *Authority) Install(ctx context.Context) (Outcome, error) { return Outcome{}, nil }

// Uninstall takes the CA out of the trust stores again.
func (a *Authority) Uninstall(ctx context.Context) (Outcome, error) { return Outcome{}, nil }
