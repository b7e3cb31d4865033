package certs

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// serve accepts TLS connections to host, each with its own config as in the proxy, and echoes one byte.
func serve(t *testing.T, a *Authority, host string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s := tls.Server(c, a.TLSConfig(host))
			_ = s.SetDeadline(time.Now().Add(5 * time.Second))
			_, _ = io.CopyN(s, s, 1) // the client knows whether its byte came back
			s.Close()
		}
	}()
	return l.Addr().String()
}

// visit connects, exchanges a byte (in TLS 1.3 the session ticket comes after the handshake) and returns the state.
func visit(addr string, config *tls.Config) (tls.ConnectionState, error) {
	c, err := tls.Dial("tcp", addr, config)
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := c.Write([]byte("x")); err != nil {
		return tls.ConnectionState{}, err
	}
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		return tls.ConnectionState{}, err
	}
	return c.ConnectionState(), nil
}

func mustVisit(t *testing.T, addr string, config *tls.Config) tls.ConnectionState {
	t.Helper()
	state, err := visit(addr, config)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// oneSession is a client cache that offers its newest session to every server.
type oneSession struct{ session *tls.ClientSessionState }

func (o *oneSession) Get(string) (*tls.ClientSessionState, bool) { return o.session, o.session != nil }
func (o *oneSession) Put(_ string, s *tls.ClientSessionState) {
	if s != nil {
		o.session = s
	}
}

func TestSessionsResume(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			a := create(t, t.TempDir(), time.Now)
			addr := serve(t, a, "news.example")
			client := &tls.Config{
				RootCAs: a.Pool(), ServerName: "news.example", MaxVersion: version, ClientSessionCache: new(oneSession),
			}
			if mustVisit(t, addr, client).DidResume {
				t.Fatal("the first connection resumed a session")
			}
			for range 3 {
				if !mustVisit(t, addr, client).DidResume {
					t.Error("a later connection did not resume the session")
				}
			}
		})
	}
}

// A session of one host must not authenticate another: the client would skip the check of the certificate.
func TestSessionDoesNotResumeAtAnotherHost(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			a := create(t, t.TempDir(), time.Now)
			cache := new(oneSession)
			client := func() *tls.Config {
				// With the same name for both, Go's client offers the session. A hostile client can always do that.
				//nolint:gosec // the client is a hostile one
				return &tls.Config{InsecureSkipVerify: true, ServerName: "news.example", MaxVersion: version, ClientSessionCache: cache}
			}
			mustVisit(t, serve(t, a, "news.example"), client())
			if cache.session == nil {
				t.Fatal("no session to offer")
			}
			if mustVisit(t, serve(t, a, "bank.example"), client()).DidResume {
				t.Error("a session of news.example resumed at bank.example")
			}
		})
	}
}

func TestTicketKeysRotate(t *testing.T) {
	c := newClock()
	s := newTicketSecrets(c.t)
	day := func(n int) [][32]byte { return s.keys("news.example", c.t.Add(time.Duration(n)*ticketRotation)) }
	first, again := day(0), s.keys("news.example", c.t.Add(time.Hour))
	if first[0] != again[0] {
		t.Error("the key changed within the day")
	}
	second := day(1)
	if second[0] == first[0] || second[1] != first[0] {
		t.Error("after a day a new key should seal and the old one still open")
	}
	if late := day(4); late[0] == second[0] || late[1] == second[0] {
		t.Error("a key from days ago still opens sessions")
	}
}

func TestHandshake(t *testing.T) {
	a := create(t, t.TempDir(), time.Now)
	addr := serve(t, a, "news.example")

	state := mustVisit(t, addr, &tls.Config{RootCAs: a.Pool(), ServerName: "news.example", NextProtos: []string{"h2", "http/1.1"}})
	if state.NegotiatedProtocol != "h2" || state.Version != tls.VersionTLS13 {
		t.Errorf("protocol %q, %s; want h2 over TLS 1.3", state.NegotiatedProtocol, tls.VersionName(state.Version))
	}
	state = mustVisit(t, addr, &tls.Config{RootCAs: a.Pool(), ServerName: "news.example", NextProtos: []string{"http/1.1"}})
	if state.NegotiatedProtocol != "http/1.1" {
		t.Errorf("protocol %q, want http/1.1", state.NegotiatedProtocol)
	}
	old := &tls.Config{RootCAs: a.Pool(), ServerName: "news.example", MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11} //nolint:gosec // it should fail
	if _, err := visit(addr, old); err == nil {
		t.Error("TLS 1.1 was accepted")
	}
}

// The certificate is for the CONNECT target. A client that asks for another name by SNI gets no certificate for that
// name.
func TestCertificateIsForTheTargetNotTheSNI(t *testing.T) {
	a := create(t, t.TempDir(), time.Now)
	addr := serve(t, a, "news.example")
	if _, err := visit(addr, &tls.Config{RootCAs: a.Pool(), ServerName: "bank.example"}); err == nil {
		t.Error("a client that wants bank.example accepted the certificate")
	}
	state := mustVisit(t, addr, &tls.Config{InsecureSkipVerify: true, ServerName: "bank.example"}) //nolint:gosec // it is verified below
	if err := state.PeerCertificates[0].VerifyHostname("news.example"); err != nil {
		t.Error(err)
	}
}

// net/http's client and server, as the proxy uses them, negotiate HTTP/2 with the config.
func TestHTTP2Serves(t *testing.T) {
	a := create(t, t.TempDir(), time.Now)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{
		TLSConfig: a.TLSConfig("127.0.0.1"), ReadHeaderTimeout: 5 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }),
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.ServeTLS(l, "", "") }()
	t.Cleanup(func() { server.Close(); <-done })

	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: a.Pool()}}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get("https://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "HTTP/2.0" {
		t.Errorf("answer %q (%v), want HTTP/2.0", b, err)
	}
}
