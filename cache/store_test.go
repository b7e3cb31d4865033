package cache

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
)

func TestMemoryIsBoundedAndNothingIsLost(t *testing.T) {
	const hosts, each, limit = 60, 10, 10_000 // a model of ten pages takes 1,512 bytes
	store := newMemStore()
	m := newModels(t, Options{Store: store, MaxBytes: limit})
	for h := range hosts {
		learn(t, m, fmt.Sprintf("h%d.example", h), urls(each)...)
		if c := m.Counters(); c.Bytes > limit {
			t.Fatalf("%d bytes in memory, want at most %d", c.Bytes, limit)
		}
	}
	for h := range hosts {
		if got := pages(t, m, fmt.Sprintf("h%d.example", h)); got != each {
			t.Errorf("h%d has %d pages, want %d", h, got, each)
		}
	}
	// The last load may still be making room.
	if !eventually(func() bool { return m.Counters().Bytes <= limit }) {
		t.Errorf("%d bytes in memory, want at most %d", m.Counters().Bytes, limit)
	}
	if c := m.Counters(); c.Evicted < hosts || c.Lost != 0 || c.FlushErrors != 0 {
		t.Errorf("counters %+v", c)
	}
	if n := store.saves.Load(); n > hosts/2 {
		t.Errorf("%d saves for %d models: evictions should share their saves", n, hosts)
	}
}

func TestLeastRecentlyUsedGoesFirst(t *testing.T) {
	m := newModels(t, Options{MaxBytes: 4 * (entryOverhead + 100)})
	for _, host := range []string{"a", "b", "c", "d"} {
		learn(t, m, host, "/1")
	}
	pages(t, m, "a")
	learn(t, m, "e", "/1")
	if got := pages(t, m, "a"); got != 1 {
		t.Error("a was evicted although it was used last")
	}
	if c := m.Counters(); c.Evicted != 1 || c.Models != 4 {
		t.Errorf("counters %+v", c)
	}
	if got := pages(t, m, "b"); got != 0 {
		t.Error("b is still there although it was the least recently used")
	}
}

// Visits of hosts that are never learned take memory too.
func TestColdHostsAreBounded(t *testing.T) {
	m := newModels(t, Options{MaxBytes: 10 * entryOverhead})
	for h := range 100 {
		pages(t, m, fmt.Sprintf("h%d.example", h))
	}
	if !eventually(func() bool { return m.Counters().Models <= 10 }) {
		t.Errorf("%d models in memory, want at most 10", m.Counters().Models)
	}
}

func eventually(f func() bool) bool {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if f() {
			return true
		}
	}
	return f()
}

func TestFailingLoadServesAFreshModelAndMergesLater(t *testing.T) {
	store := newMemStore()
	first := newModels(t, Options{Store: store})
	learn(t, first, "a.example", "/1", "/2")
	must(t, first.Close(context.Background()))

	var fails atomic.Bool
	fails.Store(true)
	store.onLoad = func(string) error {
		if fails.Load() {
			return errStore
		}
		return nil
	}
	m := newModels(t, Options{Store: store})
	if got := pages(t, m, "a.example"); got != 0 {
		t.Fatalf("%d pages", got)
	}
	learn(t, m, "a.example", "/2", "/3")
	if err := m.Flush(context.Background()); err == nil {
		t.Error("the model was saved over one that could not be read")
	}
	fails.Store(false)
	must(t, m.Flush(context.Background()))
	if got := pages(t, m, "a.example"); got != 3 {
		t.Errorf("%d pages in memory, want 3", got)
	}
	must(t, m.Close(context.Background()))
	if got := pages(t, newModels(t, Options{Store: store}), "a.example"); got != 3 {
		t.Errorf("%d pages stored, want 3", got)
	}
	if c := m.Counters(); c.LoadErrors != 2 || c.FlushErrors != 1 {
		t.Errorf("counters %+v", c)
	}
}

func TestFailingSaveKeepsChangesUpToTwiceTheBound(t *testing.T) {
	const limit = 20 * (entryOverhead + 100)
	store := newMemStore()
	var fails atomic.Bool
	fails.Store(true)
	store.onSave = func(map[string][]byte) error {
		if fails.Load() {
			return errStore
		}
		return nil
	}
	m := newModels(t, Options{Store: store, MaxBytes: limit})
	for h := range 39 {
		learn(t, m, fmt.Sprintf("h%d.example", h), "/1")
	}
	if c := m.Counters(); c.Lost != 0 || c.Models != 39 {
		t.Errorf("counters %+v, want everything kept below twice the bound", c)
	}
	if n := store.saves.Load(); n > 2 {
		t.Errorf("%d saves although the store fails: one attempt per flush is enough", n)
	}
	for h := range 60 {
		learn(t, m, fmt.Sprintf("i%d.example", h), "/1")
	}
	if c := m.Counters(); c.Lost != 59 || c.Bytes > 2*limit {
		t.Errorf("counters %+v, want 59 lost and at most %d bytes", c, 2*limit)
	}
	fails.Store(false)
	must(t, m.Flush(context.Background()))
	if infos, err := store.List(context.Background()); err != nil || len(infos) != 40 {
		t.Errorf("%d models stored (%v), want the 40 in memory", len(infos), err)
	}
	learn(t, m, "one.more.example", "/1")
	if c := m.Counters(); c.Bytes > limit {
		t.Errorf("%d bytes in memory, want at most %d now that the store works again", c.Bytes, limit)
	}
}

func TestValuesThatCannotBeUsedAreSetAside(t *testing.T) {
	ctx := context.Background()
	key := model.NewKey()
	seal := func(change func(*envelope)) []byte {
		e := envelope{detector: "fake", keyID: key.ID(), host: "a.example", Summary: Summary{Pages: 1}, model: make([]byte, 16)}
		change(&e)
		return e.seal()
	}
	for name, value := range map[string][]byte{
		"garbage":                          []byte("garbage"),
		"nothing":                          {},
		"damaged":                          append(seal(func(*envelope) {})[1:], 0),
		"of another detector":              seal(func(e *envelope) { e.detector = "other" }),
		"of another key":                   seal(func(e *envelope) { e.keyID++ }),
		"of another host":                  seal(func(e *envelope) { e.host = "b.example" }),
		"not decodable":                    seal(func(e *envelope) { e.model = []byte("x") }),
		"one that makes the decoder panic": seal(func(e *envelope) { e.model = []byte("panic in decode") }),
	} {
		t.Run(name, func(t *testing.T) {
			store := newMemStore()
			store.values["a.example"] = value
			m := newModels(t, Options{Store: store, Key: key})
			learn(t, m, "a.example", "/1", "/2")
			must(t, m.Flush(ctx))
			if got := pages(t, m, "a.example"); got != 2 {
				t.Errorf("%d pages, want those of a fresh model", got)
			}
			if string(store.aside["a.example"]) != string(value) {
				t.Error("the value was not kept aside")
			}
			if c := m.Counters(); c.SetAside != 1 || c.LoadErrors != 0 {
				t.Errorf("counters %+v", c)
			}
		})
	}
}

func TestASoundValueIsNotSetAside(t *testing.T) {
	key := model.NewKey()
	store := newMemStore()
	e := envelope{detector: "fake", keyID: key.ID(), host: "a.example", Summary: Summary{Pages: 1}, model: make([]byte, 16)}
	store.values["a.example"] = e.seal()
	m := newModels(t, Options{Store: store, Key: key})
	if got := pages(t, m, "a.example"); got != 1 || m.Counters().SetAside != 0 {
		t.Errorf("%d pages, %d set aside", got, m.Counters().SetAside)
	}
}

// When the store loses its models, those in memory are stored again, the unchanged ones too.
func TestModelsSurviveAResetOfTheStore(t *testing.T) {
	ctx := context.Background()
	store := newMemStore()
	first := newModels(t, Options{Store: store})
	learn(t, first, "loaded.example", "/1")
	must(t, first.Close(ctx))

	m := newModels(t, Options{Store: store})
	pages(t, m, "loaded.example")
	learn(t, m, "saved.example", "/1")
	must(t, m.Flush(ctx))
	pages(t, m, "visited.example")
	learn(t, m, "changed.example", "/1")
	store.onSave = func(map[string][]byte) error {
		store.onSave = nil
		clear(store.values)
		return fmt.Errorf("save: %w", ErrReset)
	}
	if err := m.Flush(ctx); !errors.Is(err, ErrReset) {
		t.Errorf("error %v, want ErrReset", err)
	}
	must(t, m.Flush(ctx))
	infos, err := store.List(ctx)
	must(t, err)
	if len(infos) != 3 {
		t.Errorf("%v stored, want the three models with pages", infos)
	}
}

func TestSavesAreBatched(t *testing.T) {
	store := newMemStore()
	m := newModels(t, Options{Store: store, Queue: 5000})
	var biggest atomic.Int64
	store.onSave = func(models map[string][]byte) error {
		biggest.Store(max(biggest.Load(), int64(len(models))))
		return nil
	}
	const hosts = 3 * batchModels
	for h := range hosts {
		m.Learn(fmt.Sprintf("h%d.example", h), source("/"), visit("/"))
	}
	must(t, m.Drain(context.Background()))
	must(t, m.Flush(context.Background()))
	if n := store.saves.Load(); n != 3 || biggest.Load() != batchModels {
		t.Errorf("%d saves of at most %d models, want 3 of %d", n, biggest.Load(), batchModels)
	}
	must(t, m.Flush(context.Background()))
	if n := store.saves.Load(); n != 3 {
		t.Error("a second flush saved what had not changed")
	}
}
