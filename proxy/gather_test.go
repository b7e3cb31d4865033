package proxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// writesListener counts the writes to the connections that it accepts.
type writesListener struct {
	net.Listener
	writes atomic.Int32
}

func (l *writesListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &writesConn{c.(*net.TCPConn), &l.writes}, nil
}

type writesConn struct {
	*net.TCPConn
	writes *atomic.Int32
}

func (c *writesConn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	return c.TCPConn.Write(b)
}

// An answer that has arrived whole goes to the client in one write, with its header.
func TestAnswersInOneWrite(t *testing.T) {
	r := newWorld(t)
	ln := &writesListener{Listener: listen(t, "127.0.0.1")}
	o := r.options
	o.Listen = ln.Addr().String()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	r.addr = o.Listen
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	body := strings.Repeat("0123456789abcdef", 12<<10/16)
	origin := r.rawOrigin("127.0.1.1", func(c net.Conn) {
		for br := bufio.NewReader(c); ; {
			if _, err := http.ReadRequest(br); err != nil {
				return
			}
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	})
	for name, open := range map[string]func() (net.Conn, *bufio.Reader){
		"to the proxy": func() (net.Conn, *bufio.Reader) {
			c := r.dial()
			return c, bufio.NewReader(c)
		},
		"after CONNECT": func() (net.Conn, *bufio.Reader) {
			c, br, _ := r.connect(origin)
			return c, br
		},
	} {
		c, br := open()
		before := ln.writes.Load()
		fmt.Fprintf(c, "GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n", origin, origin)
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		if n := ln.writes.Load() - before; n != 1 || string(got) != body || err != nil {
			t.Errorf("%s: %d writes, %s with %d bytes, %v", name, n, resp.Status, len(got), err)
		}
	}
}
