package memory

import (
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
)

// Entries take at most the bytes that the budget counts for them, and some for the smallest tables.
func TestEntriesTakeWhatTheBudgetCounts(t *testing.T) {
	const some = 1 << 10
	seen, places := hashes.NewHashTable[sighting](0), hashes.NewHashTable[PlaceSums](0)
	for i := range uint64(3000) {
		key := (i + 1) * 0x9e3779b97f4a7c15
		seen.At(key)
		places.At(key)
		if took := cap(seen.Slots) * 24; took > some+seen.Len()*sightingBytes {
			t.Fatalf("%d sightings take %d bytes", seen.Len(), took)
		}
		if took := cap(places.Slots) * 48; took > some+places.Len()*placeBytes {
			t.Fatalf("%d places take %d bytes", places.Len(), took)
		}
	}
}
