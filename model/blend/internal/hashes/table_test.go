package hashes

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A table has what a map has, whatever is added and dropped, and takes no more memory than the budget counts for.
func TestHashTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, want := NewHashTable[uint32](rapid.IntRange(0, 50).Draw(t, "room")), map[uint64]uint32{}
		key := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(1, 20), rapid.Uint64Range(math.MaxUint64-20, math.MaxUint64))
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				for _, k := range rapid.SliceOfN(key, 0, 40).Draw(t, "keys") {
					_, known := want[max(k, 1)]
					want[max(k, 1)]++
					v, ok := table.At(k)
					if *v++; ok != known {
						t.Fatalf("key %d is known: %t", k, ok)
					}
				}
			},
			"drop": func(t *rapid.T) {
				n := rapid.Uint64Range(1, 8).Draw(t, "n")
				maps.DeleteFunc(want, func(k uint64, _ uint32) bool { return k%n == 0 })
				before := table.Clone()
				table.Drop(func(k uint64, _ *uint32) bool { return k%n == 0 })
				for k, v := range want {
					if old, ok := before.Get(k); !ok || old != v {
						t.Fatalf("key %d is %d in the copy, %t", k, old, ok)
					}
				}
			},
			"": func(t *rapid.T) {
				if table.Len() != len(want) || !slices.Equal(table.Keys(), slices.Sorted(maps.Keys(want))) {
					t.Fatalf("keys %d, want %v", table.Keys(), want)
				}
				for k, v := range want {
					if got, ok := table.Get(k); !ok || got != v {
						t.Fatalf("key %d is %d, %t; want %d", k, got, ok, v)
					}
					if _, known := want[k+1]; !known && k < math.MaxUint64 {
						if _, ok := table.Get(k + 1); ok {
							t.Fatalf("the table has %d", k+1)
						}
					}
				}
			},
		})
	})
}
