package cache

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeDetector makes models that remember which pages they saw, so that tests can tell whether any was lost. A page
// whose source is "panic in X" makes X panic.
type fakeDetector struct {
	name string
	// observe, when set, is called by every Observe before it does anything.
	observe func(host *fakeModel, p *page.Page)
	// panicsInNew makes New panic.
	panicsInNew bool
}

func (d *fakeDetector) Name() string {
	if d.name == "" {
		return "fake"
	}
	return d.name
}

func (d *fakeDetector) New(key model.Key) model.Host {
	if d.panicsInNew {
		panic("new")
	}
	return &fakeModel{detector: d, key: key, pages: map[uint64]uint64{}}
}

func (d *fakeDetector) Decode(key model.Key, b []byte) (model.Host, error) {
	if bytes.Contains(b, []byte("panic in decode")) {
		panic("decode")
	}
	m := d.New(key).(*fakeModel)
	for ; len(b) >= 16; b = b[16:] {
		m.pages[binary.LittleEndian.Uint64(b)] = binary.LittleEndian.Uint64(b[8:])
	}
	if len(b) != 0 {
		return nil, model.ErrFormat
	}
	return m, nil
}

// fakeModel maps the hash of each URL to its rank in the order of learning.
type fakeModel struct {
	detector *fakeDetector
	key      model.Key
	pages    map[uint64]uint64
	last     time.Time
	// encodePanics is set by the page "panic in encode".
	encodePanics bool
	// skipped counts the pages "nothing new".
	skipped int
}

func (m *fakeModel) Observe(p *page.Page, v model.Visit) {
	if string(p.Source) == "nothing new" {
		m.skipped++
		return
	}
	if m.detector.observe != nil {
		m.detector.observe(m, p)
	}
	url := m.key.Hasher().String(v.URL)
	if _, seen := m.pages[url]; !seen {
		m.pages[url] = uint64(len(m.pages))
	}
	m.last = v.At
	switch string(p.Source) {
	case "panic in observe":
		panic("observe")
	case "panic in encode":
		m.encodePanics = true
	}
}

func (m *fakeModel) Mark(p *page.Page, _ model.Visit) *page.Marking {
	if string(p.Source) == "panic in mark" {
		panic("mark")
	}
	return &page.Marking{Pages: len(m.pages)}
}

func (m *fakeModel) Merge(other model.Host) error {
	o, ok := other.(*fakeModel)
	if !ok || o.key != m.key {
		return model.ErrMismatch
	}
	for url := range o.pages {
		if _, seen := m.pages[url]; !seen {
			m.pages[url] = uint64(len(m.pages))
		}
	}
	return nil
}

func (m *fakeModel) Encode() ([]byte, error) {
	if m.encodePanics {
		panic("encode")
	}
	var b []byte
	for _, url := range slices.Sorted(maps.Keys(m.pages)) {
		b = binary.LittleEndian.AppendUint64(b, url)
		b = binary.LittleEndian.AppendUint64(b, m.pages[url])
	}
	return b, nil
}

func (m *fakeModel) Stats() model.Stats {
	return model.Stats{Pages: len(m.pages), Bytes: 100 * len(m.pages), LastSeen: m.last, Skipped: m.skipped}
}

// memStore is a Store in memory that can be made to fail or wait.
type memStore struct {
	mu     sync.Mutex
	values map[string][]byte
	aside  map[string][]byte
	closed bool
	// staysClosed makes calls after Close fail. Tests of this package hand a store from one Models to the next.
	staysClosed bool

	loads, saves, stats, lists atomic.Int64
	// onLoad and onSave, when set, are called before the store does anything. Their result is the call's error.
	onLoad func(host string) error
	onSave func(models map[string][]byte) error
}

func newMemStore() *memStore {
	return &memStore{values: map[string][]byte{}, aside: map[string][]byte{}}
}

// NewMemStore returns a store with the values of the earlier one; nil stands for none. It serves tests outside of this
// package.
func NewMemStore(earlier Store) Store {
	s := newMemStore()
	s.staysClosed = true
	if e, ok := earlier.(*memStore); ok {
		s.values, s.aside = e.values, e.aside
	}
	return s
}

// begin returns the error of a call that can't be made. The caller holds s.mu.
func (s *memStore) begin(ctx context.Context) error {
	if s.closed && s.staysClosed {
		return ErrClosed
	}
	return ctx.Err()
}

var errStore = errors.New("the store is out of order")

func (s *memStore) Load(ctx context.Context, host string) ([]byte, error) {
	s.loads.Add(1)
	if s.onLoad != nil {
		if err := s.onLoad(host); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	b, ok := s.values[host]
	if !ok {
		return nil, fmt.Errorf("%s: %w", host, ErrNotFound)
	}
	return bytes.Clone(b), nil
}

func (s *memStore) Save(ctx context.Context, models map[string][]byte) error {
	s.saves.Add(1)
	if s.onSave != nil {
		if err := s.onSave(models); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	for host, v := range models {
		s.values[host] = bytes.Clone(v)
	}
	return nil
}

func (s *memStore) SetAside(ctx context.Context, host string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	if b, ok := s.values[host]; ok {
		s.aside[host] = b
		delete(s.values, host)
	}
	return nil
}

func (s *memStore) Delete(ctx context.Context, host string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	delete(s.values, host)
	delete(s.aside, host)
	return nil
}

func (s *memStore) List(ctx context.Context) ([]Info, error) {
	s.lists.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	var infos []Info
	for _, host := range slices.Sorted(maps.Keys(s.values)) {
		infos = append(infos, Info{Host: host, Size: len(s.values[host]), Summary: Describe(s.values[host])})
	}
	return infos, nil
}

func (s *memStore) Stat(ctx context.Context, host string) (Info, error) {
	s.stats.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return Info{}, err
	}
	b, ok := s.values[host]
	if !ok {
		return Info{}, fmt.Errorf("%s: %w", host, ErrNotFound)
	}
	return Info{Host: host, Size: len(b), Summary: Describe(b)}, nil
}

func (s *memStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func (s *memStore) value(host string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[host]
}

// newModels returns Models that the test closes, with a detector unless o has one.
func newModels(t testing.TB, o Options) *Models {
	t.Helper()
	if o.Detector == nil {
		o.Detector = &fakeDetector{}
	}
	if o.FlushEvery == 0 {
		o.FlushEvery = time.Hour // tests flush by hand
	}
	m, err := New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close(context.Background()) }) // a test may have closed it
	return m
}

func source(s string) *page.Page { return &page.Page{Source: []byte(s)} }

func visit(url string) model.Visit {
	return model.Visit{URL: url, At: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
}

// learn learns pages of host, named by their URLs, and waits for that.
func learn(t testing.TB, m *Models, host string, urls ...string) {
	t.Helper()
	for _, url := range urls {
		if !m.Learn(host, source(url), visit(url)) {
			t.Fatalf("the page %s was not taken", url)
		}
	}
	must(t, m.Drain(context.Background()))
}

// pages returns the number of pages that the model of host knows of.
func pages(t testing.TB, m *Models, host string) int {
	t.Helper()
	marking, err := m.Mark(context.Background(), host, source(""), model.Visit{})
	must(t, err)
	return marking.Pages
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// urls returns n URLs.
func urls(n int) []string {
	s := make([]string, n)
	for i := range s {
		s[i] = fmt.Sprintf("/%d", i)
	}
	return s
}
