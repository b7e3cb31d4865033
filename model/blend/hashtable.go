package blend

import (
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// hashTable is a map from keyed hashes for a memory. A key belongs at the slot that is the share of its hash in the
// range of hashes, or at the next free one. The hash has a random seed for each table, so that neither the order of
// another table nor keys of somebody's choice crowd some slots. Unlike a map it is at least three fifths full, and it
// drops entries without a copy.
//
// Reading methods may run concurrently; all others need exclusive access.
type hashTable[V any] struct {
	// slots has home slots, and more for keys that find no free one before the end.
	slots []tableSlot[V]
	home  int
	used  int
	seed  uint64
}

// tableSlot is free if the key is 0.
type tableSlot[V any] struct {
	key   uint64
	value V
}

// leastSlots is the number of slots of the smallest table with entries.
const leastSlots = 4

// newHashTable returns an empty table with room for the given number of entries.
func newHashTable[V any](entries int) hashTable[V] {
	var t hashTable[V]
	if entries > 0 {
		t.resize(entries*4/3 + 1)
	}
	return t
}

// len is the number of entries.
func (t *hashTable[V]) len() int { return t.used }

// find returns the index of the slot of a key, or of the one that it would have, which may be one past the last slot.
func (t *hashTable[V]) find(key uint64) int {
	at, _ := bits.Mul64(mix(t.seed, key), uint64(t.home))
	for i := int(at); i < len(t.slots); i++ {
		if k := t.slots[i].key; k == key || k == 0 {
			return i
		}
	}
	return len(t.slots)
}

// get returns the value of a key, and whether the table has it.
func (t *hashTable[V]) get(key uint64) (v V, ok bool) {
	key = max(key, 1)
	if i := t.find(key); i < len(t.slots) && t.slots[i].key == key {
		return t.slots[i].value, true
	}
	return v, false
}

// at returns the value of a key, for change, and whether the table had it before. The pointer is good until the next
// call.
func (t *hashTable[V]) at(key uint64) (v *V, known bool) {
	key = max(key, 1)
	i := t.find(key)
	if i < len(t.slots) && t.slots[i].key == key {
		return &t.slots[i].value, true
	}
	if 4*t.used >= 3*t.home {
		t.resize(max(leastSlots, t.home+t.home/4))
		i = t.find(key)
	}
	return t.put(i, key), false
}

// put takes the free slot i for a new key.
func (t *hashTable[V]) put(i int, key uint64) *V {
	if i == len(t.slots) {
		if i == cap(t.slots) { // append alone would take far more
			t.slots = append(make([]tableSlot[V], 0, i+8), t.slots...)
		}
		t.slots = append(t.slots, tableSlot[V]{})
	}
	t.used++
	t.slots[i].key = key
	return &t.slots[i].value
}

// resize moves all entries to new slots.
func (t *hashTable[V]) resize(home int) {
	old := t.slots
	spare := min(home/16+2, 64) // for the keys past the end
	*t = hashTable[V]{slots: make([]tableSlot[V], home, home+spare), home: home, seed: rand.Uint64()}
	for _, s := range old {
		if s.key != 0 {
			*t.put(t.find(s.key), s.key) = s.value
		}
	}
}

// all yields the entries. Their values may be changed, but no entry added.
func (t *hashTable[V]) all() iter.Seq2[uint64, *V] {
	return func(yield func(uint64, *V) bool) {
		for i := range t.slots {
			if s := &t.slots[i]; s.key != 0 && !yield(s.key, &s.value) {
				return
			}
		}
	}
}

// keys returns the keys in ascending order.
func (t *hashTable[V]) keys() []uint64 {
	keys := make([]uint64, 0, t.used)
	for k := range t.all() {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// drop removes the entries that match. The others move up to the free slots before them.
func (t *hashTable[V]) drop(match func(key uint64, v *V) bool) {
	t.used = 0
	for i := range t.slots {
		s := t.slots[i]
		if s.key == 0 {
			continue
		}
		t.slots[i] = tableSlot[V]{}
		if !match(s.key, &s.value) {
			*t.put(t.find(s.key), s.key) = s.value
		}
	}
	if t.used < t.home/2 {
		t.resize(max(leastSlots, t.used*3/2))
	}
}

// clone returns a copy.
func (t *hashTable[V]) clone() hashTable[V] {
	c := *t
	c.slots = slices.Clone(t.slots)
	return c
}
