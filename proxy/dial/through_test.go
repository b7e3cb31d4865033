package dial

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// far is a destination that only an upstream proxy can resolve: nobody dials it.
func far() hostname.Authority { return hostname.Authority{Host: "far.test", Port: "443"} }

// behind makes a dialer that reaches origins through the proxy at address.
func behind(t *testing.T, address string) *Dialer {
	t.Helper()
	return dialer(t, func(o *Options) {
		o.Upstream = Proxies{HTTP: must(ParseProxy(address)), HTTPS: must(ParseProxy(address))}
		o.Limits.Dial = 100 * time.Millisecond
	})
}

// An upstream proxy is asked for a tunnel by name, with its credentials, and what it sends ahead is not lost.
func TestTunnelThroughProxy(t *testing.T) {
	asked := make(chan *http.Request, 1)
	p := peer(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		req, err := http.ReadRequest(r)
		if err != nil {
			t.Error(err)
			return
		}
		asked <- req
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\nahead ")
		_, _ = io.Copy(c, r)
	})
	d := behind(t, "http://ann:se%20cret@"+p.String())
	conn, err := d.Tunnel(t.Context(), far())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	req := <-asked
	req.Header.Set("Authorization", req.Header.Get("Proxy-Authorization"))
	user, password, _ := req.BasicAuth()
	if req.Method != http.MethodConnect || req.Host != "far.test:443" || user != "ann" || password != "se cret" || !d.via.Seen(req.Header) {
		t.Errorf("asked %s %s, header %v", req.Method, req.Host, req.Header)
	}
	if agent, ok := req.Header["User-Agent"]; ok {
		t.Errorf("the proxy names itself: %q", agent)
	}
	_, _ = io.WriteString(conn, "and back")
	got := make([]byte, len("ahead and back"))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "ahead and back" {
		t.Errorf("%q, %v", got, err)
	}
}

// What an upstream proxy answers tells whose fault it is that there is no tunnel.
func TestProxyFaults(t *testing.T) {
	for answer, want := range map[string]ProxyFault{
		"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n":  ProxyAuth,
		"HTTP/1.1 401 Unauthorized\r\n\r\n":                   ProxyAuth,
		"HTTP/1.1 403 Forbidden\r\n\r\n":                      ProxyRefused,
		"HTTP/1.1 204 No Content\r\n\r\n":                     ProxyRefused,
		"HTTP/1.1 502 Bad Gateway\r\n\r\n":                    OriginUnreachable,
		"HTTP/1.1 504 Gateway Timeout\r\n\r\n":                OriginUnreachable,
		"220 mail.test ESMTP\r\n":                             ProxyUnreachable,
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<18): ProxyUnreachable,
		"": ProxyUnreachable,
	} {
		p := peer(t, func(c net.Conn) {
			_, _ = http.ReadRequest(bufio.NewReader(c))
			_, _ = io.WriteString(c, answer)
		})
		_, err := behind(t, "http://ann:secret@"+p.String()).Tunnel(t.Context(), far())
		checkFault(t, answer, err, want)
	}
	silent := peer(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	_, err := behind(t, "http://"+silent.String()).Tunnel(t.Context(), far())
	checkFault(t, "silence", err, OriginUnreachable)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = behind(t, "http://"+l.Addr().String()).Tunnel(t.Context(), far())
	checkFault(t, "nobody", err, ProxyUnreachable)
	plain := peer(t, func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") })
	_, err = behind(t, "https://"+plain.String()).Tunnel(t.Context(), far())
	checkFault(t, "no TLS", err, ProxyUnreachable)
}

func checkFault(t *testing.T, answer string, err error, want ProxyFault) {
	t.Helper()
	var fault *ProxyError
	if !errors.As(err, &fault) || fault.Fault != want {
		t.Errorf("%.40q: %v, want fault %d", answer, err, want)
	} else if strings.Contains(err.Error(), "secret") {
		t.Errorf("%.40q: the error tells the password: %v", answer, err)
	}
}

// A request goes to the upstream proxy in absolute form; what it says about credentials is not the client's affair.
func TestRequestThroughProxy(t *testing.T) {
	for status, fails := range map[string]bool{"204 No Content": false, "407 Proxy Authentication Required": true} {
		lines := make(chan string, 1)
		p := peer(t, func(c net.Conn) {
			line, _ := bufio.NewReader(c).ReadString('\n')
			lines <- strings.TrimSpace(line)
			_, _ = io.WriteString(c, "HTTP/1.1 "+status+"\r\nConnection: close\r\n\r\n")
		})
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://far.test/a%2Fb|", nil)
		resp, err := behind(t, "http://"+p.String()).RoundTrip(req, hostname.Authority{Host: "far.test", Port: "80"}, "/a%2Fb|", nil)
		if got := <-lines; got != "GET http://far.test/a%2Fb| HTTP/1.1" {
			t.Errorf("asked %q", got)
		}
		if fails {
			checkFault(t, status, err, ProxyAuth)
		} else if err != nil {
			t.Error(err)
		} else {
			resp.Body.Close()
		}
	}
}

// socksPeer is a SOCKS5 proxy (RFC 1928) that gives every request one answer, and echoes after 0, success.
func socksPeer(t *testing.T, method, reply byte, asked chan<- string) hostname.Authority {
	return peer(t, func(c net.Conn) {
		head := make([]byte, 2)
		_, _ = io.ReadFull(c, head)
		_, _ = io.CopyN(io.Discard, c, int64(head[1]))
		_, _ = c.Write([]byte{5, method})
		if method == 2 { // RFC 1929
			var lengths [2]byte
			_, _ = io.ReadFull(c, lengths[:])
			user := make([]byte, lengths[1]+1)
			_, _ = io.ReadFull(c, user)
			password := make([]byte, user[len(user)-1])
			_, _ = io.ReadFull(c, password)
			_, _ = c.Write([]byte{1, 0})
			asked <- string(user[:len(user)-1]) + ":" + string(password)
		}
		request := make([]byte, 5)
		if _, err := io.ReadFull(c, request); err != nil {
			return
		}
		rest := make([]byte, request[4]+2)
		_, _ = io.ReadFull(c, rest)
		asked <- string(rest[:request[4]])
		_, _ = c.Write([]byte{5, reply, 0, 1, 0, 0, 0, 0, 0, 0})
		echo(c)
	})
}

func TestTunnelThroughSOCKS(t *testing.T) {
	asked := make(chan string, 2)
	p := socksPeer(t, 2, 0, asked)
	conn, err := behind(t, "socks5://ann:secret@"+p.String()).Tunnel(t.Context(), far())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if login, host := <-asked, <-asked; login != "ann:secret" || host != "far.test" {
		t.Errorf("asked for %q as %q", host, login)
	}
	_, _ = io.WriteString(conn, "back")
	got := make([]byte, 4)
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "back" {
		t.Errorf("%q, %v", got, err)
	}
	for _, tc := range []struct {
		name          string
		method, reply byte
		want          ProxyFault
	}{{"no method", 0xff, 0, ProxyAuth}, {"ruleset", 0, 2, ProxyRefused}, {"host unreachable", 0, 4, OriginUnreachable}} {
		p := socksPeer(t, tc.method, tc.reply, make(chan string, 2))
		_, err := behind(t, "socks5://"+p.String()).Tunnel(t.Context(), far())
		checkFault(t, tc.name, err, tc.want)
	}
}

// An upstream proxy on this machine is not asked for the ports of this proxy, under names that only it knows.
func TestProxyDoesNotLeadBack(t *testing.T) {
	p := peer(t, func(net.Conn) { t.Error("the upstream proxy was asked") })
	d := dialer(t, func(o *Options) {
		o.Upstream = Proxies{HTTP: must(ParseProxy(p.String())), HTTPS: must(ParseProxy(p.String()))}
		o.Self = func() []netip.AddrPort { return []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:8081")} }
	})
	var denied *DeniedError
	if _, err := d.Tunnel(t.Context(), hostname.Authority{Host: "alias.test", Port: "8081"}); !errors.As(err, &denied) || denied.Why != WhySelf {
		t.Errorf("error %v", err)
	}
}
