package blend

// counter counts by hashes, for one page at a time. It is a map without deletion that keeps its memory.
type counter struct {
	// slots are probed one after another from that of the key on. Their number is a power of two.
	slots []countSlot
	used  int
}

// countSlot is free if the key is 0.
type countSlot struct {
	key uint64
	n   int32
}

// reset removes all keys and makes room for about the given number of them.
func (c *counter) reset(keys int) {
	slots := 8
	for slots < 2*keys {
		slots *= 2
	}
	c.used = 0
	if slots > cap(c.slots) {
		c.slots = make([]countSlot, slots)
		return
	}
	c.slots = c.slots[:slots]
	clear(c.slots)
}

// of returns the count of a key, which is 0 at first. The pointer is good until the next call.
func (c *counter) of(key uint64) *int32 {
	key = max(key, 1)
	s := c.find(key)
	if s.key != 0 {
		return &s.n
	}
	if c.used++; 2*c.used > len(c.slots) {
		c.grow()
		s = c.find(key)
	}
	s.key = key
	return &s.n
}

// find returns the slot of a key, or the one that it would have.
func (c *counter) find(key uint64) *countSlot {
	mask := uint64(len(c.slots) - 1)
	for i := key; ; i++ {
		if s := &c.slots[i&mask]; s.key == key || s.key == 0 {
			return s
		}
	}
}

func (c *counter) grow() {
	old := c.slots
	c.slots = make([]countSlot, 2*len(old))
	for _, s := range old {
		if s.key != 0 {
			*c.find(s.key) = s
		}
	}
}
