package intercept

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// sockets returns two ends of a connection.
func sockets(t *testing.T) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if far, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if near, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		near.Close()
		far.Close()
	})
	return near, far
}

// Who speaks first decides, what was said is kept, and both connections can be read afterwards.
func TestFirstWord(t *testing.T) {
	hello := "\x16\x03\x01\x00\x05\x01rest"
	for name, tc := range map[string]struct {
		client, origin string // what each says, or does
		isTLS, fails   bool
	}{
		"the server speaks":    {"", "220 mail.test ESMTP\r\n", false, false},
		"the client speaks":    {"GET / HTTP/1.1\r\n\r\n", "", false, false},
		"the client hides TLS": {hello, "", true, false},
		"the client leaves":    {"leave", "", false, false},
		"the server leaves":    {"", "leave", false, false},
		"the server breaks":    {"", "break", false, true},
		"nobody speaks":        {"", "", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			client, farClient := sockets(t)
			origin, farOrigin := sockets(t)
			act(farClient, tc.client)
			act(farOrigin, tc.origin)
			patience := 10 * time.Second
			if name == "nobody speaks" {
				patience = 30 * time.Millisecond
			}
			up, down, isTLS, err := firstWord(client, origin, patience)
			if isTLS != tc.isTLS || (err != nil) != tc.fails {
				t.Fatalf("up %q, down %q, TLS %v, error %v", up, down, isTLS, err)
			}
			if tc.fails && wire.TimedOut(err) != (name == "nobody speaks") {
				t.Errorf("error %v", err)
			}
			if tc.fails || tc.client == "leave" || tc.origin == "leave" {
				if len(up)+len(down) > 0 {
					t.Errorf("up %q, down %q", up, down)
				}
				return
			}
			if len(up)+len(down) == 0 {
				t.Error("nothing was heard")
			}
			goesOn(t, client, farClient, up, tc.client)
			goesOn(t, origin, farOrigin, down, tc.origin)
		})
	}
}

// goesOn checks that near gives all of said behind what was heard of it, and then what comes later.
func goesOn(t *testing.T, near, far net.Conn, heard []byte, said string) {
	t.Helper()
	_, _ = io.WriteString(far, "more")
	rest := make([]byte, len(said)+len("more")-len(heard))
	_ = near.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.ReadFull(near, rest); err != nil || string(heard)+string(rest) != said+"more" {
		t.Errorf("heard %q, and then %q, %v", heard, rest, err)
	}
}

// act says what, or ends or breaks the connection.
func act(c net.Conn, what string) {
	switch what {
	case "leave":
		_ = wire.CloseWrite(c)
	case "break":
		_ = c.(*net.TCPConn).SetLinger(0) // a reset
		c.Close()
	default:
		_, _ = io.WriteString(c, what)
	}
}

// A ClientHello is known by its first bytes, and nothing else is taken for one.
func TestClientHello(t *testing.T) {
	for _, tc := range []struct {
		bytes          string
		hello, decided bool
	}{
		{"", false, false}, {"\x16", false, false}, {"\x16\x03\x01\x02\x00", false, false}, {"\x16\x03\x01\x02\x00\x01", true, true},
		{"\x16\x03\x04\x02\x00\x01 and more", true, true}, {"G", false, true}, {"\x16\x02", false, true}, {"\x15\x03\x01\x00\x02\x01", false, true},
		{"\x16\x03\x01\x02\x00\x02", false, true},
	} {
		if hello, decided := clientHello([]byte(tc.bytes)); hello != tc.hello || decided != tc.decided {
			t.Errorf("%q: hello %v, decided %v", tc.bytes, hello, decided)
		}
	}
}

// The listener hands connections on while it is open, and closes those that come too late.
func TestListener(t *testing.T) {
	l := NewListener()
	near, far := sockets(t)
	go l.serve(near)
	if c, err := l.Accept(); c != near || err != nil {
		t.Errorf("accepted %v, %v", c, err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed listener gives %v", err)
	}
	l.serve(near)
	if _, err := far.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("a connection that came too late: %v", err)
	}
	if l.Addr().String() != "intercepted" {
		t.Errorf("its address is %v", l.Addr())
	}
}
