package blend

// openTable is a map from hashes without deletion, which keeps its memory when it is reset. Its slots are probed one
// after another from that of the key on, so the keys must be hashes that nobody outside can choose. Reading methods may
// run concurrently; all others need exclusive access.
type openTable[V any] struct {
	// slots are a power of two, at most half of them in use.
	slots []tableSlot[V]
	used  int
}

// reset removes all keys and makes room for about the given number of them.
func (t *openTable[V]) reset(keys int) {
	slots := 8
	for slots < 2*keys {
		slots *= 2
	}
	t.used = 0
	if slots > cap(t.slots) {
		t.slots = make([]tableSlot[V], slots)
		return
	}
	t.slots = t.slots[:slots]
	clear(t.slots)
}

// of returns the value of a key for change, which is zero at first. The pointer is good until the next call.
func (t *openTable[V]) of(key uint64) *V {
	key = max(key, 1)
	s := t.find(key)
	if s.key != 0 {
		return &s.value
	}
	if t.used++; 2*t.used > len(t.slots) {
		t.grow()
		s = t.find(key)
	}
	s.key = key
	return &s.value
}

// get returns the value of a key, and whether the table has it.
func (t *openTable[V]) get(key uint64) (v V, ok bool) {
	s := t.find(max(key, 1))
	return s.value, s.key != 0
}

// find returns the slot of a key, or the one that it would have.
func (t *openTable[V]) find(key uint64) *tableSlot[V] {
	mask := uint64(len(t.slots) - 1)
	for i := key; ; i++ {
		if s := &t.slots[i&mask]; s.key == key || s.key == 0 {
			return s
		}
	}
}

func (t *openTable[V]) grow() {
	old := t.slots
	t.slots = make([]tableSlot[V], 2*len(old))
	for _, s := range old {
		if s.key != 0 {
			*t.find(s.key) = s
		}
	}
}
