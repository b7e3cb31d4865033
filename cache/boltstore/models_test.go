package boltstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// counter is a detector whose models count the pages that they are shown.
type counter struct{ name string }

type count struct {
	n    int
	last time.Time
}

func (c counter) Name() string             { return c.name }
func (c counter) New(model.Key) model.Host { return &count{} }
func (c counter) Decode(_ model.Key, b []byte) (model.Host, error) {
	m := &count{}
	if _, err := fmt.Sscan(string(b), &m.n); err != nil {
		return nil, model.ErrFormat
	}
	return m, nil
}

func (m *count) Observe(_ *page.Page, v model.Visit)        { m.n, m.last = m.n+1, v.At }
func (m *count) Mark(*page.Page, model.Visit) *page.Marking { return &page.Marking{Pages: m.n} }
func (m *count) Merge(other model.Host) error               { m.n += other.(*count).n; return nil }
func (m *count) Encode() ([]byte, error)                    { return fmt.Append(nil, m.n), nil }
func (m *count) Stats() model.Stats                         { return model.Stats{Pages: m.n, Bytes: 1000, LastSeen: m.last} }

// bulky is a detector whose models take 20 kB in the store.
type bulky struct{ counter }

func (b bulky) New(model.Key) model.Host { return &bulk{} }
func (b bulky) Decode(_ model.Key, v []byte) (model.Host, error) {
	m := &bulk{}
	if _, err := fmt.Sscan(string(v), &m.n); err != nil {
		return nil, model.ErrFormat
	}
	return m, nil
}

type bulk struct{ count }

func (m *bulk) Encode() ([]byte, error) { return fmt.Appendf(nil, "%d %20000d", m.n, 0), nil }

// start returns Models over a store in dir.
func start(t *testing.T, dir, detector string) *cache.Models {
	t.Helper()
	o := options(nil)
	o.Detector = detector
	key := model.Key{1}
	o.KeyID = key.ID()
	s, err := Open(dir, o)
	must(t, err)
	m, err := cache.New(context.Background(), cache.Options{
		Detector: counter{detector}, Key: key, Store: s, FlushEvery: time.Hour, MaxBytes: 5000, // three models
	})
	must(t, err)
	t.Cleanup(func() { _ = m.Close(context.Background()) }) // a test may have closed it
	return m
}

func learn(t *testing.T, m *cache.Models, hosts ...string) {
	t.Helper()
	for _, h := range hosts {
		if !m.Learn(h, &page.Page{}, model.Visit{URL: "/"}) {
			t.Fatalf("the page of %s was not taken", h)
		}
	}
	must(t, m.Drain(context.Background()))
}

func counts(t *testing.T, m *cache.Models, hosts ...string) string {
	t.Helper()
	var got []int
	for _, h := range hosts {
		marking, err := m.Mark(context.Background(), h, &page.Page{}, model.Visit{})
		must(t, err)
		got = append(got, marking.Pages)
	}
	return fmt.Sprint(got)
}

func TestModelsOverTheStore(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	m := start(t, dir, "sst")
	learn(t, m, "a", "b", "c", "d", "e", "a", "b", "c", "d", "a", "b", "c", "a", "b", "a")
	if m.Counters().Evicted == 0 {
		t.Error("nothing was evicted: the test proves little")
	}
	must(t, m.Close(ctx))

	m = start(t, dir, "sst")
	if got := counts(t, m, "a", "b", "c", "d", "e", "f"); got != "[5 4 3 2 1 0]" {
		t.Errorf("pages %s after a restart", got)
	}
	must(t, m.Close(ctx))

	m = start(t, dir, "blend")
	learn(t, m, "a")
	if got := counts(t, m, "a", "b"); got != "[1 0]" || m.Counters().SetAside != 0 {
		t.Errorf("pages %s with another detector, counters %+v", got, m.Counters())
	}
	must(t, m.Close(ctx))
	if got := counts(t, start(t, dir, "sst"), "a", "b"); got != "[5 4]" {
		t.Errorf("pages %s after changing the detector and back", got)
	}
}

// Models saves again what it has in memory after the file was damaged while open.
func TestModelsOutliveDamageUnderUse(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	m := start(t, dir, "sst")
	learn(t, m, "a", "a", "b")
	must(t, m.Flush(ctx))
	must(t, os.Truncate(filepath.Join(dir, fileName), 5000))
	learn(t, m, "b")
	if err := m.Flush(ctx); !errors.Is(err, cache.ErrReset) {
		t.Errorf("error %v, want ErrReset", err)
	}
	must(t, m.Flush(ctx))
	must(t, m.Close(ctx))
	if got := counts(t, start(t, dir, "sst"), "a", "b"); got != "[2 2]" {
		t.Errorf("pages %s after a restart", got)
	}
}

// A model that users would miss survives any number of made-up hosts.
func TestThrowawayHostsPushNoModelOut(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		admission cache.Admission
		name      string
		client    string
		pages     int
	}{
		"one page each":      {cache.DefaultAdmission(), "x%d.example", "", 1},
		"all admitted":       {cache.Admission{}, "x%d.example", "", 3},
		"many of one domain": {cache.Admission{}, "x%d.evil.example", "", 60},
		"many of one client": {cache.Admission{}, "x%d.example", "evil", 60},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(nil)
			o.Detector, o.MaxBytes, o.KeyID = "bulky", 4<<20, model.Key{1}.ID()
			s, err := Open(t.TempDir(), o)
			must(t, err)
			m, err := cache.New(ctx, cache.Options{Detector: bulky{counter{"bulky"}}, Key: model.Key{1}, Store: s,
				FlushEvery: time.Hour, MaxBytes: 20_000, Admission: tt.admission})
			must(t, err)
			defer func() { must(t, m.Close(ctx)) }()
			seen := now.Add(-48 * time.Hour)
			for p := range 30 {
				m.LearnFrom("reader", "news.example", &page.Page{}, model.Visit{URL: fmt.Sprint(p), At: seen.Add(time.Duration(p) * time.Minute)})
			}
			must(t, m.Drain(ctx))
			for h := range 400 {
				for p := range tt.pages {
					m.LearnFrom(tt.client, fmt.Sprintf(tt.name, h), &page.Page{}, model.Visit{URL: fmt.Sprint(p), At: now})
				}
				must(t, m.Drain(ctx))
			}
			must(t, m.Flush(ctx))
			info, err := m.Host(ctx, "news.example")
			if err != nil || info.Pages != 30 || info.Stored == 0 {
				t.Errorf("the model of 30 pages: %+v (%v)", info, err)
			}
			if c := m.Counters(); (c.StoreEvicted == 0) != (tt.admission.Pages > 0) || c.StoreBytes > c.StoreLimit {
				t.Errorf("counters %+v", c)
			}
		})
	}
}
