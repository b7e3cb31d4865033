// Package memo remembers what was computed from strings of pages, because templates bring the same strings on every
// page. It keeps only hashes with a random seed, no text.
package memo

import (
	"hash/maphash"
	"sync"
)

// Table is a bounded table from strings to what was computed from them. A new entry takes the place of the one that has
// its slot, so nothing need be evicted. All methods may run concurrently.
type Table[V any] struct {
	seed   maphash.Seed
	shards [shards]shard[V]
	most   int
}

// Key is the hash of a string. Two different strings have the same key with a probability of 2^-64.
type Key uint64

const (
	// shards is the number of parts with a lock each.
	shards = 64
	// least is the number of slots that a shard begins with.
	least = 16
)

type shard[V any] struct {
	sync.Mutex
	slots []slot[V]
	used  int
}

type slot[V any] struct {
	key   Key
	value V
}

// New returns an empty table of at most the given number of entries, which is rounded up to a power of two. It takes
// memory as it fills.
func New[V any](entries int) *Table[V] {
	most := least
	for most*shards < entries {
		most *= 2
	}
	return &Table[V]{seed: maphash.MakeSeed(), most: most}
}

// Key returns the key of s. The salt keeps apart what differs for equal strings.
func (t *Table[V]) Key(s string, salt uint64) Key {
	return Key(max(maphash.String(t.seed, s)^salt, 1))
}

// BytesKey is [Table.Key] for bytes.
func (t *Table[V]) BytesKey(b []byte, salt uint64) Key {
	return Key(max(maphash.Bytes(t.seed, b)^salt, 1))
}

// Get returns what was computed for a key, and whether the table has it.
func (t *Table[V]) Get(k Key) (v V, ok bool) {
	s := &t.shards[k%shards]
	s.Lock()
	if len(s.slots) > 0 {
		if e := s.at(k); e.key == k {
			v, ok = e.value, true
		}
	}
	s.Unlock()
	return v, ok
}

// Put records what was computed for a key.
func (t *Table[V]) Put(k Key, v V) {
	s := &t.shards[k%shards]
	s.Lock()
	if s.used*2 >= len(s.slots) && len(s.slots) < t.most {
		s.grow()
	}
	e := s.at(k)
	if e.key == 0 {
		s.used++
	}
	*e = slot[V]{k, v}
	s.Unlock()
}

func (s *shard[V]) at(k Key) *slot[V] { return &s.slots[k/shards&Key(len(s.slots)-1)] }

// grow doubles the slots.
func (s *shard[V]) grow() {
	old := s.slots
	s.slots, s.used = make([]slot[V], max(least, 2*len(old))), 0
	for _, e := range old {
		if e.key != 0 {
			*s.at(e.key) = e // twice the slots, so no two entries meet
			s.used++
		}
	}
}
