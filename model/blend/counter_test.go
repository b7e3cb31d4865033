package blend

import (
	"testing"

	"pgregory.net/rapid"
)

// A counter counts like a map, page after page.
func TestCounter(t *testing.T) {
	var c counter
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.Uint64Range(1, 40)).Draw(t, "keys")
		c.reset(rapid.IntRange(0, 20).Draw(t, "room"))
		want := map[uint64]int32{}
		for _, k := range keys {
			want[k]++
			if n := c.of(k << 40); *n != want[k]-1 {
				t.Fatalf("%d before one more, want %d", *n, want[k]-1)
			}
			*c.of(k << 40)++
		}
	})
}
