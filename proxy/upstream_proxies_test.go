package proxy

import (
	"encoding/base64"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// upstreamRig is a world whose proxy goes through an upstream proxy of one kind. The names of origins are known to that
// one alone.
type upstreamRig struct {
	*world
	far *farProxy
	// near is the name service of the proxy itself.
	near *fakeDNS
}

const upstreamUser, upstreamPassword = "gate", "s3cr3t:wörd"

// newUpstreamRig starts an upstream proxy ("http", "https" or "socks5") and a world that goes through it.
func newUpstreamRig(t *testing.T, kind string, tweak ...func(*Options)) *upstreamRig {
	t.Helper()
	far := newFarProxy(t, kind)
	r := newWorld(t, append([]func(*Options){func(o *Options) {
		if kind == "https" {
			o.UpstreamRoots.AddCert(far.server.Certificate())
		}
		o.Upstream = dial.Proxies{HTTP: far.url, HTTPS: far.url}
	}}, tweak...)...)
	r.dns.set("far.example.com", "127.0.2.1") // a name of httptest's certificate
	near := r.dns
	r.dns = far.dns // what origin and secureOrigin enter from here on
	return &upstreamRig{world: r, far: far, near: near}
}

// named starts an HTTP origin that has a name.
func (r *upstreamRig) named(ip, host string, h http.HandlerFunc) string {
	r.dns.set(host, ip)
	_, port, _ := net.SplitHostPort(hostPort(r.origin(ip, h)))
	return "http://" + net.JoinHostPort(host, port)
}

// farProxy is an upstream proxy over real sockets, with authentication and a name service of its own.
type farProxy struct {
	t      *testing.T
	url    *url.URL
	dns    *fakeDNS
	server *httptest.Server
	fetch  *http.Transport

	mu sync.Mutex
	// seen are the requests and tunnels that were permitted, as "METHOD target".
	seen []string
	// heads are the header fields that came with them.
	heads []http.Header
}

func newFarProxy(t *testing.T, kind string) *farProxy {
	t.Helper()
	p := &farProxy{t: t, dns: newFakeDNS(t)}
	p.fetch = &http.Transport{DialContext: (&net.Dialer{Resolver: p.dns.resolver()}).DialContext, DisableCompression: true}
	t.Cleanup(p.fetch.CloseIdleConnections)
	p.url = &url.URL{Scheme: kind, User: url.UserPassword(upstreamUser, upstreamPassword)}
	if kind == "socks5" {
		p.url.Host = (&world{t: t}).rawOrigin("127.0.2.1", p.serveSOCKS)
		return p
	}
	p.server = &httptest.Server{Listener: listen(t, "127.0.2.1"), Config: &http.Server{Handler: p, ErrorLog: discardLog()}}
	if kind == "https" {
		p.server.EnableHTTP2 = true // a client that offers h2 gets it, and then can't send CONNECT as HTTP/1.1
		p.server.StartTLS()
	} else {
		p.server.Start()
	}
	t.Cleanup(p.server.Close)
	p.url.Host = p.server.Listener.Addr().String()
	if kind == "https" {
		p.url.Host = strings.Replace(p.url.Host, "127.0.2.1", "far.example.com", 1)
	}
	return p
}

func (p *farProxy) note(what string, h http.Header) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen, p.heads = append(p.seen, what), append(p.heads, h)
}

// took returns what was permitted so far.
func (p *farProxy) took() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.seen...)
}

// ServeHTTP is the upstream proxy over HTTP.
func (p *farProxy) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(upstreamUser+":"+upstreamPassword))
	if req.Header.Get("Proxy-Authorization") != want {
		w.Header().Set("Proxy-Authenticate", `Basic realm="far"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	switch {
	case strings.HasPrefix(req.Host, "forbidden.test"):
		w.WriteHeader(http.StatusForbidden)
		return
	case req.Method != http.MethodConnect && !req.URL.IsAbs():
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.note(req.Method+" "+req.RequestURI, req.Header)
	if req.Method == http.MethodConnect {
		p.connect(w, req)
		return
	}
	out := req.Clone(req.Context())
	out.RequestURI = ""
	out.Header.Del("Proxy-Authorization")
	resp, err := p.fetch.RoundTrip(out)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	for k, v := range resp.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}

func (p *farProxy) connect(w http.ResponseWriter, req *http.Request) {
	origin, err := p.fetch.DialContext(req.Context(), "tcp", req.Host)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		p.t.Error(err)
		return
	}
	ahead, _ := rw.Peek(rw.Reader.Buffered())
	_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Some: header\r\n\r\n")
	join(wire.WithPrefix(c, append([]byte(nil), ahead...)), origin)
}

// join copies both ways until both have ended.
func join(a, b net.Conn) {
	defer a.Close()
	defer b.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(a, b)
		_ = wire.CloseWrite(a)
	}()
	_, _ = io.Copy(b, a)
	_ = wire.CloseWrite(b)
	<-done
}

// serveSOCKS is the upstream proxy over SOCKS5 (RFC 1928, RFC 1929).
func (p *farProxy) serveSOCKS(c net.Conn) {
	take := func(n int) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(c, b)
		return b
	}
	methods := take(int(take(2)[1]))
	if !strings.Contains(string(methods), "\x02") {
		_, _ = c.Write([]byte{5, 0xff})
		return
	}
	_, _ = c.Write([]byte{5, 2})
	user := string(take(int(take(2)[1])))
	if password := string(take(int(take(1)[0]))); user != upstreamUser || password != upstreamPassword {
		_, _ = c.Write([]byte{1, 1})
		return
	}
	_, _ = c.Write([]byte{1, 0})
	host := ""
	switch head := take(4); head[3] {
	case 1:
		host = net.IP(take(4)).String()
	case 3:
		host = string(take(int(take(1)[0])))
	}
	port := binary.BigEndian.Uint16(take(2))
	answer := func(code byte) { _, _ = c.Write([]byte{5, code, 0, 1, 0, 0, 0, 0, 0, 0}) }
	if host == "forbidden.test" {
		answer(2)
		return
	}
	target := hostname.Authority{Host: host, Port: itoa(port)}.String()
	origin, err := p.fetch.DialContext(p.t.Context(), "tcp", target)
	if err != nil {
		answer(4)
		return
	}
	p.note("SOCKS "+target, nil)
	answer(0)
	join(c, origin)
}
