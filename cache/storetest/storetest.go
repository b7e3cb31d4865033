// Package storetest contains the tests that every [cache.Store] should pass. A store calls [Run] from a test of its
// own.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/cache"
)

// Detector and key of the suite's values. A store that needs them, such as boltstore, should be opened with these.
const (
	Detector = "storetest"
	KeyID    = 0x5107e
)

// Open opens the store called name. Stores of different names share nothing. A store that is closed and opened again
// still has its values. It must have room for 64 MiB.
type Open func(name string) (cache.Store, error)

// Run runs the suite.
func Run(t *testing.T, open Open) {
	t.Helper()
	tests := map[string]func(*testing.T, *subject){
		"fresh store is empty":           testFresh,
		"values are kept":                testKept,
		"names and sizes":                testNamesAndSizes,
		"values belong to their holders": testOwnership,
		"set aside":                      testSetAside,
		"delete":                         testDelete,
		"listing":                        testListing,
		"ended contexts":                 testEndedContexts,
		"closed store":                   testClosed,
		"side by side":                   testSideBySide,
		"as a map":                       testAsAMap,
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		t.Run(name, func(t *testing.T) {
			s := newSubject(t, open, t.Name())
			t.Cleanup(func() { _ = s.Close() }) // the test may have closed it
			tests[name](t, s)
		})
	}
}

// subject is the store under test.
type subject struct {
	cache.Store
	t    failer
	open Open
	name string
}

// failer is what *testing.T and *rapid.T share.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

func newSubject(t failer, open Open, name string) *subject {
	t.Helper()
	store, err := open(name)
	must(t, err)
	return &subject{Store: store, t: t, open: open, name: name}
}

// again closes the store and opens it again.
func (s *subject) again() {
	s.t.Helper()
	must(s.t, s.Close())
	store, err := s.open(s.name)
	must(s.t, err)
	s.Store = store
}

func must(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// value returns a value of host that contains n.
func value(host string, n, size int) []byte {
	sum := cache.Summary{Pages: n, LastSeen: time.Unix(int64(n)*60, 0).UTC(), Uses: uint64(n) * 3, Client: uint64(n) << 40}
	return cache.Seal(Detector, KeyID, host, sum, bytes.Repeat([]byte{byte(n)}, size))
}

// save saves values of the given hosts, all with n.
func (s *subject) save(n, size int, hosts ...string) {
	s.t.Helper()
	batch := map[string][]byte{}
	for _, h := range hosts {
		batch[h] = value(h, n, size)
	}
	must(s.t, s.Save(context.Background(), batch))
}

// want checks that the store has exactly the given values.
func (s *subject) want(values map[string][]byte) {
	s.t.Helper()
	ctx := context.Background()
	for host, v := range values {
		if got, err := s.Load(ctx, host); err != nil || !bytes.Equal(got, v) {
			s.t.Fatalf("load %.60q: %d bytes that are not the %d saved (%v)", host, len(got), len(v), err)
		}
		want := cache.Info{Host: host, Size: len(v), Summary: cache.Describe(v)}
		if got, err := s.Stat(ctx, host); err != nil || got != want {
			s.t.Fatalf("stat %.60q: %+v (%v), want %+v", host, got, err, want)
		}
	}
	infos, err := s.List(ctx)
	must(s.t, err)
	var listed []string
	for _, i := range infos {
		listed = append(listed, i.Host)
		if want := (cache.Info{Host: i.Host, Size: len(values[i.Host]), Summary: cache.Describe(values[i.Host])}); i != want {
			s.t.Fatalf("listed %+v, want %+v", i, want)
		}
	}
	if want := slices.Sorted(maps.Keys(values)); !slices.Equal(listed, want) {
		s.t.Fatalf("listed %.300q, want %.300q", listed, want)
	}
}

// absent checks that the store knows nothing of host.
func (s *subject) absent(host string) {
	s.t.Helper()
	if v, err := s.Load(context.Background(), host); !errors.Is(err, cache.ErrNotFound) || v != nil {
		s.t.Errorf("load %.60q: %d bytes, %v, want ErrNotFound", host, len(v), err)
	}
	if i, err := s.Stat(context.Background(), host); !errors.Is(err, cache.ErrNotFound) {
		s.t.Errorf("stat %.60q: %+v, %v, want ErrNotFound", host, i, err)
	}
}

func testFresh(_ *testing.T, s *subject) {
	s.want(nil)
	s.absent("a.example")
	s.again()
	s.want(nil)
}

func testKept(t *testing.T, s *subject) {
	s.save(1, 100, "a.example", "b.example")
	s.save(2, 5000, "b.example", "c.example")
	must(t, s.Save(context.Background(), nil))
	want := map[string][]byte{
		"a.example": value("a.example", 1, 100), "b.example": value("b.example", 2, 5000), "c.example": value("c.example", 2, 5000),
	}
	s.want(want)
	s.again()
	s.want(want)
}

func testNamesAndSizes(_ *testing.T, s *subject) {
	want := map[string][]byte{}
	for i, host := range []string{
		"localhost", "a.example:8080", "[2001:db8::1]:443", "192.0.2.1", "xn--mnchen-3ya.example", "under_score.example", "..", "a/b",
		"*", ">", "$", "a b", "größe.example", "\x00", strings.Repeat("x", 300), strings.Repeat("a.", 126) + "a",
	} {
		want[host] = value(host, i+1, i*20_000) // up to 300 kB
	}
	must(s.t, s.Save(context.Background(), want))
	s.want(want)
	s.again()
	s.want(want)
}

func testOwnership(t *testing.T, s *subject) {
	ctx := context.Background()
	saved := value("a.example", 1, 100)
	must(t, s.Save(ctx, map[string][]byte{"a.example": saved}))
	clear(saved)
	loaded, err := s.Load(ctx, "a.example")
	must(t, err)
	clear(loaded)
	s.want(map[string][]byte{"a.example": value("a.example", 1, 100)})
}

func testSetAside(t *testing.T, s *subject) {
	ctx := context.Background()
	s.save(1, 100, "a.example", "b.example")
	must(t, s.SetAside(ctx, "a.example"))
	must(t, s.SetAside(ctx, "a.example"))
	must(t, s.SetAside(ctx, "never.seen.example"))
	s.absent("a.example")
	s.want(map[string][]byte{"b.example": value("b.example", 1, 100)})
	s.again()
	s.absent("a.example")
	s.save(2, 100, "a.example")
	must(t, s.SetAside(ctx, "a.example")) // the newer one takes the place of the older
	s.save(3, 100, "a.example")
	s.want(map[string][]byte{"a.example": value("a.example", 3, 100), "b.example": value("b.example", 1, 100)})
}

func testDelete(t *testing.T, s *subject) {
	ctx := context.Background()
	s.save(1, 50_000, "a.example", "b.example", "aside.example")
	must(t, s.SetAside(ctx, "aside.example"))
	for _, host := range []string{"a.example", "a.example", "aside.example", "never.seen.example"} {
		must(t, s.Delete(ctx, host))
		s.absent(host)
	}
	want := map[string][]byte{"b.example": value("b.example", 1, 50_000)}
	s.want(want)
	s.again()
	s.want(want)
	s.save(2, 10, "a.example")
	want["a.example"] = value("a.example", 2, 10)
	s.want(want)
}

func testListing(t *testing.T, s *subject) {
	want := map[string][]byte{}
	for n := range 500 {
		host := fmt.Sprintf("h%d.example", n*7919%500)
		want[host] = value(host, n+1, n%50*40)
	}
	must(t, s.Save(context.Background(), want))
	// A value without a summary is listed too.
	want["opaque.example"] = []byte("not sealed")
	must(t, s.Save(context.Background(), map[string][]byte{"opaque.example": want["opaque.example"]}))
	s.want(want)
}

func testEndedContexts(t *testing.T, s *subject) {
	s.save(1, 100, "a.example")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, loadErr := s.Load(ctx, "a.example")
	_, statErr := s.Stat(ctx, "a.example")
	_, listErr := s.List(ctx)
	for call, err := range map[string]error{
		"Load": loadErr, "Stat": statErr, "List": listErr, "SetAside": s.SetAside(ctx, "a.example"),
		"Save":   s.Save(ctx, map[string][]byte{"b.example": value("b.example", 1, 100)}),
		"Delete": s.Delete(ctx, "a.example"),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want that of the context", call, err)
		}
	}
	s.want(map[string][]byte{"a.example": value("a.example", 1, 100)})
}

func testClosed(t *testing.T, s *subject) {
	ctx := context.Background()
	s.save(1, 100, "a.example")
	must(t, s.Close())
	must(t, s.Close())
	_, loadErr := s.Load(ctx, "a.example")
	_, statErr := s.Stat(ctx, "a.example")
	_, listErr := s.List(ctx)
	for call, err := range map[string]error{
		"Load": loadErr, "Stat": statErr, "List": listErr, "SetAside": s.SetAside(ctx, "a.example"),
		"Save": s.Save(ctx, map[string][]byte{"a.example": nil}), "Delete": s.Delete(ctx, "a.example"),
	} {
		if !errors.Is(err, cache.ErrClosed) {
			t.Errorf("%s: error %v, want ErrClosed", call, err)
		}
	}
}

// Concurrent calls: each sees its own writes, and no part of a batch.
func testSideBySide(t *testing.T, s *subject) {
	ctx := context.Background()
	var workers sync.WaitGroup
	for w := range 4 {
		workers.Go(func() {
			a, b := fmt.Sprintf("a%d.example", w), fmt.Sprintf("b%d.example", w)
			for n := range 20 {
				batch := map[string][]byte{a: value(a, n+1, n*700), b: value(b, n+1, n*10)}
				if err := s.Save(ctx, batch); err != nil {
					t.Error(err)
				}
				if got, err := s.Load(ctx, a); err != nil || !bytes.Equal(got, batch[a]) {
					t.Errorf("%s: loaded another value than was saved (%v)", a, err)
				}
				if infos, err := s.List(ctx); err != nil || len(infos) > 8 {
					t.Errorf("listed %d (%v)", len(infos), err)
				}
				if n%5 == 4 {
					if err := s.Delete(ctx, a); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	workers.Wait()
	want := map[string][]byte{}
	for w := range 4 {
		host := fmt.Sprintf("b%d.example", w)
		want[host] = value(host, 20, 190)
	}
	s.want(want)
}

// After any sequence of calls, the store has the same values as a map.
func testAsAMap(t *testing.T, s *subject) {
	runs := 0 // each has a store of its own
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		runs++
		s := newSubject(rt, s.open, fmt.Sprint(s.name, " ", runs))
		defer func() { _ = s.Close() }()
		want := map[string][]byte{}
		host := rapid.Custom(func(rt *rapid.T) string { return fmt.Sprintf("h%d.example", rapid.IntRange(0, 12).Draw(rt, "host")) })
		n := 0
		rt.Repeat(map[string]func(*rapid.T){
			"save": func(rt *rapid.T) {
				n++
				batch := map[string][]byte{}
				for _, h := range rapid.SliceOfN(host, 0, 5).Draw(rt, "hosts") {
					batch[h] = value(h, n, rapid.IntRange(0, 9000).Draw(rt, "size"))
				}
				must(rt, s.Save(ctx, batch))
				maps.Copy(want, batch)
			},
			"delete": func(rt *rapid.T) {
				h := host.Draw(rt, "host")
				must(rt, s.Delete(ctx, h))
				delete(want, h)
			},
			"set aside": func(rt *rapid.T) {
				h := host.Draw(rt, "host")
				must(rt, s.SetAside(ctx, h))
				delete(want, h)
			},
			"reopen": func(*rapid.T) { s.again() },
			"":       func(*rapid.T) { s.want(want) },
		})
	})
}
