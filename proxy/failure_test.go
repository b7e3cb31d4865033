package proxy

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/proxy/failure"
)

// selfSigned makes a certificate for site.test that is valid until notAfter.
func selfSigned(t *testing.T, notAfter time.Time) (tls.Certificate, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "self"},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: notAfter, DNSNames: []string{"site.test"},
		IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, tpl, tpl, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, leaf
}

// swallow reads a request's header.
func swallow(c net.Conn) {
	br := bufio.NewReader(c)
	for line, err := br.ReadString('\n'); err == nil && line != "\r\n"; line, err = br.ReadString('\n') {
	}
}

func TestFailuresAreExplained(t *testing.T) {
	t.Parallel()
	expired, expiredLeaf := selfSigned(t, time.Now().Add(-24*time.Hour))
	valid, _ := selfSigned(t, time.Now().Add(24*time.Hour))
	stranger := newAuthority(t)
	var pool *x509.CertPool
	r := newWorld(t, func(o *Options) { pool = o.UpstreamRoots })
	pool.AddCert(expiredLeaf) // so that time is all that is wrong with it
	nothing := func(http.ResponseWriter, *http.Request) {}
	closed := listen(t, "127.0.1.1")
	closed.Close()
	r.dns.set("no-address.test")
	for _, tc := range []struct {
		name, url string
		status    int
		reason    failure.Reason
	}{
		{"nothing listens", "http://" + closed.Addr().String(), 502, failure.Refused},
		{"no such name", "http://missing.test/", 502, failure.DNS},
		{"no address", "http://no-address.test/", 502, failure.DNS},
		{"hangs up", "http://" + r.rawOrigin("127.0.1.3", swallow), 502, failure.Reset},
		{"resets", "http://" + r.rawOrigin("127.0.1.4", func(c net.Conn) {
			swallow(c)
			_ = c.(*net.TCPConn).SetLinger(0)
		}), 502, failure.Reset},
		{"garbage", "http://" + r.rawOrigin("127.0.1.5", func(c net.Conn) {
			swallow(c)
			fmt.Fprint(c, "SSH-2.0-whatever\r\n\r\n")
		}), 502, failure.Protocol},
		{"two lengths", "http://" + r.rawOrigin("127.0.1.6", func(c net.Conn) {
			swallow(c)
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
		}), 502, failure.Protocol},
		{"endless header", "http://" + r.rawOrigin("127.0.1.7", func(c net.Conn) {
			swallow(c)
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\n")
			for _, err := fmt.Fprint(c, "X: ", strings.Repeat("x", 1000), "\r\n"); err == nil; {
				_, err = fmt.Fprint(c, "X: ", strings.Repeat("x", 1000), "\r\n")
			}
		}), 502, failure.Protocol},
		{"expired", r.tlsOrigin("127.0.1.11", "site.test", &tls.Config{Certificates: []tls.Certificate{expired}}, nothing),
			502, failure.TLSExpired},
		{"self-signed", r.tlsOrigin("127.0.1.11", "site.test", &tls.Config{Certificates: []tls.Certificate{valid}}, nothing),
			502, failure.TLSSelfSigned},
		{"unknown issuer", r.tlsOrigin("127.0.1.13", "b.test", stranger.TLSConfig("b.test"), nothing), 502, failure.TLSIssuer},
		{"wrong name", r.tlsOrigin("127.0.1.14", "c.test", r.origins.TLSConfig("d.test"), nothing), 502, failure.TLSName},
		{"no TLS there", strings.Replace(r.origin("127.0.1.15", nothing), "http:", "https:", 1), 502, failure.TLS},
	} {
		t.Run(tc.name, func(t *testing.T) { r.explains(t, tc.url, tc.status, tc.reason) })
	}
}

// Apart from the failures that wait for nothing, so that those are not short of time on a busy machine.
func TestSilentOriginsAreExplained(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Response, o.Limits.Handshake = 500*time.Millisecond, 1500*time.Millisecond })
	silent := r.rawOrigin("127.0.1.2", stall)
	t.Run("response", func(t *testing.T) { r.explains(t, "http://"+silent, 504, failure.Timeout) })
	t.Run("handshake", func(t *testing.T) { r.explains(t, "https://"+silent, 504, failure.Timeout) })
}

// explains checks that a request for u fails with a page, and is counted.
func (r *world) explains(t *testing.T, u string, status int, reason failure.Reason) {
	t.Helper()
	before := r.server.metrics.Failures.WithLabelValues(string(reason)).Value()
	resp, body := get(t, r.client(true), u, "Accept", "text/html,*/*")
	if resp.StatusCode != status || resp.Header.Get("Winnow") != "failed; reason="+string(reason) {
		t.Errorf("got %s, Winnow %q", resp.Status, resp.Header.Get("Winnow"))
	}
	checkPage(t, resp, body, "text/html", "<h1>")
	resp, body = get(t, r.client(true), u, "Accept", "application/json")
	checkPage(t, resp, body, "application/problem+json", `"reason":"`+string(reason)+`"`)
	resp, body = get(t, r.client(true), u, "Accept", "*/*")
	checkPage(t, resp, body, "text/plain", ".\n")
	if n := r.server.metrics.Failures.WithLabelValues(string(reason)).Value(); n != before+3 {
		t.Errorf("counted %v failures", n-before)
	}
}

// checkPage checks that a page explains, in people's words.
func checkPage(t *testing.T, resp *http.Response, body, contentType, holds string) {
	t.Helper()
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), contentType) || !strings.Contains(body, holds) {
		t.Errorf("%s: %q", resp.Header.Get("Content-Type"), body)
	}
	for _, raw := range []string{"dial tcp", "x509:", "tls:", "EOF", "lookup", "net/http", "read tcp", "127.0.0.1:", "%!"} {
		if strings.Contains(body, raw) {
			t.Errorf("the page shows a raw error (%s): %s", raw, body)
		}
	}
	if strings.Contains(body, "src=") || strings.Contains(body, "href=") {
		t.Errorf("the page loads something: %s", body)
	}
}

// A site that wants a certificate of its visitors works without interception alone, so the page should say so.
func TestClientCertificatesAreExplained(t *testing.T) {
	t.Parallel()
	r := newWorld(t)
	visitors := r.origins.TLSConfig("visitors.test")
	visitors.ClientAuth = tls.RequireAnyClientCert
	u := r.tlsOrigin("127.0.1.1", "visitors.test", visitors, func(http.ResponseWriter, *http.Request) {})
	// In TLS 1.3 the alert comes after the handshake, and is lost where the request is written to a connection that the
	// site has closed by then.
	eventually(t, "the page says so", func() bool {
		resp, body := get(t, r.client(true), u)
		return resp.StatusCode == 502 && strings.Contains(body, "--bypass")
	})
}

func TestStalledBodyIsCut(t *testing.T) {
	t.Parallel()
	r := newWorld(t, func(o *Options) { o.Limits.Stall = 150 * time.Millisecond })
	u := r.origin("127.0.1.1", func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprint(w, "some")
		_ = http.NewResponseController(w).Flush()
		<-req.Context().Done() // the proxy giving up is what ends this
	})
	resp, err := r.client(false).Get(u)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	start := time.Now()
	body, err := io.ReadAll(resp.Body)
	if string(body) != "some" || err == nil || time.Since(start) > longWait {
		t.Errorf("after %v: %q, %v", time.Since(start), body, err)
	}
}

func TestHostileNamesDoNotEnterThePage(t *testing.T) {
	r := newWorld(t)
	c := r.dial()
	fmt.Fprint(c, "GET http://a.test/ HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nVia: 1.1 ", r.server.via.Pseudonym(),
		"\r\n\r\nGET http://<script>.test/ HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n")
	br := bufio.NewReader(c)
	for range 2 {
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(resp.Body); strings.Contains(string(body), "<script>") || resp.StatusCode < 400 {
			t.Errorf("%s: %s", resp.Status, body)
		}
	}
}

func TestLogLinesStayShort(t *testing.T) {
	if got := failure.Brief(errors.New(strings.Repeat("ä", 1000))); len(got) > 210 || !utf8.ValidString(got) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	var log logBuffer
	engineLog{slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}.Printf("failed: %v",
		&url.Error{Op: "Get", URL: "http://site.test/private?secret", Err: io.EOF})
	if strings.Contains(log.String(), "secret") || !strings.Contains(log.String(), "url.Error") {
		t.Errorf("logged %s", &log)
	}
}
