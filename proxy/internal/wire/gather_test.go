package wire

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// writes remembers the sizes of writes. It fails after as many as it may take.
type writes struct {
	sizes []int
	most  int
}

var errFull = errors.New("the writer takes no more")

func (w *writes) Write(b []byte) (int, error) {
	if len(w.sizes) == w.most {
		return 0, errFull
	}
	w.sizes = append(w.sizes, len(b))
	return len(b), nil
}

func TestGatherer(t *testing.T) {
	to := &writes{most: 100}
	g := NewBuffers().Gatherer(to)
	write := func(sizes ...int) {
		for _, n := range sizes {
			if m, err := g.Write([]byte(strings.Repeat("x", n))); m != n || err != nil {
				t.Fatalf("write of %d: %d, %v", n, m, err)
			}
		}
	}
	release := func() {
		if err := g.Release(); err != nil {
			t.Fatal(err)
		}
	}
	write(1, 2) // go through
	g.Gather()
	g.Gather() // changes nothing
	write(3, 4, 5)
	if want := []int{1, 2}; !slices.Equal(to.sizes, want) {
		t.Errorf("before Release: writes of %d, want %d", to.sizes, want)
	}
	release()
	release() // changes nothing
	write(6)
	g.Gather()
	write(bufferSize-1, 10, 7) // more than there is room for
	release()
	if want := []int{1, 2, 12, 6, bufferSize, 16}; !slices.Equal(to.sizes, want) {
		t.Errorf("writes of %d, want %d", to.sizes, want)
	}
}

func TestGathererFails(t *testing.T) {
	g := NewBuffers().Gatherer(&writes{})
	g.Gather()
	if n, err := g.Write([]byte("x")); n != 1 || err != nil {
		t.Errorf("a gathered write: %d, %v", n, err)
	}
	if err := g.Release(); !errors.Is(err, errFull) {
		t.Errorf("release: %v", err)
	}
	if _, err := g.Write([]byte("x")); !errors.Is(err, errFull) {
		t.Errorf("a write that goes through: %v", err)
	}
}

// After gathered bytes could not be written, nothing follows them.
func TestNothingFollowsMissingBytes(t *testing.T) {
	to := &writes{}
	g := NewBuffers().Gatherer(to)
	g.Gather()
	if _, err := g.Write([]byte("lost")); err != nil {
		t.Fatal(err)
	}
	if err := g.Release(); !errors.Is(err, errFull) {
		t.Fatalf("released with %v", err)
	}
	to.most = 100 // the client reads again
	for range 2 {
		if n, err := g.Write([]byte("next")); n != 0 || !errors.Is(err, errFull) {
			t.Errorf("written later: %d, %v", n, err)
		}
		g.Gather()
		if _, err := g.Write([]byte("next")); !errors.Is(err, errFull) {
			t.Errorf("gathered later: %v", err)
		}
		if err := g.Release(); !errors.Is(err, errFull) {
			t.Errorf("released later: %v", err)
		}
	}
	if len(to.sizes) != 0 {
		t.Errorf("writes of %d", to.sizes)
	}
}
