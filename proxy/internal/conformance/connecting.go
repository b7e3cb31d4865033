package conformance

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"strings"
	"time"
)

func connecting() []Requirement {
	plain, secure := plainWay(), secureWays()
	return []Requirement{
		{"connect-tunnel", "RFC 9110 §9.3.6", "After CONNECT bytes that are not TLS pass both ways as they are.", plain, checkTunnel},
		{"connect-server-first", "RFC 9110 §9.3.6", "Bytes pass both ways where the server speaks first.", plain, checkServerFirst},
		{"connect-half-close", "RFC 9110 §9.3.6", "After the client has ended its half, the rest of the origin's bytes still arrives.", plain, checkHalfClose},
		{"connect-ahead", "RFC 9110 §9.3.6", "Bytes that come in one packet with CONNECT are not lost.", plain, checkAhead},
		{"connect-framing", "RFC 9110 §9.3.6", "The 2xx to CONNECT has neither Content-Length nor Transfer-Encoding.", plain, checkConnectFraming},
		{"connect-refused", "RFC 9110 §9.3.6", "A tunnel to an unreachable target is refused or closed promptly.", plain, checkConnectRefused},
		{"connect-target", "RFC 9112 §3.2.3", "A CONNECT without host or port is refused.", plain, checkConnectTarget},
		{"connect-http10", "RFC 9110 §9.3.6", "CONNECT of HTTP/1.0 works.", plain, checkConnectHTTP10},
		{"intercept-host", "RFC 9110 §7.4", "A request inside a tunnel that names another host is not sent to that host.", secure, checkInnerHost},
		{"intercept-misdirected", "RFC 9110 §15.5.20", "A request inside a tunnel that names another host gets 421.", secure, checkMisdirected},
		{"intercept-certificate", "RFC 9110 §4.3.4", "The proxy does not vouch for an origin whose certificate does not verify.", secure, checkCertificate},
		{"intercept-wrong-name", "RFC 9110 §4.3.4", "The proxy does not vouch for an origin whose certificate is for another name.", secure, checkWrongName},
	}
}

// tunnel sends a CONNECT to addr, followed by more, and expects a 2xx.
func (p *Probe) tunnel(addr, version, more string) (net.Conn, *bufio.Reader, *http.Response) {
	c := p.dialProxy()
	_, err := fmt.Fprintf(c, "CONNECT %s %s\r\nHost: %s\r\n\r\n%s", addr, version, addr, more)
	p.Need(err, "send CONNECT")
	br := bufio.NewReader(c)
	resp, err := http.ReadResponse(br, &http.Request{Method: http.MethodConnect})
	p.Need(err, "answer to CONNECT")
	if resp.StatusCode/100 != 2 {
		p.Failf("CONNECT: %s", resp.Status)
	}
	return c, br, resp
}

// shout answers each line in capitals, and says bye at the end.
func shout(c net.Conn) {
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		_, _ = io.WriteString(c, strings.ToUpper(lines.Text())+"\n")
	}
	_, _ = io.WriteString(c, "BYE\n")
}

// hears expects a line.
func (p *Probe) hears(br *bufio.Reader, want string) {
	got, err := br.ReadString('\n')
	if got != want+"\n" {
		p.Failf("%q instead of %q: %v", got, want, err)
	}
}

func checkTunnel(p *Probe) {
	c, br, _ := p.tunnel(p.ServeBytes(shout), "HTTP/1.1", "")
	for _, line := range []string{"\x02hello", "\x00\x01binary", "again"} { // nothing that looks like HTTP
		fmt.Fprintln(c, line)
		p.hears(br, strings.ToUpper(line))
	}
}

func checkServerFirst(p *Probe) {
	addr := p.ServeBytes(func(c net.Conn) {
		_, _ = io.WriteString(c, "220 ready\n")
		shout(c)
	})
	c, br, _ := p.tunnel(addr, "HTTP/1.1", "")
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	p.hears(br, "220 ready")
	fmt.Fprintln(c, "helo")
	p.hears(br, "HELO")
}

func checkHalfClose(p *Probe) {
	c, br, _ := p.tunnel(p.ServeBytes(shout), "HTTP/1.1", "")
	fmt.Fprintln(c, "\x02last words")
	p.Need(c.(*net.TCPConn).CloseWrite(), "end the client's half")
	p.hears(br, "\x02LAST WORDS")
	p.hears(br, "BYE")
}

func checkAhead(p *Probe) {
	_, br, _ := p.tunnel(p.ServeBytes(shout), "HTTP/1.1", "\x02ahead\n")
	p.hears(br, "\x02AHEAD")
}

func checkConnectFraming(p *Probe) {
	_, _, resp := p.tunnel(p.ServeBytes(shout), "HTTP/1.1", "")
	p.without(resp.Header, "Content-Length", "Transfer-Encoding")
	p.Expect(len(resp.TransferEncoding) == 0, "Transfer-Encoding %q", resp.TransferEncoding)
}

func checkConnectRefused(p *Probe) {
	ln := p.listen()
	addr := ln.Addr().String()
	_ = ln.Close()
	c := p.dialProxy()
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", addr, addr)
	br := bufio.NewReader(c)
	resp, err := http.ReadResponse(br, &http.Request{Method: http.MethodConnect})
	p.Need(err, "answer to CONNECT")
	if resp.StatusCode >= 400 {
		return
	}
	fmt.Fprintln(c, "anyone there?") // an intercepting proxy dials when it knows the client's protocol
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	rest, err := io.ReadAll(br)
	p.Expect(!timedOut(err), "the tunnel to nowhere stays open")
	p.Expect(len(rest) == 0 || strings.HasPrefix(string(rest), "HTTP/1."), "somebody answered %q", rest)
}

func timedOut(err error) bool {
	ne, ok := err.(net.Error) //nolint:errorlint // straight from a connection
	return ok && ne.Timeout()
}

func checkConnectTarget(p *Probe) {
	for _, target := range []string{":443", "site.example", "site.example:", "site.example:0", "site.example:99999"} {
		c := p.dialProxy()
		fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: site.example\r\n\r\n", target)
		resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: http.MethodConnect})
		p.Need(err, "answer to CONNECT "+target)
		p.Expect(resp.StatusCode >= 400, "CONNECT %s: %s", target, resp.Status)
	}
}

func checkConnectHTTP10(p *Probe) {
	c, br, _ := p.tunnel(p.ServeBytes(shout), "HTTP/1.0", "")
	fmt.Fprintln(c, "\x02hello")
	p.hears(br, "\x02HELLO")
}

// misdirected requests other inside a tunnel to o, and returns the status, or 0 without a response.
func (p *Probe) misdirected(o, other *Origin) int {
	tr := &http.Transport{Protocols: new(http.Protocols), DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
		protocol := "http/1.1"
		if p.Way == TLS2 {
			protocol = "h2"
		}
		return p.secure(p.connect(o.Host), o.Host, protocol), nil
	}}
	tr.Protocols.SetHTTP1(p.Way != TLS2)
	tr.Protocols.SetHTTP2(p.Way == TLS2)
	defer tr.CloseIdleConnections()
	resp, err := tr.RoundTrip(p.Request(http.MethodGet, other.URL+"/", nil))
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

func checkInnerHost(p *Probe) {
	reached := make(chan string, 4)
	o := p.Serve(func(http.ResponseWriter, *http.Request) { reached <- "target" })
	other := p.Serve(func(http.ResponseWriter, *http.Request) { reached <- "other" })
	p.Expect(p.misdirected(o, o) == http.StatusOK && receive(p, reached) == "target", "the target itself is not reached")
	status := p.misdirected(o, other)
	select {
	case where := <-reached:
		p.Expect(where == "target", "the other host was asked")
	default:
		p.Expect(status == 0 || status >= 400, "nobody was asked, yet the answer is %d", status)
	}
}

func checkMisdirected(p *Probe) {
	nothing := func(http.ResponseWriter, *http.Request) {}
	status := p.misdirected(p.Serve(nothing), p.Serve(nothing))
	p.Expect(status == http.StatusMisdirectedRequest, "%d instead of 421", status)
}

// distrusted expects that the proxy does not fetch from an origin with this configuration.
func (p *Probe) distrusted(config *tls.Config) {
	ln := p.listen()
	o := p.origin(ln)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "forged") }),
		ReadHeaderTimeout: p.target.Timeout, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(tls.NewListener(ln, withoutHTTP2(config))) }()
	p.Cleanup(func() { _ = s.Close(); <-done })
	if sound, err := p.Try(p.Request(http.MethodGet, p.Serve(echo).URL+"/", nil)); err != nil || sound.StatusCode != http.StatusOK {
		p.Failf("not even a sound origin is reached: %v", err)
	}
	if a, err := p.Try(p.Request(http.MethodGet, o.URL+"/", nil)); err == nil {
		p.Expect(a.StatusCode >= 400 && !strings.Contains(string(a.Body), "forged"), "%s: %.60q", a.Status, a.Body)
	}
}

func checkCertificate(p *Probe) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p.Need(err, "make a key")
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), DNSNames: []string{secureHost},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	p.Need(err, "make a certificate")
	p.distrusted(&tls.Config{MinVersion: tls.VersionTLS12,
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})
}

func checkWrongName(p *Probe) { p.distrusted(p.target.Origins.TLSConfig("other.example")) }
