package cache

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
)

// learnAt learns a page of host at a time, from a client.
func learnAt(t *testing.T, m *Models, client, host, url string, at time.Time) {
	t.Helper()
	if !m.LearnFrom(client, host, source(url), model.Visit{URL: url, At: at}) {
		t.Fatal("the page was not taken")
	}
	must(t, m.Drain(context.Background()))
}

func TestAdmission(t *testing.T) {
	type seen struct {
		client, url string
		after       time.Duration
	}
	for _, tt := range []struct {
		name  string
		pages []seen
		want  bool
	}{
		{"one page", []seen{{"", "/1", 0}}, false},
		{"three pages at once", []seen{{"", "/1", 0}, {"", "/2", time.Second}, {"", "/3", time.Second}}, false},
		{"one page three times", []seen{{"", "/1", 0}, {"", "/1", time.Hour}, {"", "/1", time.Hour}}, false},
		{"three pages in two visits", []seen{{"", "/1", 0}, {"", "/2", time.Second}, {"", "/3", time.Minute}}, true},
		{"three pages from two clients", []seen{{"a", "/1", 0}, {"a", "/2", 0}, {"b", "/3", 0}}, true},
		{"two pages in two visits", []seen{{"", "/1", 0}, {"", "/2", time.Hour}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := newMemStore()
			m := newModels(t, Options{Store: store, Admission: DefaultAdmission()})
			at := noon()
			for _, p := range tt.pages {
				at = at.Add(p.after)
				learnAt(t, m, p.client, "a.example", p.url, at)
			}
			must(t, m.Flush(context.Background()))
			if got := store.value("a.example") != nil; got != tt.want {
				t.Errorf("stored: %v, want %v", got, tt.want)
			}
			if got := pages(t, m, "a.example"); got == 0 {
				t.Error("the model does not serve from memory")
			}
		})
	}
}

// A host that is already stored, or that an operator imported, is saved at every change.
func TestAdmittedHostsStay(t *testing.T) {
	ctx := context.Background()
	key := model.NewKey()
	store := newMemStore()
	first := newModels(t, Options{Key: key, Store: store})
	learn(t, first, "a.example", "/1")
	b, err := first.Export(ctx, "a.example")
	must(t, err)
	must(t, first.Close(ctx))

	m := newModels(t, Options{Key: key, Store: store, Admission: DefaultAdmission()})
	learn(t, m, "a.example", "/2")
	must(t, m.Import(ctx, "replaced.example", b, false))
	must(t, m.Import(ctx, "merged.example", b, true))
	must(t, m.Close(ctx))
	last := newModels(t, Options{Key: key, Store: store})
	for host, want := range map[string]int{"a.example": 2, "replaced.example": 1, "merged.example": 1} {
		if got := pages(t, last, host); got != want {
			t.Errorf("%s has %d pages after a restart, want %d", host, got, want)
		}
	}
}

// Throwaway hosts write nothing and stay within the memory bound.
func TestHostsThatAreNotAdmittedAreForgotten(t *testing.T) {
	const limit = 20_000
	store := newMemStore()
	m := newModels(t, Options{Store: store, MaxBytes: limit, Admission: DefaultAdmission()})
	for h := range 400 {
		learn(t, m, fmt.Sprintf("x%d.example", h), "/1", "/2", "/3")
	}
	must(t, m.Flush(context.Background()))
	if c := m.Counters(); store.saves.Load() != 0 || c.Bytes > limit || c.Lost != 0 || c.Evicted < 300 {
		t.Errorf("%d saves, counters %+v", store.saves.Load(), c)
	}
}

// The summary that eviction goes by survives restarts. Exports do not say who taught the model.
func TestUsesAndClientAreStored(t *testing.T) {
	ctx := context.Background()
	key := model.NewKey()
	store := newMemStore()
	var client uint64
	for round := 1; round <= 3; round++ {
		m := newModels(t, Options{Key: key, Store: store})
		for range 10 {
			pages(t, m, "a.example")
		}
		learnAt(t, m, fmt.Sprint("client ", round), "a.example", fmt.Sprint("/", round), noon())
		exported, err := m.Export(ctx, "a.example")
		must(t, err)
		if e, err := openEnvelope(exported); err != nil || e.Client != 0 || e.Pages != round {
			t.Errorf("round %d: exported %+v, %v", round, e.Summary, err)
		}
		must(t, m.Close(ctx))
		got := Describe(store.value("a.example"))
		if client == 0 {
			client = got.Client
		}
		if got.Uses != uint64(10*round) || got.Pages != round || got.Client != client || client == 0 {
			t.Errorf("round %d: %+v", round, got)
		}
	}
}
