package cache

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
)

func TestHostsListsMemoryAndStore(t *testing.T) {
	ctx := context.Background()
	store := newMemStore()
	first := newModels(t, Options{Store: store})
	learn(t, first, "stored.example", "/1", "/2")
	learn(t, first, "both.example", "/1")
	must(t, first.Close(ctx))

	m := newModels(t, Options{Store: store})
	learn(t, m, "both.example", "/2")
	learn(t, m, "memory.example", "/1")
	pages(t, m, "visited.example")
	hosts, err := m.Hosts(ctx)
	must(t, err)
	var got []string
	for _, h := range hosts {
		b, err := json.Marshal(h)
		must(t, err)
		got = append(got, string(b))
	}
	size := func(host string) string { return jsonNumber(t, len(store.value(host))) }
	want := []string{
		`{"host":"both.example","pages":2,"bytes":200,"last_seen":"2026-11-20T12:00:00Z","stored":` + size("both.example") + `,"in_memory":true,"unsaved":true}`,
		`{"host":"memory.example","pages":1,"bytes":100,"last_seen":"2026-11-20T12:00:00Z","stored":0,"in_memory":true,"unsaved":true}`,
		`{"host":"stored.example","pages":2,"bytes":0,"last_seen":"2026-11-20T12:00:00Z","stored":` + size("stored.example") + `,"in_memory":false,"unsaved":false}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Host looks one host up by name: it loads nothing and reads no other host.
func TestHostReadsOneSummary(t *testing.T) {
	ctx := context.Background()
	store := newMemStore()
	first := newModels(t, Options{Store: store})
	for h := range 50 {
		learn(t, first, fmt.Sprintf("h%d.example", h), "/1", "/2")
	}
	must(t, first.Close(ctx))

	m := newModels(t, Options{Store: store})
	learn(t, m, "memory.example", "/1")
	learn(t, m, "h1.example", "/3")
	loads := store.loads.Load()
	for host, want := range map[string]HostInfo{
		"h0.example":     {Stats: model.Stats{Pages: 2, LastSeen: noon()}, Stored: len(store.value("h0.example"))},
		"h1.example":     {Stats: model.Stats{Pages: 3, Bytes: 300, LastSeen: noon()}, Stored: len(store.value("h1.example")), InMemory: true, Unsaved: true},
		"memory.example": {Stats: model.Stats{Pages: 1, Bytes: 100, LastSeen: noon()}, InMemory: true, Unsaved: true},
	} {
		want.Host = host
		if got, err := m.Host(ctx, host); err != nil || got != want {
			t.Errorf("%s: %+v (%v), want %+v", host, got, err, want)
		}
	}
	pages(t, m, "visited.example") // loads, and finds nothing
	for _, host := range []string{"visited.example", "unknown.example"} {
		if got, err := m.Host(ctx, host); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %+v, %v, want ErrNotFound", host, got, err)
		}
	}
	if n, lists := store.loads.Load()-loads, store.lists.Load(); n != 1 || lists != 0 {
		t.Errorf("%d models loaded and %d listings for single hosts", n, lists)
	}
	if _, err := m.Hosts(ctx); err != nil || store.loads.Load()-loads != 1 {
		t.Errorf("the listing loaded %d models (%v)", store.loads.Load()-loads-1, err)
	}
}

func jsonNumber(t *testing.T, n int) string {
	t.Helper()
	b, err := json.Marshal(n)
	must(t, err)
	return string(b)
}

func TestExportImport(t *testing.T) {
	ctx := context.Background()
	key := model.NewKey()
	from := newModels(t, Options{Key: key})
	learn(t, from, "a.example", "/1", "/2")
	exported, err := from.Export(ctx, "a.example")
	must(t, err)
	for _, tt := range []struct {
		name  string
		merge bool
		want  int
	}{{"replace", false, 2}, {"merge", true, 3}} {
		t.Run(tt.name, func(t *testing.T) {
			store := newMemStore()
			to := newModels(t, Options{Key: key, Store: store})
			learn(t, to, "www.a.example", "/2", "/3")
			must(t, to.Import(ctx, "www.a.example", exported, tt.merge))
			if got := pages(t, to, "www.a.example"); got != tt.want {
				t.Errorf("%d pages, want %d", got, tt.want)
			}
			must(t, to.Close(ctx))
			if got := pages(t, newModels(t, Options{Key: key, Store: store}), "www.a.example"); got != tt.want {
				t.Errorf("%d pages after a restart, want %d", got, tt.want)
			}
		})
	}
}

func TestExportOfAStoredModel(t *testing.T) {
	ctx := context.Background()
	store := newMemStore()
	first := newModels(t, Options{Store: store})
	learn(t, first, "a.example", "/1")
	must(t, first.Close(ctx))
	b, err := newModels(t, Options{Store: store}).Export(ctx, "a.example")
	must(t, err)
	if e, err := openEnvelope(b); err != nil || e.Pages != 1 || e.host != "a.example" || e.detector != "fake" {
		t.Errorf("exported %+v (%v)", e, err)
	}
}

func TestExportOfAnUnknownHost(t *testing.T) {
	m := newModels(t, Options{Store: newMemStore()})
	if _, err := m.Export(context.Background(), "a.example"); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v, want ErrNotFound", err)
	}
}

func TestImportRefuses(t *testing.T) {
	ctx := context.Background()
	key := model.NewKey()
	m := newModels(t, Options{Key: key})
	learn(t, m, "a.example", "/1")
	good, err := m.Export(ctx, "a.example")
	must(t, err)
	otherKey := newModels(t, Options{Key: model.NewKey()})
	otherDetector := newModels(t, Options{Key: key, Detector: &fakeDetector{name: "other"}})
	for _, tt := range []struct {
		name string
		into *Models
		b    []byte
		want error
	}{
		{"garbage", m, []byte("garbage"), model.ErrFormat},
		{"damage", m, append(good[:len(good)-1:len(good)-1], good[len(good)-1]^1), model.ErrFormat},
		{"another key", otherKey, good, model.ErrMismatch},
		{"another detector", otherDetector, good, model.ErrMismatch},
	} {
		for _, merge := range []bool{false, true} {
			if err := tt.into.Import(ctx, "a.example", tt.b, merge); !errors.Is(err, tt.want) {
				t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
			}
		}
	}
	if got := pages(t, m, "a.example"); got != 1 {
		t.Errorf("%d pages, want the model as it was", got)
	}
}

func TestForget(t *testing.T) {
	ctx := context.Background()
	store := newMemStore()
	m := newModels(t, Options{Store: store})
	learn(t, m, "a.example", "/1")
	learn(t, m, "b.example", "/1")
	must(t, m.Flush(ctx))
	m.Learn("a.example", source("/2"), visit("/2")) // queued before Forget, so it goes too
	must(t, m.Forget(ctx, "a.example"))
	must(t, m.Forget(ctx, "never.seen.example"))
	if got := pages(t, m, "a.example"); got != 0 {
		t.Errorf("%d pages, want 0", got)
	}
	must(t, m.Flush(ctx))
	if store.value("a.example") != nil {
		t.Error("the stored model is still there")
	}
	if got := pages(t, m, "b.example"); got != 1 {
		t.Errorf("another host has %d pages, want 1", got)
	}
	hosts, err := m.Hosts(ctx)
	must(t, err)
	if len(hosts) != 1 {
		t.Errorf("hosts %+v, want b.example alone", hosts)
	}
}

// A save that began before Forget must not bring the model back.
func TestForgetWaitsForASaveUnderWay(t *testing.T) {
	ctx := context.Background()
	store := newMemStore()
	saving, save := make(chan struct{}), make(chan struct{})
	store.onSave = func(map[string][]byte) error { close(saving); <-save; return nil }
	m := newModels(t, Options{Store: store})
	learn(t, m, "a.example", "/1")
	flushed, forgotten := make(chan error), make(chan error)
	go func() { flushed <- m.Flush(ctx) }()
	<-saving
	go func() { forgotten <- m.Forget(ctx, "a.example") }()
	select {
	case err := <-forgotten:
		t.Errorf("Forget returned (%v) while the model was being saved", err)
		close(save)
		must(t, <-flushed)
	default:
		close(save)
		must(t, <-flushed)
		must(t, <-forgotten)
	}
	if store.value("a.example") != nil {
		t.Error("the model came back")
	}
}

// A load that began before Forget must not bring the model back either.
func TestForgetDuringALoad(t *testing.T) {
	ctx := context.Background()
	store := newMemStore()
	first := newModels(t, Options{Store: store})
	learn(t, first, "a.example", "/1")
	must(t, first.Close(ctx))
	stored := store.value("a.example")

	loading, load := make(chan struct{}), make(chan struct{})
	slow := &slowLoads{memStore: store, loading: loading, load: load, value: stored}
	m := newModels(t, Options{Store: slow})
	marked := make(chan error)
	go func() { _, err := m.Mark(ctx, "a.example", source(""), model.Visit{}); marked <- err }()
	<-loading
	must(t, m.Forget(ctx, "a.example"))
	close(load)
	must(t, <-marked)
	if got := pages(t, m, "a.example"); got != 0 {
		t.Errorf("%d pages, want 0: the old model came back", got)
	}
}

// slowLoads answers its first load late, with the value that was stored before.
type slowLoads struct {
	*memStore
	loading, load chan struct{}
	value         []byte
}

func (s *slowLoads) Load(ctx context.Context, host string) ([]byte, error) {
	if s.loads.Load() == 2 { // the first Models loaded once
		return s.memStore.Load(ctx, host)
	}
	s.loads.Add(1)
	close(s.loading)
	<-s.load
	return s.value, nil
}
