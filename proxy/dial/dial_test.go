package dial

import (
	"bufio"
	"context"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/hop"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/testcerts"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
	"github.com/winnow-proxy/winnow/proxy/limits"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer serves each connection to a listener of its own by f, and closes it.
func peer(t *testing.T, f func(net.Conn)) hostname.Authority {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_ = c.SetDeadline(time.Now().Add(time.Minute))
				f(c)
			}()
		}
	}()
	return authority(t, l.Addr().String())
}

func authority(t *testing.T, addr string) hostname.Authority {
	t.Helper()
	a, err := hostname.ParseAuthority(addr, "")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// dialer makes a dialer of a proxy for this machine alone, but for what tweak does to its options.
func dialer(t *testing.T, tweak func(*Options)) *Dialer {
	t.Helper()
	o := Options{Local: true, Ports: []string{"1-65535"}, Self: noAddrs, Via: hop.NewVia(), Limits: limits.Default(), Alone: true}
	if tweak != nil {
		tweak(&o)
	}
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.CloseIdle)
	return d
}

func echo(c net.Conn) { _, _ = io.Copy(c, c) }

// A tunnel carries bytes both ways and can be half-closed.
func TestTunnel(t *testing.T) {
	conn, err := dialer(t, nil).Tunnel(t.Context(), peer(t, echo))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "there and back")
	if err := wire.CloseWrite(conn); err != nil {
		t.Error(err)
	}
	if got, err := io.ReadAll(conn); string(got) != "there and back" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// What is refused is refused before a connection is made, by each way there.
func TestRefusedIsNotDialled(t *testing.T) {
	origin := peer(t, func(net.Conn) { t.Error("a refused origin was dialled") })
	for name, tweak := range map[string]func(*Options){
		"a private address": func(o *Options) { o.Local = false },
		"a port":            func(o *Options) { o.Ports = []string{"443"}; o.Local = false; o.Private = true },
		"the proxy's own": func(o *Options) {
			o.Self = func() []netip.AddrPort { return []netip.AddrPort{netip.MustParseAddrPort(origin.String())} }
		},
		"through a SOCKS5 hop": func(o *Options) { o.Local, o.Upstream.HTTP = false, must(ParseProxy("socks5://"+origin.String())) },
	} {
		d := dialer(t, tweak)
		var denied *DeniedError
		if name != "a port" { // ports are checked before the tunnel is opened
			if _, err := d.Tunnel(t.Context(), origin); !errors.As(err, &denied) {
				t.Errorf("%s, tunnel: %v", name, err)
			}
		}
		if err := d.PermitTunnel(t.Context(), origin); name != "the proxy's own" && !errors.As(err, &denied) {
			t.Errorf("%s, permission: %v", name, err)
		}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+origin.String()+"/", nil)
		req.RequestURI = ""
		if resp, err := d.RoundTrip(req, origin, "/", nil); !errors.As(err, &denied) {
			t.Errorf("%s, request: %v, %v", name, resp, err)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// One client's connections do not use up those of another, and come back when they are closed.
func TestShareOfConnections(t *testing.T) {
	origin := peer(t, echo)
	d := dialer(t, func(o *Options) { o.Alone, o.Limits.ClientRequests, o.Limits.Upstream = false, 2, 100 })
	in := func(client string) context.Context { return (&exchange.Exchange{Name: client}).On(t.Context()) }
	var open []net.Conn
	for len(open) < 2 { // of four, a dial takes three
		c, err := d.Tunnel(in("ann"), origin)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		open = append(open, c)
	}
	if _, err := d.Tunnel(in("ann"), origin); !errors.Is(err, ErrBusy) {
		t.Errorf("one too many: %v", err)
	}
	for range 2 { // closing a connection twice gives back one
		open[0].Close()
	}
	for _, client := range []string{"bob", "ann"} {
		c, err := d.Tunnel(in(client), origin)
		if err != nil {
			t.Fatalf("%s: %v", client, err)
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	if _, err := d.Tunnel(in("ann"), origin); !errors.Is(err, ErrBusy) {
		t.Errorf("one too many after another was closed: %v", err)
	}
}

// The origin gets the path as the client sent it, whatever net/url would make of it.
func TestPathGoesAsItCame(t *testing.T) {
	lines := make(chan string, 1)
	origin := peer(t, func(c net.Conn) {
		line, _ := bufio.NewReader(c).ReadString('\n')
		lines <- strings.TrimSpace(line)
		_, _ = io.WriteString(c, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
	})
	d := dialer(t, nil)
	for _, tc := range []struct{ method, target, want string }{
		{http.MethodGet, "/plain?q=1", "/plain?q=1"},
		{http.MethodGet, "/a%2Fb/%7e|x", "/a%2Fb/%7e|x"},
		{http.MethodGet, "//double", "//double"},
		{http.MethodGet, "", "/"},
		{http.MethodGet, "/?", "/?"},
		{http.MethodOptions, "*", "*"},
		{http.MethodOptions, "/", "/"},
	} {
		req, err := http.NewRequestWithContext(Named(t.Context()), tc.method, "http://"+origin.String()+strings.TrimPrefix(tc.target, "*"), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := d.RoundTrip(req, origin, tc.target, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := <-lines; got != tc.method+" "+tc.want+" HTTP/1.1" {
			t.Errorf("%s %q went as %q", tc.method, tc.target, got)
		}
	}
}

// The field Connection of an answer is there as it came, also where net/http has taken it off, so that what it names
// goes no further.
func TestConnectionField(t *testing.T) {
	for answer, want := range map[string][]string{
		"HTTP/1.1 200 OK\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nContent-Length: 0\r\n\r\n":                  {"close, X-Hop"},
		"HTTP/1.1 200 OK\r\nconnection:  X-A\r\nCONNECTION: close\t\r\nContent-Length: 0\r\n\r\n":               {"X-A", "close"},
		"HTTP/1.1 103 Early Hints\r\nConnection: X-Early\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\n\r\n":   {"close"},
		"HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 2*maxWatchedLine) + "\r\nConnection: close\r\n\r\n": {"close"},
		"HTTP/1.0 200 OK\r\n\r\nConnection: X-Body\r\n":                                                         nil,
		"HTTP/1.1 200 OK\r\nContent-Length: 19\r\nConnection: close\r\n\r\nConnection: X-Body\n":                {"close"},
	} {
		origin := peer(t, func(c net.Conn) {
			_, _ = http.ReadRequest(bufio.NewReader(c))
			for _, part := range strings.SplitAfter(answer, "e") { // in pieces
				_, _ = io.WriteString(c, part)
			}
		})
		req, _ := http.NewRequestWithContext(Named(t.Context()), http.MethodGet, "http://"+origin.String()+"/", nil)
		resp, err := dialer(t, nil).RoundTrip(req, origin, "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if got := resp.Header["Connection"]; !slices.Equal(got, want) {
			t.Errorf("%.60q: %q, want %q", answer, got, want)
		}
	}
}

// An origin in TLS is verified, and asked for HTTP/2, but by requests that switch protocols.
func TestSecureOrigin(t *testing.T) {
	ca := testcerts.NewIssuer(t, testcerts.NewECDSA(t, elliptic.P256()))
	key := testcerts.NewECDSA(t, elliptic.P256())
	roots := x509.NewCertPool()
	roots.AddCert(ca.Cert)
	for name, tc := range map[string]struct {
		cert tls.Certificate
		good bool
	}{
		"good":           {ca.Issue(key, func(c *x509.Certificate) { c.IPAddresses = []net.IP{{127, 0, 0, 1}} }), true},
		"of another":     {ca.Issue(key, nil), false},
		"out of date":    {ca.Issue(key, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }), false},
		"without staple": {ca.Issue(key, func(c *x509.Certificate) { c.IPAddresses = []net.IP{{127, 0, 0, 1}}; testcerts.DemandsStaple(c) }), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }))
			s.TLS = &tls.Config{Certificates: []tls.Certificate{tc.cert}}
			s.EnableHTTP2 = true
			s.Config.ErrorLog = nil
			s.StartTLS()
			defer s.Close()
			a := authority(t, s.Listener.Addr().String())
			d := dialer(t, func(o *Options) { o.Roots = roots })
			defer d.CloseIdle()
			for want, send := range map[string]func(*http.Request) (*http.Response, error){
				"HTTP/2.0": func(r *http.Request) (*http.Response, error) { return d.RoundTrip(r, a, "/", nil) },
				"HTTP/1.1": func(r *http.Request) (*http.Response, error) { return d.Upgrade(r, "/", nil) },
			} {
				req, _ := http.NewRequestWithContext(Named(t.Context()), http.MethodGet, "https://"+a.String()+"/", nil)
				resp, err := send(req)
				if (err == nil) != tc.good {
					t.Errorf("%s: %v", want, err)
				}
				if err != nil {
					continue
				}
				if got, _ := io.ReadAll(resp.Body); string(got) != want {
					t.Errorf("asked by %s, want %s", got, want)
				}
				resp.Body.Close()
			}
		})
	}
}
