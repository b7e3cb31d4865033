package modeltest

import (
	"runtime"
	"testing"

	"github.com/winnow-proxy/winnow/model"
)

// Sized is a model, or a part of one, that reports its size.
type Sized interface{ Stats() model.Stats }

// CheckSize tests that the reported size of a model is close to its size on the heap: that is between least and most
// times the reported one. It measures n models from learned, which must not allocate memory that outlives the call and
// is not the model's.
func CheckSize[M Sized](t *testing.T, n int, least, most float64, learned func() M) {
	t.Helper()
	kept := make([]M, n)
	before := heap()
	for i := range kept {
		kept[i] = learned()
	}
	measured, reported := float64(heap()-before)/float64(n), float64(kept[0].Stats().Bytes)
	t.Logf("reported %.0f bytes, measured %.0f", reported, measured)
	if measured > most*reported || measured < least*reported {
		t.Errorf("a model takes %.0f bytes and reports %.0f", measured, reported)
	}
	runtime.KeepAlive(kept)
	runtime.KeepAlive(learned)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first run only ages what is in pools
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
