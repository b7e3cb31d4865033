package blend

// counter counts by hashes, for one page at a time. It is a map without deletion that keeps its memory.
type counter struct {
	// slots are probed one after another from that of the key on. Their number is a power of two.
	slots []countSlot
}

// countSlot is free if the key is 0.
type countSlot struct {
	key uint64
	n   int32
}

// reset removes all keys and makes room for the given number of them.
func (c *counter) reset(keys int) {
	slots := 8
	for slots < 2*keys {
		slots *= 2
	}
	if slots > cap(c.slots) {
		c.slots = make([]countSlot, slots)
		return
	}
	c.slots = c.slots[:slots]
	clear(c.slots)
}

// of returns the count of a key, which is 0 at first.
func (c *counter) of(key uint64) *int32 {
	key = max(key, 1)
	mask := uint64(len(c.slots) - 1)
	for i := key; ; i++ {
		switch s := &c.slots[i&mask]; s.key {
		case 0:
			s.key = key
			return &s.n
		case key:
			return &s.n
		}
	}
}
