package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// tunnelCount returns how many tunnels were opened for a reason.
func (r *world) tunnelCount(why string) float64 {
	return r.server.metrics.Tunnels.WithLabelValues(why).Value()
}

// shout sends back what it gets in capitals, line by line.
func shout(c net.Conn) {
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		fmt.Fprintln(c, strings.ToUpper(lines.Text()))
	}
}

func TestConnectToWhatIsNotTLSIsTunnelled(t *testing.T) {
	t.Parallel()
	r := newWorld(t, hasty)
	echo := r.rawOrigin("127.0.1.1", shout)
	greeter := r.rawOrigin("127.0.1.2", func(c net.Conn) { fmt.Fprint(c, "220 ready\n"); shout(c) })
	for _, tc := range []struct{ name, target, say, want string }{
		{"the client speaks first", echo, "hello\n", "HELLO\n"},
		{"something like TLS", echo, "\x16\x03\x01ab\x02cd\n", "\x16\x03\x01AB\x02CD\n"},
		{"a word shorter than a ClientHello", echo, "\n", "\n"},
		{"the server speaks first", greeter, "", "220 ready\n"},
		{"a word like a method", echo, "GET key\n", "GET KEY\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, br, resp := r.connect(tc.target)
			if resp.StatusCode != http.StatusOK {
				t.Fatal(resp.Status)
			}
			fmt.Fprint(c, tc.say)
			got := make([]byte, 0, 100)
			for !strings.HasSuffix(string(got), tc.want) {
				b, err := br.ReadByte()
				if err != nil {
					t.Fatalf("%q, then %v", got, err)
				}
				got = append(got, b)
			}
		})
	}
	if n := r.tunnelCount("not-tls"); n != 5 {
		t.Errorf("counted %v tunnels", n)
	}
}

// Some clients send http addresses by CONNECT as well. Their requests are served like any other.
func TestHTTPInATunnelIsServed(t *testing.T) {
	t.Parallel()
	for name, tweak := range map[string]func(*Options){"quick": func(*Options) {}, "slow": hasty} {
		t.Run(name, func(t *testing.T) {
			r := newWorld(t, tweak)
			web := hostPort(r.origin("127.0.1.3", func(w http.ResponseWriter, req *http.Request) {
				fmt.Fprintf(w, "plain HTTP for %s%s, Via %s", req.Host, req.URL, req.Header.Get("Via"))
			}))
			c, br, resp := r.connect(web)
			if resp.StatusCode != http.StatusOK {
				t.Fatal(resp.Status)
			}
			if name == "slow" {
				time.Sleep(50 * time.Millisecond)
			}
			for _, path := range []string{"/a", "http://" + web + "/a"} {
				fmt.Fprintf(c, "GE")
				time.Sleep(time.Millisecond)
				fmt.Fprintf(c, "T %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, web)
				resp, err := http.ReadResponse(br, nil)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(resp.Body)
				if want := "plain HTTP for " + web + "/a, Via 1.1 "; !strings.HasPrefix(string(body), want) {
					t.Errorf("%s: %q, want %q…", path, body, want)
				}
			}
			fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n")
			if resp, err := http.ReadResponse(br, nil); err != nil || resp.StatusCode != http.StatusMisdirectedRequest {
				t.Errorf("another host in the tunnel: %v, %v", resp, err)
			}
			if n := r.tunnelCount("not-tls"); n != 0 {
				t.Errorf("%v tunnels were opened", n)
			}
		})
	}
}

func TestTunnelPassesHalfClose(t *testing.T) {
	r := newWorld(t)
	addr := r.rawOrigin("127.0.1.1", func(c net.Conn) {
		all, _ := io.ReadAll(c) // ends only if the client's half-close arrives
		fmt.Fprintf(c, "%d bytes", len(all))
	})
	c, br, _ := r.connect(addr)
	fmt.Fprint(c, strings.Repeat("x", 100_000))
	_ = c.(*net.TCPConn).CloseWrite()
	if all, err := io.ReadAll(br); string(all) != "100000 bytes" || err != nil {
		t.Errorf("got %q, %v", all, err)
	}
}

// goproxy throws away what came in the same packet as CONNECT.
func TestBytesSentAheadOfTheAnswerAreKept(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	echo := r.rawOrigin("127.0.1.1", shout)
	c := r.dial()
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\nahead\n", echo)
	if br := skipHead(t, c); readLine(t, br) != "AHEAD" {
		t.Error("lost")
	}

	u := r.secureOrigin("127.0.1.2", "site.test", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	c = r.dial()
	ahead := &aheadConn{Conn: c, head: fmt.Sprintf("CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", hostPort(u))}
	tc := tls.Client(ahead, &tls.Config{RootCAs: r.ca.Pool(), ServerName: "site.test"})
	fmt.Fprint(tc, "GET / HTTP/1.1\r\nHost: "+hostPort(u)+"\r\nConnection: close\r\n\r\n")
	if all, err := io.ReadAll(tc); !strings.HasSuffix(string(all), "hello") {
		t.Errorf("a ClientHello in CONNECT's packet: got %q, %v", all, err)
	}
}

// aheadConn sends head together with its first write and takes the answer to it off before its first read.
type aheadConn struct {
	net.Conn
	head string
	br   *bufio.Reader
}

// Write implements net.Conn.
func (c *aheadConn) Write(b []byte) (int, error) {
	_, err := c.Conn.Write(append([]byte(c.head), b...))
	c.head = ""
	return len(b), err
}

// Read implements net.Conn.
func (c *aheadConn) Read(b []byte) (int, error) {
	if c.br == nil {
		c.br = bufio.NewReader(c.Conn)
		for line := ""; line != "\r\n"; {
			var err error
			if line, err = c.br.ReadString('\n'); err != nil {
				return 0, err
			}
		}
	}
	return c.br.Read(b)
}

func skipHead(t *testing.T, c net.Conn) *bufio.Reader {
	t.Helper()
	br := bufio.NewReader(c)
	for line := readLine(t, br); line != ""; line = readLine(t, br) {
		if strings.HasPrefix(line, "HTTP/") && !strings.Contains(line, " 200 ") && !strings.Contains(line, " 101 ") {
			t.Fatal(line)
		}
	}
	return br
}

func readLine(t *testing.T, br *bufio.Reader) string {
	t.Helper()
	line, err := br.ReadString('\n')
	if err != nil {
		t.Fatalf("%q, then %v", line, err)
	}
	return strings.TrimRight(line, "\r\n")
}

func TestBypassedHostsAreTunnelled(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Bypass = []string{"*.bank.test", "127.0.1.9"} })
	u := r.secureOrigin("127.0.1.1", "www.bank.test", func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprint(w, "Via ", req.Header.Get("Via"))
	})
	tr := r.client(true).Transport.(*http.Transport)
	tr.TLSClientConfig.RootCAs = r.origins.Pool() // the origin's own certificate is what must arrive
	if _, body := get(t, &http.Client{Transport: tr}, u); body != "Via " {
		t.Errorf("got %q", body)
	}
	if n := r.tunnelCount("bypass"); n != 1 {
		t.Errorf("counted %v tunnels", n)
	}
	// A tunnel that can't be had is refused before the client believes in it.
	ln := listen(t, "127.0.1.9")
	ln.Close()
	if _, _, resp := r.connect(ln.Addr().String()); resp.StatusCode != http.StatusBadGateway ||
		resp.Header.Get("Winnow") != "failed; reason=refused" {
		t.Errorf("got %s, Winnow %q", resp.Status, resp.Header.Get("Winnow"))
	}
}

// A host that is left alone while the proxy runs is tunnelled from the next connection on.
func TestHostsAreBypassedAtRunTime(t *testing.T) {
	t.Parallel()
	var alone atomic.Pointer[string]
	r := newWorld(t, func(o *Options) {
		o.BypassToo = func(site string) bool { p := alone.Load(); return p != nil && *p == site }
	})
	u := r.secureOrigin("127.0.1.1", "www.bank.test", func(http.ResponseWriter, *http.Request) {})
	for want := range 2 {
		tr := r.client(true).Transport.(*http.Transport)
		if want == 1 {
			tr.TLSClientConfig.RootCAs = r.origins.Pool()
		}
		get(t, &http.Client{Transport: tr}, u)
		tr.CloseIdleConnections()
		if n := r.tunnelCount("bypass"); int(n) != want {
			t.Errorf("counted %v tunnels, want %d", n, want)
		}
		site := strings.TrimSuffix(strings.TrimPrefix(u, "https://"), "/")
		alone.Store(&site)
	}
}

func TestConnectTargetsThatMakeNoSense(t *testing.T) {
	r := newWorld(t)
	for _, target := range []string{"site.test", "site.test:", "site.test:0", "site.test:99999", "site.test:http", ":443", "a b:443"} {
		c := r.dial()
		fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", target)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || resp.StatusCode != http.StatusBadRequest {
			t.Errorf("CONNECT %q: %v, %v", target, resp, err)
		}
	}
}

// goproxy goes to the inner Host, past access rules on CONNECT and into the model of another site.
func TestInnerHostMustBeTheTarget(t *testing.T) {
	r := newWorld(t)
	u := r.secureOrigin("127.0.1.1", "site.test", func(w http.ResponseWriter, req *http.Request) { fmt.Fprint(w, req.Host) })
	target := hostPort(u)
	_, port, _ := net.SplitHostPort(target)
	for _, tc := range []struct {
		host string
		want int
	}{
		{target, 200}, {"SITE.Test.:" + port, 200}, {"site.test", 200}, {"other.test", 421}, {"other.test:" + port, 421},
		{"site.test:1", 421}, {"site.test.other.test", 421}, {"a:b:c", 421},
	} {
		for _, request := range []string{"GET / HTTP/1.1\r\nHost: %s\r\n\r\n", "GET https://%s/ HTTP/1.1\r\nHost: site.test\r\n\r\n"} {
			c := r.secure(target)
			fmt.Fprintf(c, request, tc.host)
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Errorf("Host %q: %v", tc.host, err)
				continue
			}
			want := tc.want
			if strings.HasPrefix(request, "GET https") && (tc.host == "a:b:c" || tc.host == "site.test") {
				want = http.StatusBadRequest // the one is no URL in the first place, the other means port 443
			}
			if resp.StatusCode != want {
				t.Errorf("Host %q: got %s, want %d", tc.host, resp.Status, want)
			}
			if body, _ := io.ReadAll(resp.Body); want == 200 && string(body) != target {
				t.Errorf("Host %q: origin saw %q, want %q", tc.host, body, target)
			}
		}
	}
	t.Run("HTTP/2", func(t *testing.T) {
		tr := &http.Transport{ForceAttemptHTTP2: true, DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
			return r.secure(target, "h2"), nil // wherever the request is for
		}}
		defer tr.CloseIdleConnections()
		for host, want := range map[string]int{"other.test": 421, "site.test": 200} {
			req, _ := http.NewRequest(http.MethodGet, "https://"+host+"/", nil)
			resp, err := tr.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want || resp.ProtoMajor != 2 {
				t.Errorf(":authority %s: got %s %s, want %d", host, resp.Proto, resp.Status, want)
			}
		}
	})
}

// net/http sends no 421 for port 443 spelt out or left out, so this is about our own comparison.
func TestDefaultPortIsTheSameAsNone(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"site.test", "site.test:443", true}, {"SITE.test.", "site.test:443", true}, {"site.test:0443", "site.test", true},
		{"[::1]", "[::1]:443", true}, {"[0:0::1]:443", "[::1]", true}, {"bücher.test", "xn--bcher-kva.test", true},
		{"site.test:8443", "site.test", false}, {"a_b.test", "A_B.test:443", true}, {"127.0.0.1", "[::ffff:127.0.0.1]", true},
	} {
		a, err1 := hostname.ParseAuthority(tc.a, "443")
		b, err2 := hostname.ParseAuthority(tc.b, "443")
		if err1 != nil || err2 != nil || (a == b) != tc.same {
			t.Errorf("%q and %q: %v %v, %v %v", tc.a, tc.b, a, err1, b, err2)
		}
	}
}

func TestDistrustingClientsAreNoticed(t *testing.T) {
	r := newWorld(t)
	u := r.secureOrigin("127.0.1.1", "site.test", func(http.ResponseWriter, *http.Request) {})
	c, _, _ := r.connect(hostPort(u))
	err := tls.Client(c, &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "site.test"}).Handshake()
	if err == nil {
		t.Fatal("the client trusts a CA that it does not know")
	}
	const want = "the client does not trust the proxy's certificate for host site.test"
	eventually(t, "log line", func() bool { return strings.Contains(r.log.String(), want) })
	if n := r.server.metrics.Handshakes.WithLabelValues("untrusted").Value(); n != 1 {
		t.Errorf("counted %v", n)
	}
}

func TestSilentClientsAreCut(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Handshake = 100 * time.Millisecond })
	addr := r.rawOrigin("127.0.1.1", shout)
	c, br, _ := r.connect(addr)
	fmt.Fprint(c, "\x16\x03\x01\x00\xff\x01") // the beginning of a ClientHello, and no more
	start := time.Now()
	if _, err := br.ReadByte(); err == nil || time.Since(start) > longWait {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	eventually(t, "log line", func() bool { return strings.Contains(r.log.String(), "the client took too long") })
}

func TestClientThatLeavesAfterConnectCostsNothing(t *testing.T) {
	r := newWorld(t)
	dialled := make(chan struct{}, 1)
	addr := r.rawOrigin("127.0.1.1", func(net.Conn) { dialled <- struct{}{} })
	c, _, _ := r.connect(addr)
	c.Close()
	eventually(t, "forgotten", func() bool { return r.server.tunnels.Count() == 0 })
	select {
	case <-dialled:
		t.Error("the origin was dialled")
	default:
	}
}

func TestNoTunnelWithinTheTunnel(t *testing.T) {
	r := newWorld(t)
	u := r.secureOrigin("127.0.1.1", "site.test", func(http.ResponseWriter, *http.Request) {})
	c := r.secure(hostPort(u))
	fmt.Fprint(c, "CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n")
	if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || resp.StatusCode != http.StatusNotImplemented {
		t.Errorf("%v, %v", resp, err)
	}
}
