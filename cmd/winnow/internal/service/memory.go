package service

import (
	"math"
	"runtime/debug"
)

// headroomBytes is how much the heap may grow between two garbage collections in addition to the memory in use. With
// 29 hosts, some 40 MiB are in use. A headroom of 128 MiB instead halved the collections, which take less than a
// twentieth of the time of new pages, and took 100 MiB more of physical memory.
const headroomBytes = 24 << 20

// Headroom returns memory that is never written to. So it takes no physical memory, but the garbage collector counts it
// when it plans its next run. A proxy that has learned little has a small heap, and each page makes megabytes of
// garbage: without the headroom, every few pages would wait for a collection. With GOMEMLIMIT there is no headroom,
// because it would count towards that limit.
func Headroom() []byte {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return nil
	}
	return make([]byte, headroomBytes)
}

// workingBytes is the memory that winnow takes beside models and buffered pages: parsed pages, connections, buffers,
// the headroom, and garbage. Under the load of proxy/internal/soak, some 570 MiB of it were in use at a time, including
// a headroom of 128 MiB.
const workingBytes = 640 << 20

// BoundMemory makes the garbage collector keep all memory below a bound that follows from the flags. Otherwise the heap
// grows to twice the memory in use, which no flag bounds. GOMEMLIMIT replaces the bound.
func BoundMemory(models, held int64) {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(models + held + workingBytes)
	}
}
