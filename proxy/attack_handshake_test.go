package proxy

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// connectFrom opens a tunnel to target from one of this machine's addresses.
func (r *world) connectFrom(ip, target string) net.Conn {
	r.t.Helper()
	c := r.dialFrom(ip)
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", target)
	if _, err := io.ReadFull(c, make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n"))); err != nil {
		r.t.Fatal(err)
	}
	return c
}

// occupied takes all turns at handshakes for one client, and returns how to give them back.
func occupied(t *testing.T, turns *access.Turns, ip string) (leave func()) {
	t.Helper()
	client := access.ClientOf(netip.MustParseAddr(ip)).String()
	var all []func()
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		leave, err := turns.Enter(ctx, client)
		cancel()
		if err != nil {
			break
		}
		all = append(all, leave)
	}
	return func() {
		for _, leave := range all {
			leave()
		}
	}
}

// The work of handshakes goes by turns: a client that has had its share waits while others have theirs.
func TestHandshakesTakeTurns(t *testing.T) {
	r := newWorld(t, outside)
	turns := r.server.interceptor.Handshakes
	handshake := func(ip string) <-chan error {
		done := make(chan error, 1)
		c := tls.Client(r.connectFrom(ip, "site.test:443"), &tls.Config{RootCAs: r.ca.Pool(), ServerName: "site.test"})
		go func() { done <- c.Handshake() }()
		return done
	}
	greedy := access.ClientOf(netip.MustParseAddr("127.9.0.1")).String()
	leave, err := turns.Enter(t.Context(), greedy)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(600 * time.Millisecond) // more than a client has before it has to wait for others
	leave()
	leave = occupied(t, turns, "127.9.0.2")
	waiting := handshake("127.9.0.1")
	if err := <-handshake("127.9.0.3"); err != nil {
		t.Errorf("a client that has had nothing yet waits: %v", err)
	}
	select {
	case err := <-waiting:
		t.Fatalf("a greedy client did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	leave()
	if err := <-waiting; err != nil {
		t.Error(err)
	}
}

// What a handshake waits for has no turn: clients that begin one and say no more keep nobody from theirs.
func TestSlowHandshakesHaveNoTurn(t *testing.T) {
	r := newWorld(t, outside)
	for i := range 16 * runtime.GOMAXPROCS(0) {
		ours, theirs := net.Pipe()
		go func() { _ = tls.Client(theirs, &tls.Config{ServerName: "site.test"}).Handshake() }()
		hello := make([]byte, 4096)
		n, err := ours.Read(hello)
		if err != nil {
			t.Fatal(err)
		}
		ours.Close()
		c := r.connectFrom(fmt.Sprint("127.9.1.", 1+i), "site.test:443")
		if _, err := c.Write(hello[:n-i%2]); err != nil { // some want the rest of the hello, others the answer
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), longWait)
	defer cancel()
	for i := range runtime.GOMAXPROCS(0) {
		leave, err := r.server.interceptor.Handshakes.Enter(ctx, access.ClientOf(netip.MustParseAddr(fmt.Sprint("127.9.2.", 1+i))).String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(leave)
	}
}

// Where only this machine can connect, all clients are one, and nothing is shared out.
func TestHandshakesOnLoopbackTakeNoTurns(t *testing.T) {
	if r := newWorld(t); r.server.interceptor.Handshakes != nil {
		t.Error("they take turns")
	}
}
