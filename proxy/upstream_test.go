package proxy

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/failure"
)

func itoa(n uint16) string { return strconv.Itoa(int(n)) }

// upstreamKinds runs f for each kind of upstream proxy.
func upstreamKinds(t *testing.T, f func(t *testing.T, kind string)) {
	t.Parallel()
	for _, kind := range []string{"http", "https", "socks5"} {
		t.Run(kind, func(t *testing.T) { t.Parallel(); f(t, kind) })
	}
}

// tell answers with what matters of a request.
func tell(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	fmt.Fprintf(w, "%s %s %s, body %q, auth %q", req.Proto, req.Method, req.RequestURI, body, req.Header["Proxy-Authorization"])
}

func TestRequestsGoThroughTheUpstreamProxy(t *testing.T) {
	upstreamKinds(t, func(t *testing.T, kind string) {
		r := newUpstreamRig(t, kind)
		plain, secure := r.named("127.0.1.1", "plain.test", tell), r.secureOrigin("127.0.1.2", "secure.test", tell)
		for _, tc := range []struct{ base, path, want string }{
			{plain, "/a?b=c", `HTTP/1.1 POST /a?b=c, body "hello", auth []`},
			{secure, "/a?b=c", `HTTP/2.0 POST /a?b=c, body "hello", auth []`},
		} {
			for _, h2 := range []bool{false, true} {
				req, _ := http.NewRequest(http.MethodPost, tc.base+tc.path, strings.NewReader("hello"))
				req.Header.Set("Proxy-Authorization", "Basic bWluZTptaW5l") // the client's, for the first proxy
				if resp, body := do(t, r.client(h2), req); resp.StatusCode != 200 || body != tc.want {
					t.Errorf("%s%s: %s %q, want %q", tc.base, tc.path, resp.Status, body, tc.want)
				}
			}
		}
		took := strings.Join(r.far.took(), "\n")
		want := "POST " + plain + "/a?b=c"
		if kind == "socks5" {
			want = "SOCKS " + hostPort(plain)
		}
		if !strings.Contains(took, want) || !strings.Contains(took, " "+hostPort(secure)) {
			t.Errorf("the upstream proxy saw\n%s", took)
		}
		if log := r.log.String(); strings.Contains(log, "s3cr3t") || strings.Contains(log, "w%C3%B6rd") {
			t.Errorf("the password is in the log: %s", log)
		}
	})
}

// A proxy must not modify path and query (RFC 9110 §7.7), and sends OPTIONS for the server as a whole on without a path
// (RFC 9112 §3.2.4).
func TestTargetsReachTheUpstreamProxyUnchanged(t *testing.T) {
	r := newUpstreamRig(t, "http")
	plain := r.named("127.0.1.1", "plain.test", tell)
	var want []string
	for _, line := range []string{"OPTIONS " + plain, "GET " + plain + "/odd|path/%7Ex?", "GET " + plain + "//two", "GET " + plain + "/?a=%zz"} {
		c := r.dial()
		fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", line)
		_, _ = io.Copy(io.Discard, c)
		if want = append(want, line); !slices.Equal(r.far.took(), want) {
			t.Fatalf("the upstream proxy saw %q, want %q", r.far.took(), want)
		}
	}
}

func TestTunnelsAndUpgradesGoThroughTheUpstreamProxy(t *testing.T) {
	upstreamKinds(t, func(t *testing.T, kind string) {
		r := newUpstreamRig(t, kind, func(o *Options) { o.Bypass = []string{"bank.test"} })
		plain, secure := r.named("127.0.1.1", "plain.test", shouting), r.secureOrigin("127.0.1.2", "secure.test", shouting)
		r.dns.set("echo.test", "127.0.1.3")
		_, port, _ := net.SplitHostPort(r.rawOrigin("127.0.1.3", shout))
		bank := r.secureOrigin("127.0.1.4", "bank.test", tell)

		for base, c := range map[string]net.Conn{plain: r.dial(), "": r.secure(hostPort(secure))} {
			fmt.Fprintf(c, "GET %s/ HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: shout/1\r\n\r\nfirst\n", base,
				map[bool]string{true: hostPort(secure), false: hostPort(plain)}[base == ""])
			if br := skipHead(t, c); readLine(t, br) != "FIRST" {
				t.Errorf("upgrade, %q", base)
			}
		}
		c, br, resp := r.connect("echo.test:" + port)
		fmt.Fprintln(c, "raw")
		if got := readLine(t, br); resp.StatusCode != 200 || got != "RAW" {
			t.Errorf("tunnel: %s, %q", resp.Status, got)
		}
		tr := r.client(true).Transport.(*http.Transport)
		tr.TLSClientConfig.RootCAs = r.origins.Pool()
		if _, body := get(t, &http.Client{Transport: tr}, bank); !strings.HasPrefix(body, "HTTP/2.0 GET /") {
			t.Errorf("bypassed: %q", body)
		}
		took := strings.Join(r.far.took(), "\n")
		for _, target := range []string{hostPort(plain), hostPort(secure), "echo.test:" + port, hostPort(bank)} {
			if method := map[bool]string{true: "SOCKS ", false: "CONNECT "}[kind == "socks5"]; !strings.Contains(took, method+target) {
				t.Errorf("no tunnel to %s:\n%s", target, took)
			}
		}
	})
}

// An upstream proxy is asked in plain words, so that what it sends ahead of the origin's first byte is not lost.
func TestBytesBehindTheUpstreamsAnswerAreKept(t *testing.T) {
	r := newWorld(t)
	far := r.rawOrigin("127.0.2.1", func(c net.Conn) {
		swallow(c)
		fmt.Fprint(c, "HTTP/1.0 200 fine\r\n\r\n220 ready\n")
		shout(c)
	})
	r = newWorld(t, hasty, func(o *Options) {
		o.Upstream.HTTPS, o.AllowPorts = &url.URL{Scheme: "http", Host: far}, []string{"25"}
	})
	c, br, _ := r.connect("mail.test:25")
	if got := readLine(t, br); got != "220 ready" {
		t.Errorf("got %q", got)
	}
	fmt.Fprintln(c, "quit")
	if got := readLine(t, br); got != "QUIT" {
		t.Errorf("got %q", got)
	}
}

func TestUpstreamFailuresAreExplained(t *testing.T) {
	upstreamKinds(t, func(t *testing.T, kind string) {
		wrong := newUpstreamRig(t, kind, func(o *Options) {
			o.Upstream.HTTP = &url.URL{Scheme: kind, Host: o.Upstream.HTTP.Host, User: url.UserPassword(upstreamUser, "wrong")}
			o.Upstream.HTTPS = o.Upstream.HTTP
		})
		right := newUpstreamRig(t, kind)
		right.dns.set("closed.test", "127.0.1.9")
		plainOrigin := failure.ProxyOrigin
		if kind != "socks5" {
			plainOrigin = "" // the upstream proxy's own answer to the request comes through
		}
		for _, tc := range []struct {
			name, url string
			rig       *upstreamRig
			status    int
			reason    failure.Reason
		}{
			{"password, http", "http://site.test/", wrong, 502, failure.ProxyAuth},
			{"password, https", "https://site.test/", wrong, 502, failure.ProxyAuth},
			{"forbidden, https", "https://forbidden.test/", right, 403, failure.ProxyRefused},
			{"no such name, https", "https://missing.test/", right, 502, failure.ProxyOrigin},
			{"no such name, http", "http://missing.test/", right, 502, plainOrigin},
			{"nothing listens", "https://closed.test:1025/", right, 502, failure.ProxyOrigin},
		} {
			resp, body := get(t, tc.rig.client(true), tc.url, "Accept", "text/html")
			want := "failed; reason=" + string(tc.reason)
			if tc.reason == "" {
				want = ""
			}
			if resp.StatusCode != tc.status || resp.Header.Get("Winnow") != want || resp.Header.Get("Proxy-Authenticate") != "" {
				t.Errorf("%s: %s, Winnow %q: %s", tc.name, resp.Status, resp.Header.Get("Winnow"), body)
			}
			if want != "" {
				checkPage(t, resp, body, "text/html", "<h1>")
			}
		}
		for _, r := range []*upstreamRig{wrong, right} {
			if log := r.log.String(); strings.Contains(log, "s3cr3t") || strings.Contains(log, "wrong") {
				t.Errorf("a password is in the log: %s", log)
			}
		}
	})
}

func TestUpstreamProxyThatIsNone(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	closed := listen(t, "127.0.2.9")
	closed.Close()
	silent := r.rawOrigin("127.0.2.1", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	garbage := r.rawOrigin("127.0.2.2", func(c net.Conn) { fmt.Fprint(c, "SSH-2.0-x\r\n\r\n"); swallow(c) })
	endless := r.rawOrigin("127.0.2.3", func(c net.Conn) {
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\n")
		for err := error(nil); err == nil; {
			_, err = fmt.Fprint(c, "X: ", strings.Repeat("x", 1000), "\r\n")
		}
	})
	stranger := r.tlsOrigin("127.0.2.4", "127.0.2.4", newAuthority(t).TLSConfig("127.0.2.4"), tell)
	for _, tc := range []struct {
		name, upstream string
		status         int
		reason         failure.Reason
	}{
		{"nothing listens", "http://" + closed.Addr().String(), 502, failure.ProxyDown},
		{"nothing listens, SOCKS", "socks5://" + closed.Addr().String(), 502, failure.ProxyDown},
		{"no such name", "http://missing.test:1", 502, failure.ProxyDown},
		{"silent", "http://" + silent, 504, failure.ProxyOrigin},
		{"silent, SOCKS", "socks5://" + silent, 504, failure.ProxyOrigin},
		{"silent, TLS", "https://" + silent, 504, failure.ProxyDown},
		{"garbage", "http://" + garbage, 502, failure.ProxyDown},
		{"garbage, SOCKS", "socks5://" + garbage, 502, failure.ProxyDown},
		{"endless", "http://" + endless, 502, failure.ProxyDown},
		{"unknown certificate", stranger, 502, failure.ProxyDown},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			u, err := dial.ParseProxy(tc.upstream)
			if err != nil {
				t.Fatal(err)
			}
			r := newWorld(t, func(o *Options) {
				o.Upstream.HTTPS, o.Bypass = u, []string{"bypassed.test"}
				if tc.status == http.StatusGatewayTimeout {
					o.Limits.Dial, o.Limits.Handshake = time.Second, time.Second
				}
			})
			start := time.Now()
			resp, body := get(t, r.client(false), "https://site.test/", "Accept", "text/html")
			if resp.StatusCode != tc.status || resp.Header.Get("Winnow") != "failed; reason="+string(tc.reason) {
				t.Errorf("%s, Winnow %q: %s", resp.Status, resp.Header.Get("Winnow"), body)
			}
			checkPage(t, resp, body, "text/html", "<h1>")
			if strings.Contains(body, "127.0.2.") || time.Since(start) > longWait {
				t.Errorf("after %v: %s", time.Since(start), body)
			}
			// The tunnels of clients that are not intercepted fail as visibly.
			if _, _, resp := r.connect("bypassed.test:443"); resp.Header.Get("Winnow") != "failed; reason="+string(tc.reason) {
				t.Errorf("CONNECT: %s, Winnow %q", resp.Status, resp.Header.Get("Winnow"))
			}
		})
	}
}

func TestNoProxyGoesPastTheUpstreamProxy(t *testing.T) {
	t.Parallel()
	r := newUpstreamRig(t, "http", func(o *Options) { o.Upstream.NoProxy = "near.test" })
	r.near.set("near.test", "127.0.1.1")
	_, port, _ := net.SplitHostPort(hostPort(r.origin("127.0.1.1", tell)))
	if _, body := get(t, r.client(false), "http://near.test:"+port+"/"); !strings.HasPrefix(body, "HTTP/1.1 GET /,") {
		t.Errorf("got %q", body)
	}
	if got := r.far.took(); len(got) > 0 {
		t.Errorf("the upstream proxy saw %q", got)
	}
}

func TestEachSchemeHasItsUpstreamProxy(t *testing.T) {
	t.Parallel()
	far := newFarProxy(t, "http")
	r := newWorld(t, func(o *Options) { o.Upstream.HTTP = far.url })
	r.dns.set("both.test", "127.0.1.2")
	secure := r.secureOrigin("127.0.1.2", "both.test", tell)
	if _, body := get(t, r.client(true), secure); !strings.HasPrefix(body, "HTTP/2.0 GET /") {
		t.Errorf("https goes directly: %q", body)
	}
	if got := far.took(); len(got) > 0 {
		t.Errorf("the upstream proxy for http saw %q", got)
	}
}

// What clients spell out is checked here; what a name means is for the upstream proxy to find out.
func TestDestinationRulesHoldBeforeAnUpstreamProxy(t *testing.T) {
	upstreamKinds(t, func(t *testing.T, kind string) {
		r := newUpstreamRig(t, kind, strict, func(o *Options) { o.Listen = "192.0.2.1:8080" })
		for _, host := range []string{"metadata.google.internal", "169.254.169.254", "10.0.0.1", "192.168.1.1",
			"2852039166", "0xa9fea9fe", "0xA9.254.43518", "0251.0376.0251.0376", "127.1"} {
			plain, _ := get(t, r.client(false), "http://"+host+"/")
			_, _, tunnel := r.connect(host + ":443")
			for _, resp := range []*http.Response{plain, tunnel} {
				if resp.StatusCode != 403 || resp.Header.Get("Winnow") != "failed; reason=denied" {
					t.Errorf("%s: %s, Winnow %q", host, resp.Status, resp.Header.Get("Winnow"))
				}
			}
		}
		if got := r.far.took(); len(got) > 0 {
			t.Errorf("the upstream proxy saw %q", got)
		}
	})
}

func TestUpstreamProxyThatLeadsBackIsNoticed(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	u := &url.URL{Scheme: "http", Host: r.addr}
	o := r.options
	o.Upstream = dial.Proxies{HTTP: u, HTTPS: u}
	if err := r.server.Reload(o); err != nil {
		t.Fatal(err)
	}
	if resp, _ := get(t, r.client(false), "http://site.test/"); resp.StatusCode != http.StatusLoopDetected {
		t.Errorf("http: %s", resp.Status)
	}
	c, br, _ := r.connect("site.test:443")
	tc := tls.Client(c, &tls.Config{RootCAs: r.ca.Pool(), ServerName: "site.test"})
	fmt.Fprint(tc, "GET / HTTP/1.1\r\nHost: site.test\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(tc), nil)
	if err != nil || resp.Header.Get("Winnow") != "failed; reason=proxy-refused" {
		t.Errorf("https: %v, %v (%d bytes unread)", resp, err, br.Buffered())
	}
}
