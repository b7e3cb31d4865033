package hashes

import (
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Table is a map from keyed hashes for a memory. A key belongs at the slot that is the share of its hash in the
// range of hashes, or at the next free one. The hash has a random seed for each table, so that neither the order of
// another table nor keys of somebody's choice crowd some slots. Unlike a map it is at least three fifths full, and it
// drops entries without a copy.
//
// Reading methods may run concurrently; all others need exclusive access.
type Table[V any] struct {
	// Slots has home slots, and more for keys that find no free one before the end.
	Slots []tableSlot[V]
	home  int
	used  int
	seed  uint64
}

// tableSlot is free if the key is 0.
type tableSlot[V any] struct {
	key   uint64
	value V
}

// minSlots is the number of slots of the smallest table with entries.
const minSlots = 4

// NewHashTable returns an empty table with room for the given number of entries.
func NewHashTable[V any](entries int) Table[V] {
	var t Table[V]
	if entries > 0 {
		t.resize(entries*4/3 + 1)
	}
	return t
}

// Len is the number of entries.
func (t *Table[V]) Len() int { return t.used }

// find returns the index of the slot of a key, or of the one that it would have, which may be one past the last slot.
func (t *Table[V]) find(key uint64) int {
	at, _ := bits.Mul64(Mix(t.seed, key), uint64(t.home))
	for i := int(at); i < len(t.Slots); i++ {
		if k := t.Slots[i].key; k == key || k == 0 {
			return i
		}
	}
	return len(t.Slots)
}

// Get returns the value of a key, and whether the table has it.
func (t *Table[V]) Get(key uint64) (v V, ok bool) {
	key = max(key, 1)
	if i := t.find(key); i < len(t.Slots) && t.Slots[i].key == key {
		return t.Slots[i].value, true
	}
	return v, false
}

// At returns the value of a key, for change, and whether the table had it before. The pointer is good until the next
// call.
func (t *Table[V]) At(key uint64) (v *V, known bool) {
	key = max(key, 1)
	i := t.find(key)
	if i < len(t.Slots) && t.Slots[i].key == key {
		return &t.Slots[i].value, true
	}
	if 4*t.used >= 3*t.home {
		t.resize(max(minSlots, t.home+t.home/4))
		i = t.find(key)
	}
	return t.put(i, key), false
}

// put takes the free slot i for a new key.
func (t *Table[V]) put(i int, key uint64) *V {
	if i == len(t.Slots) {
		if i == cap(t.Slots) { // append alone would take far more
			t.Slots = append(make([]tableSlot[V], 0, i+8), t.Slots...)
		}
		t.Slots = append(t.Slots, tableSlot[V]{})
	}
	t.used++
	t.Slots[i].key = key
	return &t.Slots[i].value
}

// resize moves all entries to new slots.
func (t *Table[V]) resize(home int) {
	old := t.Slots
	spare := min(home/16+2, 64) // for the keys past the end
	*t = Table[V]{Slots: make([]tableSlot[V], home, home+spare), home: home, seed: rand.Uint64()}
	for _, s := range old {
		if s.key != 0 {
			*t.put(t.find(s.key), s.key) = s.value
		}
	}
}

// All yields the entries. Their values may be changed, but no entry added.
func (t *Table[V]) All() iter.Seq2[uint64, *V] {
	return func(yield func(uint64, *V) bool) {
		for i := range t.Slots {
			if s := &t.Slots[i]; s.key != 0 && !yield(s.key, &s.value) {
				return
			}
		}
	}
}

// Keys returns the keys in ascending order.
func (t *Table[V]) Keys() []uint64 {
	keys := make([]uint64, 0, t.used)
	for k := range t.All() {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Drop removes the entries that match. The others move up to the free slots before them.
func (t *Table[V]) Drop(match func(key uint64, v *V) bool) {
	t.used = 0
	var s tableSlot[V] // one for all, because match takes its address
	for i := range t.Slots {
		if s = t.Slots[i]; s.key == 0 {
			continue
		}
		t.Slots[i] = tableSlot[V]{}
		if !match(s.key, &s.value) {
			*t.put(t.find(s.key), s.key) = s.value
		}
	}
	if t.used < t.home/2 {
		t.resize(max(minSlots, t.used*3/2))
	}
}

// Clone returns a copy.
func (t *Table[V]) Clone() Table[V] {
	c := *t
	c.Slots = slices.Clone(t.Slots)
	return c
}
