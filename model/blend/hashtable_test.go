package blend

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
		table, want := newHashTable[uint32](rapid.IntRange(0, 50).Draw(t, "room")), map[uint64]uint32{}
		key := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(1, 20), rapid.Uint64Range(math.MaxUint64-20, math.MaxUint64))
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				for _, k := range rapid.SliceOfN(key, 0, 40).Draw(t, "keys") {
					_, known := want[max(k, 1)]
					want[max(k, 1)]++
					v, ok := table.at(k)
					if *v++; ok != known {
						t.Fatalf("key %d is known: %t", k, ok)
					}
				}
			},
			"drop": func(t *rapid.T) {
				n := rapid.Uint64Range(1, 8).Draw(t, "n")
				maps.DeleteFunc(want, func(k uint64, _ uint32) bool { return k%n == 0 })
				before := table.clone()
				table.drop(func(k uint64, _ *uint32) bool { return k%n == 0 })
				for k, v := range want {
					if old, ok := before.get(k); !ok || old != v {
						t.Fatalf("key %d is %d in the copy, %t", k, old, ok)
					}
				}
			},
			"": func(t *rapid.T) {
				if table.len() != len(want) || !slices.Equal(table.keys(), slices.Sorted(maps.Keys(want))) {
					t.Fatalf("keys %d, want %v", table.keys(), want)
				}
				for k, v := range want {
					if got, ok := table.get(k); !ok || got != v {
						t.Fatalf("key %d is %d, %t; want %d", k, got, ok, v)
					}
					if _, known := want[k+1]; !known && k < math.MaxUint64 {
						if _, ok := table.get(k + 1); ok {
							t.Fatalf("the table has %d", k+1)
						}
					}
				}
			},
		})
	})
}

// Entries take at most the bytes that the budget counts for them, and some for the smallest tables.
func TestEntriesTakeWhatTheBudgetCounts(t *testing.T) {
	const some = 1 << 10
	seen, places := newHashTable[sighting](0), newHashTable[placeStat](0)
	for i := range uint64(3000) {
		key := (i + 1) * 0x9e3779b97f4a7c15
		seen.at(key)
		places.at(key)
		if took := cap(seen.slots) * 24; took > some+seen.len()*sightingBytes {
			t.Fatalf("%d sightings take %d bytes", seen.len(), took)
		}
		if took := cap(places.slots) * 48; took > some+places.len()*placeBytes {
			t.Fatalf("%d places take %d bytes", places.len(), took)
		}
	}
}
