package exchange

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/wire"
)

// clientOf returns a client whose connection is to.
func clientOf(to *writes) *Client { return NewClient(to, time.Minute, wire.NewBuffers(), func() {}) }

// writes is a connection that remembers the sizes of writes. It fails after as many as it may take.
type writes struct {
	net.Conn
	sizes []int
	most  int
}

var errFull = errors.New("the writer takes no more")

// SetWriteDeadline implements net.Conn.
func (*writes) SetWriteDeadline(time.Time) error { return nil }

func (w *writes) Write(b []byte) (int, error) {
	if len(w.sizes) == w.most {
		return 0, errFull
	}
	w.sizes = append(w.sizes, len(b))
	return len(b), nil
}

func TestClientGathers(t *testing.T) {
	to := &writes{most: 100}
	c := clientOf(to)
	write := func(sizes ...int) {
		for _, n := range sizes {
			if m, err := c.Write([]byte(strings.Repeat("x", n))); m != n || err != nil {
				t.Fatalf("write of %d: %d, %v", n, m, err)
			}
		}
	}
	release := func() {
		if err := c.flush(); err != nil {
			t.Fatal(err)
		}
	}
	write(1, 2) // go through
	c.gather()
	c.gather() // changes nothing
	write(3, 4, 5)
	if want := []int{1, 2}; !slices.Equal(to.sizes, want) {
		t.Errorf("before Release: writes of %d, want %d", to.sizes, want)
	}
	release()
	release() // changes nothing
	write(6)
	c.gather()
	write(32<<10-1, 10, 7) // more than there is room for
	release()
	if want := []int{1, 2, 12, 6, 32 << 10, 16}; !slices.Equal(to.sizes, want) {
		t.Errorf("writes of %d, want %d", to.sizes, want)
	}
}

func TestClientFails(t *testing.T) {
	c := clientOf(&writes{})
	c.gather()
	if n, err := c.Write([]byte("x")); n != 1 || err != nil {
		t.Errorf("a gathered write: %d, %v", n, err)
	}
	if err := c.flush(); !errors.Is(err, errFull) {
		t.Errorf("release: %v", err)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, errFull) {
		t.Errorf("a write that goes through: %v", err)
	}
}

// After gathered bytes could not be written, nothing follows them.
func TestNothingFollowsMissingBytes(t *testing.T) {
	to := &writes{}
	c := clientOf(to)
	c.gather()
	if _, err := c.Write([]byte("lost")); err != nil {
		t.Fatal(err)
	}
	if err := c.flush(); !errors.Is(err, errFull) {
		t.Fatalf("released with %v", err)
	}
	to.most = 100 // the client reads again
	for range 2 {
		if n, err := c.Write([]byte("next")); n != 0 || !errors.Is(err, errFull) {
			t.Errorf("written later: %d, %v", n, err)
		}
		c.gather()
		if _, err := c.Write([]byte("next")); !errors.Is(err, errFull) {
			t.Errorf("gathered later: %v", err)
		}
		if err := c.flush(); !errors.Is(err, errFull) {
			t.Errorf("released later: %v", err)
		}
	}
	if len(to.sizes) != 0 {
		t.Errorf("writes of %d", to.sizes)
	}
}
