package sampler

import (
	"testing"
	"time"
)

// One event of a key goes through per interval and says how many were held back; keys do not touch each other.
func TestAllow(t *testing.T) {
	s, err := New(time.Minute, 2)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for i, e := range []struct {
		key     string
		after   time.Duration
		dropped int
		ok      bool
	}{
		{"a", 0, 0, true},
		{"a", 0, 0, false},
		{"a", time.Minute - 1, 0, false},
		{"b", time.Minute - 1, 0, true},
		{"a", time.Minute, 2, true},
		{"a", time.Minute, 0, false},
		{"a", 3 * time.Minute, 1, true},
		{"c", 3 * time.Minute, 0, true}, // b falls out
		{"b", 3 * time.Minute, 0, true},
	} {
		if dropped, ok := s.Allow(e.key, start.Add(e.after)); dropped != e.dropped || ok != e.ok {
			t.Errorf("event %d of %s: %d dropped, through: %v", i, e.key, dropped, ok)
		}
	}
	if _, err := New(time.Minute, 0); err == nil {
		t.Error("a sampler that remembers nothing was made")
	}
}
