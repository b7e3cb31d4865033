package proxy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/limits"
)

// longWait is more than anything takes that works, on a machine with much else to do, and less than any limit is by
// default that a test sets lower: what comes later was not cut, and what has not come by then never comes.
const longWait = 30 * time.Second

// world is a running proxy with clients, origins and a name service around it, all over real sockets.
type world struct {
	t       testing.TB
	server  *Server
	options Options
	addr    string
	ca      *certs.Authority // what clients trust
	origins *certs.Authority // what the proxy trusts
	dns     *fakeDNS
	log     *logBuffer
	stop    context.CancelFunc
	stopped chan error
}

// newWorld starts a proxy on 127.0.0.1 that reaches origins on this machine by any name and at any port of the web's.
// tweak may change its options.
func newWorld(t testing.TB, tweak ...func(*Options)) *world {
	t.Helper()
	r := &world{t: t, ca: newAuthority(t), origins: newAuthority(t), dns: newFakeDNS(t), log: &logBuffer{},
		stopped: make(chan error, 1)}
	ln := listen(t, "127.0.0.1")
	r.addr = ln.Addr().String()
	o := Options{Listen: r.addr, Authority: r.ca, CA: r.ca, UpstreamRoots: r.origins.Pool(), Resolver: r.dns.resolver(),
		Logger:       slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		AllowPrivate: true, AllowPorts: []string{"80", "443", "1024-65535"},
		Limits: limits.Limits{Grace: 5 * time.Second, Sniff: 10 * time.Second, Header: 2 * longWait, Handshake: 2 * longWait, Dial: 2 * longWait}}
	for _, f := range tweak {
		f(&o)
	}
	var err error
	r.options = o
	if r.server, err = New(o); err != nil {
		t.Fatal(err)
	}
	var ctx context.Context
	ctx, r.stop = context.WithCancel(context.Background())
	go func() { r.stopped <- r.server.Serve(ctx, ln) }()
	t.Cleanup(func() {
		r.end()
		if t.Failed() {
			t.Logf("the proxy's log:\n%s", r.log)
		}
	})
	return r
}

// strict has a world's proxy keep to the rules on destinations that it has by default.
func strict(o *Options) { o.AllowPrivate, o.AllowPorts = false, nil }

// end stops the proxy and waits until it has stopped. It may be called again.
func (r *world) end() {
	r.t.Helper()
	r.stop()
	if err := <-r.stopped; err != nil {
		r.t.Errorf("Serve: %v", err)
	}
	r.stopped <- nil
}

func newAuthority(t testing.TB) *certs.Authority {
	t.Helper()
	a, err := certs.LoadOrCreate(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func listen(t testing.TB, ip string) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if errors.Is(err, syscall.EADDRNOTAVAIL) && runtime.GOOS == "darwin" { // which has 127.0.0.1 alone
		t.Skipf("this system has no %s; sudo ifconfig lo0 alias %s adds it", ip, ip)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// origin starts an HTTP server on ip and returns its URL.
func (r *world) origin(ip string, h http.HandlerFunc) string {
	s := &httptest.Server{Listener: listen(r.t, ip), Config: &http.Server{Handler: h, ErrorLog: discardLog()}}
	s.Start()
	r.t.Cleanup(s.Close)
	return s.URL
}

// secureOrigin starts an HTTPS server, for HTTP/2 and 1.1, on ip, with a certificate for host, and returns its URL.
func (r *world) secureOrigin(ip, host string, h http.HandlerFunc) string {
	return r.tlsOrigin(ip, host, r.origins.TLSConfig(host), h)
}

func (r *world) tlsOrigin(ip, host string, config *tls.Config, h http.HandlerFunc) string {
	s := &httptest.Server{Listener: listen(r.t, ip), Config: &http.Server{Handler: h, ErrorLog: discardLog()},
		TLS: config, EnableHTTP2: true}
	s.StartTLS()
	r.t.Cleanup(s.Close)
	r.dns.set(host, ip)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return "https://" + net.JoinHostPort(host, port)
}

// rawOrigin starts a server on ip that hands every connection to serve, and returns its address.
func (r *world) rawOrigin(ip string, serve func(net.Conn)) string {
	ln := listen(r.t, ip)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				stop := context.AfterFunc(r.t.(*testing.T).Context(), func() { c.Close() })
				defer stop()
				serve(c)
			})
		}
	})
	r.t.Cleanup(func() { ln.Close(); wg.Wait() })
	return ln.Addr().String()
}

// client returns a client of the proxy that trusts its CA and speaks HTTP/2 within CONNECT if h2 is set.
func (r *world) client(h2 bool) *http.Client {
	tr := &http.Transport{
		Proxy:              http.ProxyURL(&url.URL{Scheme: "http", Host: r.addr}),
		TLSClientConfig:    &tls.Config{RootCAs: r.ca.Pool(), ClientSessionCache: tls.NewLRUClientSessionCache(16)},
		ForceAttemptHTTP2:  h2,
		DisableCompression: true,
	}
	r.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 2 * longWait,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// dial connects to the proxy's listener.
func (r *world) dial() *net.TCPConn {
	r.t.Helper()
	c, err := net.DialTimeout("tcp", r.addr, longWait)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(2 * longWait))
	return c.(*net.TCPConn)
}

// connect opens a tunnel to target and returns it with the response to CONNECT.
func (r *world) connect(target string) (net.Conn, *bufio.Reader, *http.Response) {
	r.t.Helper()
	c := r.dial()
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
	br := bufio.NewReader(c)
	resp, err := http.ReadResponse(br, &http.Request{Method: http.MethodConnect})
	if err != nil {
		r.t.Fatalf("CONNECT %s: %v", target, err)
	}
	return c, br, resp
}

// secure opens an intercepted connection to target and speaks TLS on it, with the given protocols on offer.
func (r *world) secure(target string, protocols ...string) *tls.Conn {
	r.t.Helper()
	c, _, resp := r.connect(target)
	if resp.StatusCode != http.StatusOK {
		r.t.Fatalf("CONNECT %s: %s", target, resp.Status)
	}
	tc := tls.Client(c, &tls.Config{RootCAs: r.ca.Pool(), ServerName: hostname.WithoutPort(target), NextProtos: protocols})
	if err := tc.Handshake(); err != nil {
		r.t.Fatalf("handshake for %s: %v", target, err)
	}
	return tc
}

// get fetches u and returns the response with its body read.
func get(t testing.TB, c *http.Client, u string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return do(t, c, req)
}

// do sends req and returns the response with its body read.
func do(t testing.TB, c *http.Client, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := c.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: body: %v", req.Method, req.URL, err)
	}
	return resp, string(body)
}

// eventually waits until ok holds.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(longWait); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("never came true: %s", what)
}

func hostPort(u string) string {
	return strings.TrimPrefix(strings.TrimPrefix(u, "https://"), "http://")
}

// logBuffer collects a log.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns the log so far.
func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// fakeDNS answers A queries from a table, over UDP. A name with several addresses gives one after the other, the last
// for good: what a rebinding name server does.
type fakeDNS struct {
	conn net.PacketConn
	done chan struct{}

	mu      sync.Mutex
	records map[string][]netip.Addr
}

func newFakeDNS(t testing.TB) *fakeDNS {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &fakeDNS{conn: conn, done: make(chan struct{}), records: map[string][]netip.Addr{}}
	go d.serve()
	t.Cleanup(func() { _ = conn.Close(); <-d.done })
	return d
}

func (d *fakeDNS) set(name string, ips ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var addrs []netip.Addr
	for _, ip := range ips {
		addrs = append(addrs, netip.MustParseAddr(ip))
	}
	d.records[name+"."] = addrs
}

func (d *fakeDNS) next(name string) (netip.Addr, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	addrs := d.records[name]
	if len(addrs) == 0 {
		return netip.Addr{}, false
	}
	if len(addrs) > 1 {
		d.records[name] = addrs[1:]
	}
	return addrs[0], true
}

// resolver returns a resolver that asks d.
func (d *fakeDNS) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, StrictErrors: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", d.conn.LocalAddr().String())
	}}
}

func (d *fakeDNS) serve() {
	defer close(d.done)
	buf := make([]byte, 1500)
	for {
		n, from, err := d.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		if out, err := d.answer(m).Pack(); err == nil {
			_, _ = d.conn.WriteTo(out, from)
		}
	}
}

func (d *fakeDNS) answer(m dnsmessage.Message) *dnsmessage.Message {
	q := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	if q.Type != dnsmessage.TypeA {
		d.mu.Lock()
		_, known := d.records[q.Name.String()]
		d.mu.Unlock()
		if !known {
			m.RCode = dnsmessage.RCodeNameError
		}
		return &m
	}
	ip, ok := d.next(q.Name.String())
	if !ok {
		m.RCode = dnsmessage.RCodeNameError
		return &m
	}
	m.Answers = []dnsmessage.Resource{{
		Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
		Body:   &dnsmessage.AResource{A: ip.As4()},
	}}
	return &m
}
