package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// blocked returns Models whose learner is stuck in the page "/stuck" until release is called.
func blocked(t *testing.T, o Options) (m *Models, release func()) {
	t.Helper()
	entered, stuck := make(chan struct{}), make(chan struct{})
	o.Detector = &fakeDetector{observe: func(_ *fakeModel, p *page.Page) {
		if string(p.Source) == "/stuck" {
			close(entered)
			<-stuck
		}
	}}
	m = newModels(t, o)
	release = sync.OnceFunc(func() { close(stuck) })
	t.Cleanup(release)
	if !m.Learn("stuck.example", source("/stuck"), visit("/stuck")) {
		t.Fatal("the first page was not taken")
	}
	<-entered
	return m, release
}

func TestLearnNeverBlocks(t *testing.T) {
	m, release := blocked(t, Options{Queue: 3})
	var taken []bool
	for _, url := range urls(5) {
		taken = append(taken, m.Learn("a.example", source(url), visit(url)))
	}
	if got := fmt.Sprint(taken); got != "[true true true false false]" {
		t.Errorf("taken %s, want the three that the queue holds", got)
	}
	if c := m.Counters(); c.Queue != 3 || c.Dropped != 2 {
		t.Errorf("counters %+v", c)
	}
	release()
	must(t, m.Drain(context.Background()))
	if c := m.Counters(); c.Learned != 4 || c.Queue != 0 || c.QueueBytes != 0 {
		t.Errorf("counters %+v", c)
	}
}

// A page that the model leaves out is counted as such, and the model need not be saved for it.
func TestSkippedPagesAreCounted(t *testing.T) {
	m := newModels(t, Options{})
	for _, src := range []string{"new", "nothing new", "nothing new"} {
		m.Learn("a.example", source(src), visit("/"+src))
	}
	must(t, m.Drain(context.Background()))
	if c := m.Counters(); c.Learned != 1 || c.Skipped != 2 || c.Dropped != 0 {
		t.Errorf("counters %+v, want 1 page learned and 2 skipped", c)
	}
	e, _ := m.entries.Peek("a.example")
	if e.changes != 1 {
		t.Errorf("the model counts as changed %d times, want once", e.changes)
	}
}

func TestQueueIsBoundedByBytes(t *testing.T) {
	m, _ := blocked(t, Options{QueueBytes: 100})
	big := strings.Repeat("x", 101)
	if !m.Learn("a.example", source(big), visit("/1")) {
		t.Error("a big page was not taken although the queue was empty")
	}
	if m.Learn("a.example", source("x"), visit("/2")) {
		t.Error("a page was taken although the queue held 101 of 100 bytes")
	}
	if c := m.Counters(); c.QueueBytes != 101 || c.Dropped != 1 {
		t.Errorf("counters %+v", c)
	}
}

func TestDrainGivesUpWithItsContext(t *testing.T) {
	m, release := blocked(t, Options{Queue: 1})
	for range 2 { // the second time the queue is full of the first
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		if err := m.Drain(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the deadline's", err)
		}
		cancel()
	}
	release()
	must(t, m.Drain(context.Background()))
}

// Pages of one host are learned in the order in which they were queued, whatever other hosts do.
func TestOrderIsKeptPerHost(t *testing.T) {
	var mu sync.Mutex
	order := map[string][]string{}
	d := &fakeDetector{observe: func(_ *fakeModel, p *page.Page) {
		host, n, _ := strings.Cut(string(p.Source), " ")
		mu.Lock()
		defer mu.Unlock()
		order[host] = append(order[host], n)
	}}
	m := newModels(t, Options{Detector: d, Learners: 4, Queue: 4000})
	const hosts, each = 20, 50
	var wg sync.WaitGroup
	for h := range hosts {
		wg.Go(func() {
			host := fmt.Sprintf("h%d.example", h)
			for i := range each {
				if !m.Learn(host, source(fmt.Sprintf("%s %d", host, i)), visit(fmt.Sprint(i))) {
					t.Errorf("page %d of %s was not taken", i, host)
				}
			}
		})
	}
	wg.Wait()
	must(t, m.Drain(context.Background()))
	for host, got := range order {
		for i, n := range got {
			if n != fmt.Sprint(i) {
				t.Fatalf("%s learned in the order %v", host, got)
			}
		}
	}
	if len(order) != hosts {
		t.Errorf("%d hosts, want %d", len(order), hosts)
	}
}

// A page that makes a detector panic costs its own host what was learned since the last save, and no other host
// anything.
func TestPanicInObserve(t *testing.T) {
	store := newMemStore()
	m := newModels(t, Options{Store: store})
	learn(t, m, "a.example", "/1", "/2")
	must(t, m.Flush(context.Background()))
	learn(t, m, "a.example", "/3")
	learn(t, m, "b.example", "/1")
	m.Learn("a.example", source("panic in observe"), visit("/4"))
	learn(t, m, "a.example", "/5")
	if got := pages(t, m, "a.example"); got != 3 {
		t.Errorf("%d pages, want the two saved and the one learned afterwards", got)
	}
	if got := pages(t, m, "b.example"); got != 1 {
		t.Errorf("another host has %d pages, want 1", got)
	}
	if c := m.Counters(); c.Panics != 1 || c.Learned != 5 || c.Dropped != 1 {
		t.Errorf("counters %+v", c)
	}
}

func TestPanicInMark(t *testing.T) {
	m := newModels(t, Options{})
	learn(t, m, "a.example", "/1")
	if _, err := m.Mark(context.Background(), "a.example", source("panic in mark"), model.Visit{}); !errors.Is(err, ErrPanic) {
		t.Errorf("error %v, want ErrPanic", err)
	}
	if got := pages(t, m, "a.example"); got != 1 {
		t.Errorf("%d pages, want 1: Mark changes nothing", got)
	}
	learn(t, m, "a.example", "/2") // the lock was let go
}

func TestPanicInEncodeLeavesTheOthersSaved(t *testing.T) {
	store := newMemStore()
	m := newModels(t, Options{Store: store})
	learn(t, m, "a.example", "/1")
	m.Learn("b.example", source("panic in encode"), visit("/1"))
	learn(t, m, "c.example", "/1")
	if err := m.Flush(context.Background()); !errors.Is(err, ErrPanic) {
		t.Errorf("error %v, want ErrPanic", err)
	}
	if store.value("a.example") == nil || store.value("b.example") != nil || store.value("c.example") == nil {
		t.Error("one model that can't be encoded kept others from being saved")
	}
	if got := pages(t, m, "b.example"); got != 1 {
		t.Errorf("%d pages, want 1", got)
	}
	if c := m.Counters(); c.FlushErrors != 1 || c.Panics != 1 {
		t.Errorf("counters %+v", c)
	}
}

func TestPanicInNew(t *testing.T) {
	m := newModels(t, Options{Detector: &fakeDetector{panicsInNew: true}})
	if _, err := m.Mark(context.Background(), "a.example", source(""), model.Visit{}); err == nil {
		t.Error("no error")
	}
	m.Learn("a.example", source(""), visit("/"))
	must(t, m.Drain(context.Background()))
	if c := m.Counters(); c.Panics == 0 || c.Dropped != 1 || c.Models != 0 {
		t.Errorf("counters %+v", c)
	}
}
