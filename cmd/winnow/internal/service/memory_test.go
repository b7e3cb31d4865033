package service

import (
	"math"
	"runtime/debug"
	"testing"
)

// The bound follows from the flags, counts the headroom, and gives way to GOMEMLIMIT. The limit applies to the whole
// process, so this test must not run in parallel with others.
func TestMemoryIsBounded(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	if len(Headroom()) != headroomBytes {
		t.Error("there is no headroom")
	}
	BoundMemory(100<<20, 50<<20)
	if got := debug.SetMemoryLimit(-1); got != 790<<20 {
		t.Errorf("bound at %d MiB, want 790", got>>20)
	}
	debug.SetMemoryLimit(1 << 30)
	BoundMemory(100<<20, 50<<20)
	if got := debug.SetMemoryLimit(-1); got != 1<<30 || Headroom() != nil {
		t.Errorf("GOMEMLIMIT of 1 GiB became %d MiB", got>>20)
	}
}
