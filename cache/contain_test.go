package cache

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// panickyStore panics in the method that is set.
type panickyStore struct {
	*memStore
	in atomic.Value
}

func (s *panickyStore) trip(method string) {
	if s.in.Load() == method {
		panic("boom in " + method)
	}
}

func (s *panickyStore) Load(ctx context.Context, host string) ([]byte, error) {
	s.trip("load")
	return s.memStore.Load(ctx, host)
}

func (s *panickyStore) Save(ctx context.Context, models map[string][]byte) error {
	s.trip("save")
	return s.memStore.Save(ctx, models)
}

func (s *panickyStore) SetAside(ctx context.Context, host string) error {
	s.trip("set aside")
	return s.memStore.SetAside(ctx, host)
}

func (s *panickyStore) Delete(ctx context.Context, host string) error {
	s.trip("delete")
	return s.memStore.Delete(ctx, host)
}

func (s *panickyStore) List(ctx context.Context) ([]Info, error) {
	s.trip("list")
	return s.memStore.List(ctx)
}

func (s *panickyStore) Close() error {
	s.trip("close")
	return s.memStore.Close()
}

// A store that panics counts as a failing store: requests, learners and the flush timer continue, and nothing learned
// is lost once the store works again.
func TestStoreThatPanics(t *testing.T) {
	ctx := context.Background()
	for method, use := range map[string]func(m *Models) error{
		"load": func(m *Models) error {
			pages(t, m, "cold.example")
			learn(t, m, "cold.example", "/1")
			return errStorePanicked
		},
		"save":      func(m *Models) error { learn(t, m, "b.example", "/1"); return m.Flush(ctx) },
		"set aside": func(m *Models) error { pages(t, m, "damaged.example"); return errStorePanicked },
		"delete":    func(m *Models) error { return m.Forget(ctx, "a.example") },
		"list":      func(m *Models) error { _, err := m.Hosts(ctx); return err },
		"close":     func(m *Models) error { return m.Close(ctx) },
	} {
		t.Run(method, func(t *testing.T) {
			var log bytes.Buffer
			store := &panickyStore{memStore: newMemStore()}
			store.values["damaged.example"] = []byte("nothing that anybody could read")
			m := newModels(t, Options{Store: store, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			learn(t, m, "a.example", "/1", "/2")
			must(t, m.Flush(ctx))
			store.in.Store(method)
			if err := use(m); !errors.Is(err, errStorePanicked) {
				t.Errorf("error %v, want one that says that the store panicked", err)
			}
			if n := m.Counters().Panics; n == 0 || !strings.Contains(log.String(), "boom in "+method) {
				t.Errorf("%d panics counted, logged: %s", n, &log)
			}
			if method == "close" {
				return
			}
			store.in.Store("")
			learn(t, m, "a.example", "/3")
			if got := pages(t, m, "a.example"); got != 3 && method != "delete" {
				t.Errorf("the model has %d pages", got)
			}
			must(t, m.Flush(ctx))
			if method == "save" && store.value("b.example") == nil {
				t.Error("what was learned meanwhile is lost")
			}
		})
	}
}

// boundedStore is a store with a bound.
type boundedStore struct{ *panickyStore }

func (s boundedStore) Size() (bytes, limit int64) { s.trip("size"); return 300, 500 }
func (s boundedStore) Evicted() uint64            { return 7 }

// The bound that a store reports is counted, and a panic there does no harm.
func TestBoundsOfTheStoreAreCounted(t *testing.T) {
	store := boundedStore{&panickyStore{memStore: newMemStore()}}
	m := newModels(t, Options{Store: store})
	if c := m.Counters(); c.StoreBytes != 300 || c.StoreLimit != 500 || c.StoreEvicted != 7 {
		t.Errorf("%d bytes of %d, %d evicted", c.StoreBytes, c.StoreLimit, c.StoreEvicted)
	}
	store.in.Store("size")
	if m.Counters(); m.Counters().Panics == 0 {
		t.Error("no panic counted")
	}
}

// The flush timer survives a panic of the store: nothing else would ever save.
func TestFlushTimerOutlivesAPanic(t *testing.T) {
	store := &panickyStore{memStore: newMemStore()}
	store.in.Store("save")
	m := newModels(t, Options{Store: store, FlushEvery: 5 * time.Millisecond})
	learn(t, m, "a.example", "/1")
	if !eventually(func() bool { return m.Counters().Panics > 1 }) {
		t.Fatal("the timer saves no more")
	}
	store.in.Store("")
	if !eventually(func() bool { return store.value("a.example") != nil }) {
		t.Error("the model was never saved")
	}
}
