package cache

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

func TestMarkAnswersFromTheFirstPageOn(t *testing.T) {
	m := newModels(t, Options{})
	if got := pages(t, m, "a.example"); got != 0 {
		t.Errorf("a fresh model has %d pages", got)
	}
	learn(t, m, "a.example", "/1", "/2", "/1")
	if got := pages(t, m, "a.example"); got != 2 {
		t.Errorf("%d pages, want 2", got)
	}
	if got := pages(t, m, "b.example"); got != 0 {
		t.Errorf("another host has %d pages", got)
	}
}

func TestModelsOutliveTheProcess(t *testing.T) {
	store := newMemStore()
	first := newModels(t, Options{Store: store})
	learn(t, first, "a.example", urls(7)...)
	must(t, first.Close(context.Background()))
	if !store.closed {
		t.Error("the store was not closed")
	}
	second := newModels(t, Options{Store: store})
	if got := pages(t, second, "a.example"); got != 7 {
		t.Errorf("%d pages, want 7", got)
	}
}

func TestManyMarksLoadOnce(t *testing.T) {
	store := newMemStore()
	loading := make(chan struct{})
	store.onLoad = func(string) error { <-loading; return nil }
	m := newModels(t, Options{Store: store})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { pages(t, m, "a.example") })
	}
	close(loading)
	wg.Wait()
	if n := store.loads.Load(); n != 1 {
		t.Errorf("%d loads, want 1", n)
	}
}

// marksTogether is a detector whose Mark returns only when two are under way.
type marksTogether struct {
	fakeDetector
	met chan struct{}
}

type togetherModel struct {
	model.Host
	met chan struct{}
}

func (d *marksTogether) New(key model.Key) model.Host {
	return togetherModel{d.fakeDetector.New(key), d.met}
}

func (m togetherModel) Mark(*page.Page, model.Visit) *page.Marking {
	select {
	case m.met <- struct{}{}:
	case <-m.met:
	}
	return new(page.Marking)
}

func TestMarksOfOneHostRunSideBySide(t *testing.T) {
	m := newModels(t, Options{Detector: &marksTogether{met: make(chan struct{})}})
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	done := make(chan error, 2)
	for range 2 {
		go func() { _, err := m.Mark(ctx, "a.example", source(""), model.Visit{}); done <- err }()
	}
	for range 2 {
		select {
		case err := <-done:
			must(t, err)
		case <-ctx.Done():
			t.Fatal("one Mark waits for the other")
		}
	}
}

func TestMarkGivesUpWithItsContext(t *testing.T) {
	store := newMemStore()
	loading := make(chan struct{})
	store.onLoad = func(string) error { <-loading; return nil }
	m := newModels(t, Options{Store: store})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := m.Mark(ctx, "a.example", source(""), model.Visit{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the deadline's", err)
	}
	close(loading)
	if got := pages(t, m, "a.example"); got != 0 { // the load continued for later callers
		t.Errorf("%d pages", got)
	}
	if n := store.loads.Load(); n != 1 {
		t.Errorf("%d loads, want 1", n)
	}
}

func TestHostsThatCannotBeOne(t *testing.T) {
	m := newModels(t, Options{})
	for _, host := range []string{"", strings.Repeat("a", maxHost+1)} {
		if _, err := m.Mark(context.Background(), host, source(""), model.Visit{}); err == nil {
			t.Errorf("marked a page of a host of %d bytes", len(host))
		}
		if m.Learn(host, source(""), visit("/")) {
			t.Errorf("learned a page of a host of %d bytes", len(host))
		}
		if m.Forget(context.Background(), host) == nil {
			t.Errorf("forgot a host of %d bytes", len(host))
		}
	}
}

func TestFlushOnTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemStore()
		m := newModels(t, Options{Store: store, FlushEvery: 30 * time.Second})
		learn(t, m, "a.example", "/1")
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if n := store.saves.Load(); n != 0 {
			t.Errorf("%d saves before the time", n)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := store.saves.Load(); n != 1 || store.value("a.example") == nil {
			t.Errorf("%d saves after the time, want 1", n)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := store.saves.Load(); n != 1 {
			t.Errorf("%d saves although nothing changed", n-1)
		}
	})
}

func TestCancellingNewsContextStopsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	store := newMemStore()
	m, err := New(ctx, Options{Detector: &fakeDetector{}, Store: store})
	must(t, err)
	cancel()
	learn(t, m, "a.example", "/1")
	must(t, m.Close(context.Background()))
	if store.value("a.example") == nil {
		t.Error("what was learned after the cancellation was not saved")
	}
}

func TestNewNeedsADetector(t *testing.T) {
	if _, err := New(context.Background(), Options{}); err == nil {
		t.Error("no error")
	}
}

func TestClosedModelsRefuse(t *testing.T) {
	ctx := context.Background()
	m := newModels(t, Options{Store: newMemStore()})
	learn(t, m, "a.example", "/1")
	exported, err := m.Export(ctx, "a.example")
	must(t, err)
	must(t, m.Close(ctx))
	must(t, m.Close(ctx))
	_, markErr := m.Mark(ctx, "a.example", source(""), model.Visit{})
	_, hostsErr := m.Hosts(ctx)
	_, exportErr := m.Export(ctx, "a.example")
	for call, err := range map[string]error{
		"Mark": markErr, "Hosts": hostsErr, "Export": exportErr, "Drain": m.Drain(ctx), "Flush": m.Flush(ctx),
		"Import": m.Import(ctx, "a.example", exported, true), "Forget": m.Forget(ctx, "a.example"),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: error %v, want ErrClosed", call, err)
		}
	}
	if m.Learn("a.example", source(""), visit("/2")) || m.Counters().Dropped != 1 {
		t.Error("a page was taken after Close, or not counted as dropped")
	}
}

// A hurried Close loses the queued pages, reports that, and saves what was learned.
func TestCloseInAHurrySavesWhatWasLearned(t *testing.T) {
	store := newMemStore()
	entered, release := make(chan struct{}, 1), make(chan struct{})
	d := &fakeDetector{observe: func(_ *fakeModel, p *page.Page) {
		if string(p.Source) == "/slow" {
			entered <- struct{}{}
			<-release
		}
	}}
	m := newModels(t, Options{Store: store, Detector: d})
	learn(t, m, "a.example", "/1")
	for _, url := range []string{"/slow", "/3", "/4"} {
		m.Learn("a.example", source(url), visit(url))
	}
	<-entered
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	closed := make(chan error)
	go func() { closed <- m.Close(ctx) }()
	time.AfterFunc(20*time.Millisecond, func() { close(release) })
	if err := <-closed; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	c := m.Counters()
	if c.Learned < 2 || c.Learned+c.Dropped != 4 || c.Queue != 0 || c.QueueBytes != 0 {
		t.Errorf("counters %+v, want four pages learned or dropped and none queued", c)
	}
	d.observe = nil
	if got := pages(t, newModels(t, Options{Store: store, Detector: d}), "a.example"); got != int(c.Learned) {
		t.Errorf("%d pages saved, %d were learned", got, c.Learned)
	}
}
