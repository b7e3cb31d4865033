package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

func tcp(t *testing.T) (near, far net.Conn) {
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

func TestTimedOut(t *testing.T) {
	c, _ := tcp(t)
	_ = c.SetReadDeadline(time.Now().Add(-time.Second))
	_, late := c.Read(make([]byte, 1))
	for name, tc := range map[string]struct {
		err  error
		want bool
	}{
		"nothing":             {nil, false},
		"end":                 {io.EOF, false},
		"a socket's deadline": {fmt.Errorf("read: %w", late), true},
		"a context's":         {fmt.Errorf("ask: %w", context.DeadlineExceeded), true},
		"a file's":            {os.ErrDeadlineExceeded, true},
		"a lookup's":          {&net.DNSError{IsTimeout: true}, true},
		"no such host":        {&net.DNSError{IsNotFound: true}, false},
		"taken back":          {context.Canceled, false},
	} {
		if got := TimedOut(tc.err); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What was read ahead comes first, in pieces of any size, and the connection's own bytes after it.
func TestWithPrefix(t *testing.T) {
	near, far := tcp(t)
	_, _ = io.WriteString(far, " world")
	c := WithPrefix(near, []byte("hello"))
	var got []byte
	for b := make([]byte, 2); len(got) < len("hello world"); {
		n, err := c.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, b[:n]...)
	}
	if string(got) != "hello world" {
		t.Errorf("read %q", got)
	}
	if n, err := WithPrefix(near, []byte("x")).Read(nil); n != 0 || err != nil {
		t.Errorf("a read of nothing gave %d, %v", n, err)
	}
	if WithPrefix(near, nil) != near {
		t.Error("a connection without a prefix is wrapped")
	}
	if err := CloseWrite(c); err != nil {
		t.Error(err)
	}
	if b, err := io.ReadAll(far); len(b) != 0 || err != nil {
		t.Errorf("after half-closing, %q, %v", b, err)
	}
	_, _ = io.WriteString(far, "!")
	if _, err := c.Read(got[:1]); err != nil || got[0] != '!' {
		t.Errorf("a half-closed connection gave %q, %v", got[0], err)
	}
}

func TestCloseWriteOfOthers(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if err := CloseWrite(a); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
	if err := CloseWrite(WithPrefix(a, []byte("x"))); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}
