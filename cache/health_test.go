package cache

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Health shows a store that can't be written until writes succeed again.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemStore()
		var fails atomic.Bool
		store.onSave = func(map[string][]byte) error {
			if fails.Load() {
				return errStore
			}
			return nil
		}
		m, err := New(context.Background(), Options{Detector: &fakeDetector{}, Store: store, FlushEvery: 30 * time.Second})
		must(t, err)
		if h := m.Health(); !h.OK() || !h.LastWrite.IsZero() {
			t.Errorf("before any write: %+v", h)
		}
		learn(t, m, "a.example", "/1")
		time.Sleep(31 * time.Second)
		synctest.Wait()
		good := m.Health()
		if !good.OK() || good.LastWrite.IsZero() || !good.Since.IsZero() {
			t.Errorf("after a save: %+v", good)
		}
		fails.Store(true)
		learn(t, m, "a.example", "/2")
		time.Sleep(95 * time.Second) // three attempts
		synctest.Wait()
		bad := m.Health()
		if bad.OK() || !errors.Is(bad.Err, errStore) || !bad.LastWrite.Equal(good.LastWrite) || time.Since(bad.Since) < time.Minute {
			t.Errorf("while it fails: %+v", bad)
		}
		fails.Store(false)
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if h := m.Health(); !h.OK() || !h.Since.IsZero() || !h.LastWrite.After(good.LastWrite) {
			t.Errorf("afterwards: %+v", h)
		}
		must(t, m.Close(context.Background()))
	})
}

// Health shows failed deletions too.
func TestHealthOfDeletions(t *testing.T) {
	store := &noDeletions{memStore: newMemStore()}
	m := newModels(t, Options{Store: store})
	if err := m.Forget(context.Background(), "a.example"); !errors.Is(err, errStore) {
		t.Fatalf("error %v", err)
	}
	if h := m.Health(); !errors.Is(h.Err, errStore) {
		t.Errorf("health %+v", h)
	}
}

type noDeletions struct{ *memStore }

func (*noDeletions) Delete(context.Context, string) error { return errStore }
