package natsstore

import (
	"fmt"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnow-proxy/winnow/cache"
)

// Whoever can write to the stream, but has no key, can send recorded messages again. Two numbers in each message tell
// them from others. The generation of its host grows when the host is forgotten or replaced: an older message changes
// nothing any more, and a message that forgets or replaces must begin a new one. The counter of its origin tells a
// message that was applied already. Generations outlast a restart, and counters the connection.

const (
	// maxGenerations bounds the hosts whose generation is known, maxOrigins the runs of replicas whose counters are.
	maxGenerations = 1 << 14
	maxOrigins     = 1 << 10
)

// replays knows what was applied. Store.mu guards it.
type replays struct {
	// applied has the generation of each host, by subject, if that is not 0; sealed has that of own messages, which may
	// be ahead.
	applied, sealed *simplelru.LRU[string, uint64]
	counters        *simplelru.LRU[uint64, *window]
	// sent is the counter of the last own message.
	sent uint64
}

func newReplays() (r replays, err error) {
	if r.applied, err = simplelru.NewLRU[string, uint64](maxGenerations, nil); err != nil {
		return r, fmt.Errorf("make the table of generations: %w", err)
	}
	if r.sealed, err = simplelru.NewLRU[string, uint64](maxGenerations, nil); err != nil {
		return r, fmt.Errorf("make the table of generations: %w", err)
	}
	r.counters, err = simplelru.NewLRU[uint64, *window](maxOrigins, nil)
	return r, err
}

// begins reports whether a change of this kind begins a generation.
func begins(kind cache.ChangeKind) bool { return kind == cache.Replaced || kind == cache.Forgotten }

// number gives an own message its counter and its generation.
func (s *Store) number(subject string, m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	applied, _ := s.replays.applied.Get(subject)
	sealed, _ := s.replays.sealed.Get(subject)
	s.replays.sent++
	m.counter, m.generation = s.replays.sent, max(applied, sealed)
	switch {
	case m.kind == snapshot:
		m.generation = applied // it is the model as it is here
	case begins(m.kind):
		m.generation++
		s.replays.sealed.Add(subject, m.generation)
	}
}

// isOld returns errOld if a message must not be applied.
func (s *Store) isOld(subject string, m message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	applied, _ := s.replays.applied.Get(subject)
	if m.generation < applied || begins(m.kind) && m.generation == applied {
		return errOld
	}
	if w, ok := s.replays.counters.Get(m.origin); ok && w.has(m.counter) {
		return errOld
	}
	return nil
}

// noteApplied records that a message was applied.
func (s *Store) noteApplied(subject string, m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if applied, _ := s.replays.applied.Get(subject); m.generation > applied {
		s.replays.applied.Add(subject, m.generation)
	}
	w, ok := s.replays.counters.Get(m.origin)
	if !ok {
		w = &window{}
		s.replays.counters.Add(m.origin, w)
	}
	w.add(m.counter)
}

// generations returns the generation of each host, by subject. The caller holds s.mu.
func (r replays) generations() map[string]uint64 {
	all := make(map[string]uint64, r.applied.Len())
	for _, subject := range r.applied.Keys() {
		all[subject], _ = r.applied.Peek(subject)
	}
	return all
}

// window has the highest of some numbers, and which of those just below it were there (RFC 4303 §3.4.3).
type window struct {
	top  uint64
	seen [windowBits / 64]uint64 // by number, modulo windowBits
}

// windowBits is more than the messages that can change places: those that are under way at once, and a snapshot each.
const windowBits = 1024

// has reports whether a number was there, or is too low to be known.
func (w *window) has(n uint64) bool {
	return n+windowBits <= w.top || n <= w.top && w.seen[n%windowBits/64]&(1<<(n%64)) != 0
}

// add notes a number.
func (w *window) add(n uint64) {
	if n+windowBits <= w.top {
		return
	}
	for at := w.top + 1; at <= n && at <= w.top+windowBits; at++ {
		w.seen[at%windowBits/64] &^= 1 << (at % 64)
	}
	w.top = max(w.top, n)
	w.seen[n%windowBits/64] |= 1 << (n % 64)
}
