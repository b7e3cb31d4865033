package proxy

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// hasty lets a world's clients count as silent almost at once.
func hasty(o *Options) { o.Limits.Sniff = time.Millisecond }

// A client that says nothing for a while after CONNECT gets what a quick one gets, unless the origin speaks first.
func TestSilentClients(t *testing.T) {
	t.Parallel()
	r := newWorld(t, hasty)
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
	for _, tc := range []struct {
		name   string
		serve  func(net.Conn)
		client func(t *testing.T, c *net.TCPConn) io.Reader // says what it has to say, and returns what answers
		want   string
		tunnel bool
	}{
		{"TLS", func(c net.Conn) {
			config := r.origins.TLSConfig("127.0.1.1")
			config.NextProtos = []string{"http/1.1"}
			tc := tls.Server(c, config)
			swallow(tc)
			fmt.Fprint(tc, answer)
			tc.Close()
		}, func(t *testing.T, c *net.TCPConn) io.Reader {
			tc := tls.Client(c, &tls.Config{RootCAs: r.ca.Pool(), ServerName: "127.0.1.1"})
			fmt.Fprint(tc, "GET / HTTP/1.1\r\nHost: 127.0.1.1\r\nConnection: close\r\n\r\n")
			return tc
		}, "hello", false},
		{"words", shout, func(_ *testing.T, c *net.TCPConn) io.Reader { fmt.Fprint(c, "hello\n"); _ = c.CloseWrite(); return c },
			"HELLO\n", true},
		{"a half-close", func(c net.Conn) { shout(c); fmt.Fprint(c, "221 bye\n") },
			func(_ *testing.T, c *net.TCPConn) io.Reader { _ = c.CloseWrite(); return c }, "221 bye\n", true},
		{"TLS after the server's word", func(c net.Conn) { fmt.Fprint(c, "220 ready\n"); shout(c) },
			func(t *testing.T, c *net.TCPConn) io.Reader {
				if got := readLine(t, bufio.NewReader(c)); got != "220 ready" {
					t.Errorf("got %q", got)
				}
				fmt.Fprint(c, "\x16\x03\x01ab\x01cd\n")
				_ = c.CloseWrite()
				return c
			}, "\x16\x03\x01AB\x01CD\n", true},
		{"a server that leaves", func(net.Conn) {}, func(_ *testing.T, c *net.TCPConn) io.Reader { return c }, "", true},
		{"a server that resets", reset, func(_ *testing.T, c *net.TCPConn) io.Reader { return c }, "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before, dialled := r.tunnelCount("not-tls"), make(chan struct{}, 2) // interception dials once more
			c, _, _ := r.connect(r.rawOrigin("127.0.1.1", func(c net.Conn) { dialled <- struct{}{}; tc.serve(c) }))
			<-dialled // the proxy has stopped waiting for the client alone
			got, err := io.ReadAll(tc.client(t, c.(*net.TCPConn)))
			if wire.TimedOut(err) || !strings.HasSuffix(string(got), tc.want) || tc.want == "" && len(got) > 0 {
				t.Errorf("got %q, %v", got, err)
			}
			c.Close()
			eventually(t, "forgotten", func() bool { return r.server.tunnels.Count() == 0 })
			if n := r.tunnelCount("not-tls") - before; (n == 1) != tc.tunnel {
				t.Errorf("%v tunnels", n)
			}
		})
	}
}

// Where nobody ever speaks, the connection ends as an idle tunnel does.
func TestSilenceOnBothSidesEnds(t *testing.T) {
	t.Parallel()
	r := newWorld(t, hasty, func(o *Options) { o.Limits.TunnelIdle = 50 * time.Millisecond })
	left := make(chan struct{})
	c, br, _ := r.connect(r.rawOrigin("127.0.1.1", func(c net.Conn) { stall(c); close(left) }))
	if _, err := br.ReadByte(); err == nil || wire.TimedOut(err) {
		t.Errorf("the client's end: %v", err)
	}
	<-left
	c.Close()
	eventually(t, "forgotten", func() bool { return r.server.tunnels.Count() == 0 })
}
