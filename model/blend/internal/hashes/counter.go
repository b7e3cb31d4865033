package hashes

// Counter is a map from hashes without deletion, which keeps its memory when it is reset. Its slots are probed one
// after another from that of the key on, so the keys must be hashes that nobody outside can choose. Reading methods may
// run concurrently; all others need exclusive access.
type Counter[V any] struct {
	// Slots are a power of two, at most half of them in use.
	Slots []tableSlot[V]
	Used  int
}

// Reset removes all keys and makes room for about the given number of them.
func (t *Counter[V]) Reset(keys int) {
	slots := 8
	for slots < 2*keys {
		slots *= 2
	}
	t.Used = 0
	if slots > cap(t.Slots) {
		t.Slots = make([]tableSlot[V], slots)
		return
	}
	t.Slots = t.Slots[:slots]
	clear(t.Slots)
}

// Of returns the value of a key for change, which is zero at first. The pointer is good until the next call.
func (t *Counter[V]) Of(key uint64) *V {
	key = max(key, 1)
	s := t.find(key)
	if s.key != 0 {
		return &s.value
	}
	if t.Used++; 2*t.Used > len(t.Slots) {
		t.grow()
		s = t.find(key)
	}
	s.key = key
	return &s.value
}

// Get returns the value of a key, and whether the table has it.
func (t *Counter[V]) Get(key uint64) (v V, ok bool) {
	s := t.find(max(key, 1))
	return s.value, s.key != 0
}

// find returns the slot of a key, or the one that it would have.
func (t *Counter[V]) find(key uint64) *tableSlot[V] {
	mask := uint64(len(t.Slots) - 1)
	for i := key; ; i++ {
		if s := &t.Slots[i&mask]; s.key == key || s.key == 0 {
			return s
		}
	}
}

func (t *Counter[V]) grow() {
	old := t.Slots
	t.Slots = make([]tableSlot[V], 2*len(old))
	for _, s := range old {
		if s.key != 0 {
			*t.find(s.key) = s
		}
	}
}
