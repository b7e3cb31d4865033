// Package seen keeps a bounded set of the things that were seen. A host's model uses it for its learned pages, so that
// a page counts once however often it is fetched.
package seen

import (
	"slices"
	"sort"
)

// Set is a bounded set that drops its older half at once: when the recent part is full, it becomes the older part, and
// the previous older part is dropped. Every method that drops members says how many, so that the caller can count all
// members ever added. Reading methods may run concurrently.
type Set[T any] struct {
	// Both parts are sorted.
	recent, older []T
	limit         int
	compare       func(a, b T) int
}

// New returns an empty set of at most three times limit members. limit is at least 1.
func New[T any](limit int, compare func(a, b T) int) Set[T] {
	return Set[T]{limit: max(limit, 1), compare: compare}
}

// Len is the number of members.
func (s *Set[T]) Len() int { return len(s.recent) + len(s.older) }

// Cap is the number of members for which memory is allocated.
func (s *Set[T]) Cap() int { return cap(s.recent) + cap(s.older) }

// Recent and Older are the two parts, sorted. The slices belong to the set.
func (s *Set[T]) Recent() []T { return s.recent }

// Older is the part that is dropped next; see [Set.Recent].
func (s *Set[T]) Older() []T { return s.older }

// Has reports whether v is a member.
func (s *Set[T]) Has(v T) bool {
	if _, ok := slices.BinarySearchFunc(s.recent, v, s.compare); ok {
		return true
	}
	_, ok := slices.BinarySearchFunc(s.older, v, s.compare)
	return ok
}

// Add adds v and returns how many members were dropped.
func (s *Set[T]) Add(v T) (dropped int) {
	if s.Has(v) {
		return 0
	}
	i, _ := slices.BinarySearchFunc(s.recent, v, s.compare)
	s.recent = slices.Insert(s.recent, i, v)
	return s.rotate()
}

// Merge adds the members of other, recent ones as recent, and returns how many members were dropped.
func (s *Set[T]) Merge(other *Set[T]) (dropped int) {
	s.recent = s.union(s.recent, other.recent)
	older := s.union(s.older, other.older)
	s.older = slices.DeleteFunc(older, func(v T) bool {
		_, ok := slices.BinarySearchFunc(s.recent, v, s.compare)
		return ok
	})
	if spare := len(s.older) - 2*s.limit; spare > 0 {
		s.older, dropped = s.older[:2*s.limit:2*s.limit], spare
	}
	return dropped + s.rotate()
}

// Load sets the members and returns how many were dropped because they did not fit. Both parts are sorted.
func (s *Set[T]) Load(recent, older []T) (dropped int) {
	return s.Merge(&Set[T]{recent: recent, older: older})
}

// rotate starts a new recent part when it is full. A merge can add more members than one part may have; the rest is
// dropped.
func (s *Set[T]) rotate() (dropped int) {
	if len(s.recent) <= s.limit {
		return 0
	}
	dropped = len(s.older) + max(0, len(s.recent)-2*s.limit)
	s.older, s.recent = slices.Clip(s.recent[:min(len(s.recent), 2*s.limit)]), nil
	return dropped
}

// Shrink drops the older part, or half of the recent one where there is none, and returns the number of dropped
// members.
func (s *Set[T]) Shrink() (dropped int) {
	if dropped = len(s.older); dropped > 0 {
		s.older = nil
		return dropped
	}
	half := len(s.recent) / 2
	dropped = len(s.recent) - half
	s.recent = slices.Clone(s.recent[:half])
	return dropped
}

func (s *Set[T]) union(a, b []T) []T {
	out := append(slices.Clone(a), b...)
	sort.Slice(out, func(i, j int) bool { return s.compare(out[i], out[j]) < 0 })
	return slices.Clip(slices.CompactFunc(out, func(x, y T) bool { return s.compare(x, y) == 0 }))
}
