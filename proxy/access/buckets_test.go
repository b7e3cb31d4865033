package access

import (
	"testing"
	"time"
)

func TestBuckets(t *testing.T) {
	b := NewBuckets(2, 3, 2)
	now := time.Unix(1000, 0)
	for i := range 3 {
		if _, ok := b.Take("a", now); !ok {
			t.Fatalf("token %d of 3 is missing", i+1)
		}
	}
	if wait, ok := b.Peek("a", now); ok || wait != 500*time.Millisecond {
		t.Errorf("an empty bucket: %v, %v", wait, ok)
	}
	if wait, ok := b.Take("a", now.Add(250*time.Millisecond)); ok || wait != 250*time.Millisecond {
		t.Errorf("after half the time: %v, %v", wait, ok)
	}
	if _, ok := b.Take("b", now); !ok {
		t.Error("one client's bucket is empty for another")
	}
	if _, ok := b.Take("a", now.Add(500*time.Millisecond)); !ok {
		t.Error("no token after the time that was named")
	}
}

// The memory of buckets is bounded: the client that was unseen longest is evicted.
func TestBucketsForgetTheOldest(t *testing.T) {
	b := NewBuckets(0.001, 1, 2)
	now := time.Unix(1000, 0)
	for _, client := range []string{"a", "b", "c"} {
		b.Take(client, now)
	}
	if _, ok := b.Take("c", now); ok {
		t.Error("the newest client was forgotten")
	}
	if _, ok := b.Take("a", now); !ok {
		t.Error("the oldest client was not evicted")
	}
	if n := b.lru.Len(); n != 2 {
		t.Errorf("%d clients are remembered", n)
	}
}
