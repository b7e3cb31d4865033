package hashes

import (
	"testing"

	"pgregory.net/rapid"
)

// A table counts like a map, page after page.
func TestOpenTable(t *testing.T) {
	var c Counter[int32]
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.Uint64Range(1, 40)).Draw(t, "keys")
		c.Reset(rapid.IntRange(0, 20).Draw(t, "room"))
		want := map[uint64]int32{}
		for _, k := range keys {
			want[k]++
			if n := c.Of(k << 40); *n != want[k]-1 {
				t.Fatalf("%d before one more, want %d", *n, want[k]-1)
			}
			*c.Of(k << 40)++
		}
		for k := range uint64(42) {
			if n, ok := c.Get(k << 40); k > 0 && (n != want[k] || ok != (want[k] > 0)) {
				t.Fatalf("%d, %t at the end, want %d", n, ok, want[k])
			}
		}
	})
}
