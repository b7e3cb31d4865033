package cache

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
)

// Whatever runs concurrently (marks, learning, evictions, flushes, a store that fails sometimes), the stored models
// contain exactly the accepted pages in the end.
func TestNoLearnedPageIsLost(t *testing.T) {
	var evicted, failures uint64
	rapid.Check(t, func(rt *rapid.T) {
		s := scenario{
			seed:     rapid.Uint64().Draw(rt, "seed"),
			hosts:    rapid.IntRange(1, 12).Draw(rt, "hosts"),
			workers:  rapid.IntRange(1, 4).Draw(rt, "workers"),
			learners: rapid.IntRange(1, 3).Draw(rt, "learners"),
			fails:    rapid.Float64Range(0, 0.3).Draw(rt, "fails"),
			maxBytes: rapid.Int64Range(1000, 60_000).Draw(rt, "maxBytes"), // a model of 40 pages takes 4,512
		}
		c := s.run(rt)
		evicted += c.Evicted
		failures += c.LoadErrors + c.FlushErrors
	})
	if evicted == 0 || failures == 0 {
		t.Errorf("%d evictions and %d failures: the test proves nothing", evicted, failures)
	}
}

type scenario struct {
	seed                     uint64
	hosts, workers, learners int
	fails                    float64
	maxBytes                 int64

	mu    sync.Mutex
	rng   *rand.Rand // of the store's failures
	taken map[string]map[string]bool
	count uint64
}

func (s *scenario) run(t *rapid.T) Counters {
	ctx := context.Background()
	s.taken, s.rng = map[string]map[string]bool{}, rand.New(rand.NewPCG(s.seed, 0))
	store := newMemStore()
	store.onLoad = func(string) error { return s.mayFail() }
	store.onSave = func(map[string][]byte) error { return s.mayFail() }
	m, err := New(ctx, Options{Detector: &fakeDetector{}, Store: store, Learners: s.learners, MaxBytes: s.maxBytes})
	if err != nil {
		t.Fatal(err)
	}
	var workers errgroup.Group
	for w := range s.workers {
		workers.Go(func() error { return s.work(ctx, m, rand.New(rand.NewPCG(s.seed, uint64(w+1)))) })
	}
	if err := workers.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := m.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.fails = 0
	s.mu.Unlock()
	if err := m.Close(ctx); err != nil {
		t.Fatal(err)
	}
	c := m.Counters()
	if c.Learned != s.count || c.Dropped != 0 {
		t.Fatalf("%d pages taken, counters %+v", s.count, c)
	}
	if c.Lost == 0 { // models that are lost to a failing store are counted
		s.check(t, store)
	}
	return c
}

func (s *scenario) mayFail() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rng.Float64() < s.fails {
		return errStore
	}
	return nil
}

func (s *scenario) work(ctx context.Context, m *Models, rng *rand.Rand) error {
	for range 80 {
		host := fmt.Sprintf("h%d.example", rng.IntN(s.hosts))
		switch rng.IntN(10) {
		case 0:
			_ = m.Flush(ctx) // it may fail: what counts is what is stored in the end
		case 1, 2, 3:
			if _, err := m.Mark(ctx, host, source(""), model.Visit{}); err != nil {
				return err
			}
		default:
			url := fmt.Sprint(rng.IntN(40))
			if m.Learn(host, source(url), visit(url)) {
				s.note(host, url)
			}
		}
	}
	return nil
}

func (s *scenario) note(host, url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[host] == nil {
		s.taken[host] = map[string]bool{}
	}
	s.taken[host][url] = true
	s.count++
}

func (s *scenario) check(t *rapid.T, store *memStore) {
	if len(store.values) != len(s.taken) {
		t.Fatalf("%d models stored, want %d", len(store.values), len(s.taken))
	}
	for host, urls := range s.taken {
		e, err := openEnvelope(store.values[host])
		if err != nil {
			t.Fatal(err)
		}
		stored, err := new(fakeDetector).Decode(model.Key{}, e.model)
		if err != nil {
			t.Fatal(err)
		}
		want := map[uint64]bool{}
		for url := range urls {
			want[model.Key{}.Hasher().String(url)] = true
		}
		got := map[uint64]bool{}
		for url := range stored.(*fakeModel).pages {
			got[url] = true
		}
		if !maps.Equal(got, want) {
			t.Fatalf("%s has %d pages stored, %d were learned", host, len(got), len(want))
		}
	}
}
