package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"
)

// checksPins is what apps do that check pins once the handshake is complete.
func checksPins(pool *x509.CertPool) func(*tls.Conn) error {
	return func(c *tls.Conn) error {
		_, err := c.ConnectionState().PeerCertificates[0].Verify(x509.VerifyOptions{Roots: pool})
		return err
	}
}

// pinningApp is an app that takes the origin's own certificate and no other.
type pinningApp struct {
	name string
	// config makes the app's side of TLS; pool is what it trusts. after checks the connection, nil where nothing is
	// left to check.
	config func(pool *x509.CertPool) *tls.Config
	after  func(pool *x509.CertPool) func(*tls.Conn) error
	// failures is how often the app fails before it gets through.
	failures int
	reason   string
}

func pinningApps() []pinningApp {
	return []pinningApp{
		{"unknown issuer, TLS 1.3", func(p *x509.CertPool) *tls.Config { return &tls.Config{RootCAs: p} }, nil, 2, "alert"},
		{"unknown issuer, TLS 1.2", func(p *x509.CertPool) *tls.Config {
			return &tls.Config{RootCAs: p, MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12} //nolint:gosec // what such a client speaks
		}, nil, 2, "alert"},
		{"pin checked in the handshake", func(p *x509.CertPool) *tls.Config {
			return &tls.Config{InsecureSkipVerify: true, VerifyConnection: func(s tls.ConnectionState) error { //nolint:gosec // it verifies itself
				_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: p})
				return err
			}}
		}, nil, 2, "alert"},
		{"pin checked after the handshake, TLS 1.3", func(*x509.CertPool) *tls.Config {
			return &tls.Config{InsecureSkipVerify: true} //nolint:gosec // it verifies afterwards
		}, checksPins, 3, "hangup"},
		{"pin checked after the handshake, TLS 1.2, HTTP/2 on offer", func(*x509.CertPool) *tls.Config {
			return &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}} //nolint:gosec // it verifies afterwards
		}, checksPins, 3, "hangup"},
	}
}

// getsThrough has the app try until it should get through to u, each try far enough from the last to count.
func (app pinningApp) getsThrough(t *testing.T, r *world, u string, clock *fakeClock) {
	t.Helper()
	for i := range app.failures + 1 {
		c, after := app.config(r.origins.Pool()), func(*tls.Conn) error { return nil }
		if app.after != nil {
			after = app.after(r.origins.Pool())
		}
		if got := r.pinned(t, u, c, after); got != (i == app.failures) {
			t.Fatalf("try %d: got through: %v", i+1, got)
		}
		if i < app.failures { // the proxy learns of it a moment later
			refused := func() bool {
				m := r.server.metrics.Handshakes
				return m.WithLabelValues("untrusted").Value()+m.WithLabelValues("hangup").Value() == float64(i+1)
			}
			eventually(t, "refusal noticed", refused)
			eventually(t, "refusal noted", func() bool { return (len(r.server.Passthrough()) == 1) == (i+1 == app.failures) })
			clock.move(2 * time.Second) // what comes sooner counts as one refusal
		}
	}
}
