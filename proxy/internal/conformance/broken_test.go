//go:build full

package conformance_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/proxy/internal/conformance"
)

// TestEveryCheckCanFail checks proxies with one fault each. Every check must fail on at least one of them.
func TestEveryCheckCanFail(t *testing.T) {
	ca, origins := newAuthority(t), newAuthority(t)
	left := conformance.Requirements()
	for i := range left {
		left[i].Ways = left[i].Ways[:1] // the check is the same on all
	}
	for _, broken := range []struct {
		does  string
		serve func(c net.Conn, ca *certs.Authority)
	}{
		{"says yes", answerAll("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\nyes", true)},
		{"relays", relayBlindly},
		{"says no", answerAll("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", false)},
		{"hangs up", func(net.Conn, *certs.Authority) {}},
	} {
		target := conformance.Target{Addr: listenRaw(t, func(c net.Conn) { broken.serve(c, ca) }), Trust: ca.Pool(), Origins: origins,
			Timeout: 2 * time.Second, Parallel: 32}
		before := len(left)
		var met []conformance.Requirement
		for i, o := range conformance.Run(t.Context(), target, left) {
			if o.Err == nil {
				met = append(met, left[i]) // the next proxy has to show that it can fail
			}
		}
		left = met
		t.Logf("%s: caught by %d further checks", broken.does, before-len(left))
	}
	for _, r := range left {
		t.Errorf("%s is met by every broken proxy", r.ID)
	}
}

// listenRaw serves connections until the test ends, and returns the address.
func listenRaw(t *testing.T, serve func(c net.Conn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				defer context.AfterFunc(t.Context(), func() { c.Close() })()
				serve(c)
			})
		}
	})
	t.Cleanup(func() { ln.Close(); wg.Wait() })
	return ln.Addr().String()
}

// answerAll gives the same response to every request, also inside CONNECT and TLS. If lenient, it does so for any
// bytes.
func answerAll(answer string, lenient bool) func(c net.Conn, ca *certs.Authority) {
	return func(c net.Conn, ca *certs.Authority) {
		br := bufio.NewReader(c)
		for {
			req, err := http.ReadRequest(br)
			if err == nil && req.Method == http.MethodConnect {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
				host, _, _ := net.SplitHostPort(req.Host)
				config := ca.TLSConfig(host)
				secure := tls.Server(c, config)
				if secure.Handshake() != nil {
					return
				}
				c, br = secure, bufio.NewReader(secure)
				continue
			}
			if err == nil {
				_, err = io.Copy(io.Discard, req.Body)
			}
			if err == nil || lenient {
				_, _ = io.WriteString(c, answer)
			}
			if err != nil {
				return
			}
		}
	}
}

// relayBlindly opens a connection to the origin at the first request and then copies bytes.
func relayBlindly(c net.Conn, _ *certs.Authority) {
	br := bufio.NewReader(c)
	line, err := br.ReadString('\n')
	if err != nil {
		return
	}
	req, err := http.NewRequest(http.MethodGet, targetIn(line), nil)
	if err != nil || req.URL.Host == "" {
		return
	}
	o, err := net.Dial("tcp", req.URL.Host)
	if err != nil {
		return
	}
	defer o.Close()
	done := make(chan struct{})
	go func() { defer close(done); _, _ = io.Copy(c, o); c.Close() }()
	_, _ = io.WriteString(o, line)
	_, _ = io.Copy(o, br)
	_ = o.(*net.TCPConn).CloseWrite()
	<-done
}

// targetIn returns the target of a request line.
func targetIn(line string) string {
	_, rest, _ := strings.Cut(line, " ")
	target, _, _ := strings.Cut(rest, " ")
	return target
}
