package service

import (
	"math"
	"runtime/debug"
)

// headroomBytes is how much the heap may grow between two garbage collections beyond what is in use.
const headroomBytes = 128 << 20

// Headroom returns memory that is never written to and so takes no room, but that the garbage collector counts when it
// plans its next run. A proxy that has learned little has a small heap, and each page makes megabytes of garbage:
// without the headroom a collection would hold up every few pages. Who sets GOMEMLIMIT gets none, as it counts there.
func Headroom() []byte {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return nil
	}
	return make([]byte, headroomBytes)
}

// workingBytes is what winnow takes beside models and held pages: parsed pages, connections, buffers, the headroom, and
// garbage. Under the load of proxy/internal/soak some 570 MiB of it, the headroom included, were in use at a time.
const workingBytes = 640 << 20

// BoundMemory has the garbage collector keep all of it below a bound that follows from the flags. Left alone, it lets the
// heap grow to twice what is in use, which no flag bounds. GOMEMLIMIT takes its place.
func BoundMemory(models, held int64) {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(models + held + workingBytes)
	}
}
