package dial

import (
	"context"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/testcerts"
)

// occupied takes all turns at handshakes, and returns how to give them back.
func occupied(t *testing.T, d *Dialer) (leave func()) {
	t.Helper()
	var all []func()
	for i := 0; ; i++ {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		leave, err := d.handshakes.Enter(ctx, fmt.Sprint("client ", i))
		cancel()
		if err != nil {
			break
		}
		all = append(all, leave)
	}
	if len(all) < runtime.GOMAXPROCS(0) {
		t.Errorf("there are %d turns", len(all))
	}
	return func() {
		for _, leave := range all {
			leave()
		}
	}
}

// Handshakes with origins are worked on by turns of the clients that they are for.
func TestHandshakesWithOriginsTakeTurns(t *testing.T) {
	ca := testcerts.NewIssuer(t, testcerts.NewECDSA(t, elliptic.P256()))
	cert := ca.Issue(testcerts.NewECDSA(t, elliptic.P256()), func(c *x509.Certificate) { c.IPAddresses = []net.IP{{127, 0, 0, 1}} })
	roots := x509.NewCertPool()
	roots.AddCert(ca.Cert)
	at := peer(t, func(c net.Conn) {
		s := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}})
		_ = s.Handshake()
		_, _ = s.Read(make([]byte, 1))
	})
	d := dialer(t, func(o *Options) { o.Roots, o.Alone = roots, false })
	dial := func(patience time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		c, err := d.secure(d.guard, "http/1.1")(ctx, "tcp", at.String())
		if err == nil {
			c.Close()
		}
		return err
	}
	leave := occupied(t, d)
	if err := dial(100 * time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a handshake does not wait for its turn: %v", err)
	}
	leave()
	if err := dial(10 * time.Second); err != nil {
		t.Error(err)
	}
}

// Origins that keep a handshake waiting keep no turn.
func TestSlowOriginsHaveNoTurn(t *testing.T) {
	heard := make(chan struct{}, 8)
	at := peer(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 4096))
		heard <- struct{}{}
		_, _ = c.Read(make([]byte, 1))
	})
	d := dialer(t, func(o *Options) { o.Alone = false })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	for range cap(heard) {
		go func() {
			_, _ = d.secure(d.guard, "http/1.1")(ctx, "tcp", at.String())
			ended <- struct{}{}
		}()
	}
	for range cap(heard) {
		<-heard
	}
	occupied(t, d)()
	cancel()
	for range cap(heard) {
		<-ended
	}
}
