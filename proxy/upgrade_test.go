package proxy

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/websocket"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// shouting switches to a protocol that sends every line back in capitals, unless the path says not to.
func shouting(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path == "/no" || req.Header.Get("Upgrade") == "" {
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "Upgrade %q, Connection %q", req.Header.Get("Upgrade"), req.Header.Get("Connection"))
		return
	}
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\nX-Got: %s\r\n\r\n",
		req.Header.Get("Upgrade"), req.Header.Get("X-Mine"))
	_ = rw.Flush()
	ahead, _ := rw.Peek(rw.Reader.Buffered())
	shout(wire.WithPrefix(c, ahead))
}

// upgradePaths runs f with a connection to an origin through the plain path and through interception.
func upgradePaths(t *testing.T, origin http.HandlerFunc, f func(t *testing.T, c net.Conn, base, host string)) {
	r := newWorld(t)
	plain, secure := r.origin("127.0.1.1", origin), r.secureOrigin("127.0.1.2", "site.test", origin)
	t.Run("plain", func(t *testing.T) { f(t, r.dial(), plain, hostPort(plain)) })
	t.Run("intercepted", func(t *testing.T) { f(t, r.secure(hostPort(secure)), "", hostPort(secure)) })
	t.Cleanup(func() {
		if n := r.tunnelCount("upgrade"); n > 2 {
			t.Errorf("counted %v tunnels", n)
		}
	})
}

func TestAnyProtocolMayTakeOver(t *testing.T) {
	t.Parallel()
	upgradePaths(t, shouting, func(t *testing.T, c net.Conn, base, host string) {
		// The first line comes in the same write as the request.
		fmt.Fprintf(c, "GET %s/ HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: shout/1\r\nX-Mine: yes\r\n\r\nfirst\n",
			base, host)
		br := bufio.NewReader(c)
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != 101 || resp.Header.Get("Upgrade") != "shout/1" || resp.Header.Get("X-Got") != "yes" ||
			resp.Header.Get("Via") == "" || !strings.EqualFold(resp.Header.Get("Connection"), "upgrade") {
			t.Errorf("%s %v", resp.Status, resp.Header)
		}
		if got := readLine(t, br); got != "FIRST" {
			t.Errorf("got %q", got)
		}
		fmt.Fprintln(c, "second")
		if got := readLine(t, br); got != "SECOND" {
			t.Errorf("got %q", got)
		}
	})
}

func TestRefusedUpgradesAreOrdinaryAnswers(t *testing.T) {
	t.Parallel()
	upgradePaths(t, shouting, func(t *testing.T, c net.Conn, base, host string) {
		br := bufio.NewReader(c)
		for _, tc := range []struct{ path, upgrade, want string }{
			{"/no", "shout/1", `Upgrade "shout/1", Connection "Upgrade"`},
			{"/", "h2c", `Upgrade "", Connection ""`}, // HTTP/2 in clear text is between client and proxy alone
		} {
			fmt.Fprintf(c, "GET %s%s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n",
				base, tc.path, host, tc.upgrade)
			resp, err := http.ReadResponse(br, nil)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != http.StatusTeapot || string(body) != tc.want {
				t.Errorf("%s: %s %q, want %q", tc.path, resp.Status, body, tc.want)
			}
		}
	})
}

func TestWebSocketEchoes(t *testing.T) {
	t.Parallel()
	echo := websocket.Server{Handler: func(ws *websocket.Conn) { _, _ = io.Copy(ws, ws) }}
	upgradePaths(t, echo.ServeHTTP, func(t *testing.T, c net.Conn, _, host string) {
		scheme := "ws"
		if _, ok := c.(*tls.Conn); ok {
			scheme = "wss"
		} else {
			// A ws: URL goes through CONNECT in browsers and in absolute form in others: here the latter, by hand.
			c = &absoluteForm{Conn: c, base: "http://" + host}
		}
		config, err := websocket.NewConfig(scheme+"://"+host+"/", "http://"+host)
		if err != nil {
			t.Fatal(err)
		}
		ws, err := websocket.NewClient(config, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 100, 100_000} {
			sent, got := strings.Repeat("x", size), make([]byte, size)
			if err := websocket.Message.Send(ws, sent); err != nil {
				t.Fatal(err)
			}
			if n, err := io.ReadFull(ws, got); err != nil || string(got) != sent {
				t.Errorf("%d bytes: got %d, %v", size, n, err)
			}
		}
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
}

// absoluteForm puts base into the request line of the first write.
type absoluteForm struct {
	net.Conn
	base string
}

// Write implements net.Conn.
func (c *absoluteForm) Write(b []byte) (int, error) {
	n := len(b)
	if c.base != "" {
		b = []byte(strings.Replace(string(b), "GET /", "GET "+c.base+"/", 1))
		c.base = ""
	}
	_, err := c.Conn.Write(b)
	return n, err
}
