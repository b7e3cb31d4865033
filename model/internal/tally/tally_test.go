package tally_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/modeltest"
	"github.com/winnow-proxy/winnow/model/internal/tally"
)

// config says how a table is made.
type config struct {
	limits  model.Limits
	halveAt int
}

func (c config) table() *tally.Table {
	return tally.New(base.New(model.Key{1}, base.Format("test", "wtst"), c.limits), c.halveAt)
}

func visit(i int) model.Visit {
	return model.Visit{URL: fmt.Sprintf("http://a.example/%d", i), At: time.Unix(1e9+int64(i), 0).UTC()}
}

// learn gives the table one page that shows the things.
func learn(t *tally.Table, page int, things ...uint64) {
	if !t.Admit(visit(page)) {
		return
	}
	for _, h := range things {
		t.Add(h, 1)
	}
	t.Settle()
}

func encode(t rapid.TB, table *tally.Table) []byte {
	t.Helper()
	b, err := table.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(t rapid.TB, cfg config, b []byte) *tally.Table {
	t.Helper()
	table := cfg.table()
	if err := table.Load(b); err != nil {
		t.Fatal(err)
	}
	return table
}

func TestCounts(t *testing.T) {
	table := config{}.table()
	learn(table, 1, 7, 7, 8)
	learn(table, 2, 7)
	learn(table, 2, 8, 8, 8) // the same URL again
	if table.Pages() != 2 || table.Count(7) != 3 || table.Count(8) != 1 || table.Count(9) != 0 || table.Len() != 2 {
		t.Errorf("%d pages, counts %d, %d, %d", table.Pages(), table.Count(7), table.Count(8), table.Count(9))
	}
	if !table.Knows(visit(2)) || table.Knows(visit(3)) {
		t.Error("knows pages that it should not, or does not know what it should")
	}
	if s := table.Stats(); s.Pages != 2 || !s.LastSeen.Equal(visit(2).At) {
		t.Errorf("stats %+v", s)
	}
	if table.Prune(1); table.Count(8) != 0 || table.Count(7) != 3 {
		t.Error("pruning what occurred once")
	}
}

func TestHalving(t *testing.T) {
	table := config{halveAt: 4}.table()
	for i := range 4 {
		learn(table, i, 1, uint64(100+i))
	}
	if table.Pages() != 2 || table.Count(1) != 2 || table.Len() != 1 || table.Stats().Pages != 4 {
		t.Errorf("after 4 pages: %d pages, count %d of %d things, stats %+v", table.Pages(), table.Count(1), table.Len(),
			table.Stats())
	}
}

// tables generates tables of a few pages, with URLs from a number on.
func tables(cfg config, first int) *rapid.Generator[*tally.Table] {
	return rapid.Custom(func(t *rapid.T) *tally.Table {
		table := cfg.table()
		for i, things := range rapid.SliceOfN(rapid.SliceOfN(rapid.Uint64Range(0, 9), 0, 8), 0, 6).Draw(t, "pages") {
			learn(table, first+i*3+rapid.IntRange(0, 5).Draw(t, "url"), things...)
		}
		return table
	})
}

func TestEncodeDecodeIsTheIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := config{halveAt: rapid.SampledFrom([]int{0, 3}).Draw(t, "halve")}
		table := tables(cfg, 0).Draw(t, "table")
		b := encode(t, table)
		back := decode(t, cfg, b)
		if !bytes.Equal(encode(t, back), b) || back.Stats().Pages != table.Stats().Pages || back.Pages() != table.Pages() {
			t.Fatalf("%+v became %+v", table, back)
		}
	})
}

func TestMergeIsAssociativeAndCommutative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := tables(config{}, 0).Draw(t, "a"), tables(config{}, 30).Draw(t, "b"), tables(config{}, 60).Draw(t, "c")
		merged := func(tables ...*tally.Table) []byte {
			sum := config{}.table()
			for _, o := range tables {
				before := encode(t, o)
				if err := base.Merge(sum, o); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(encode(t, o), before) {
					t.Fatal("merging changed what was merged")
				}
			}
			return encode(t, sum)
		}
		right := decode(t, config{}, merged(b, c))
		want := merged(a, b, c)
		if !bytes.Equal(merged(c, b, a), want) || !bytes.Equal(merged(a, right), want) {
			t.Fatal("the order of merging changes the table")
		}
	})
}

func TestBudgets(t *testing.T) {
	cfg := config{limits: model.Limits{Memory: 32 << 10, Encoded: 2 << 10}}
	table := cfg.table()
	next := uint64(1 << 40)
	for i := range 3000 {
		things := []uint64{1, 2, 3}
		for range 20 {
			next += 1 << 40
			things = append(things, next)
		}
		learn(table, i, things...)
	}
	if s := table.Stats(); s.Bytes > cfg.limits.Memory || s.Pages != 3000 {
		t.Errorf("%+v, limit %d", s, cfg.limits.Memory)
	}
	b := encode(t, table)
	if len(b) > cfg.limits.Encoded {
		t.Errorf("%d bytes encoded, limit %d", len(b), cfg.limits.Encoded)
	}
	back := decode(t, cfg, b)
	if back.Count(1) != 3000 || table.Count(3) != 3000 || back.Stats().Pages != 3000 {
		t.Error("what every page shows was evicted")
	}
	cfg.limits.Encoded = 10
	if _, err := cfg.table().Encode(); err == nil {
		t.Error("no error for a limit of 10 bytes")
	}
}

// A page of a million things may exceed the table's budget by a quarter until Settle.
func TestOneHugePage(t *testing.T) {
	cfg := config{limits: model.Limits{Memory: 64 << 10}}
	table := cfg.table()
	table.Admit(visit(1))
	for i := range uint64(1e6) {
		table.Add(i, 1)
	}
	if got := table.Stats().Bytes; got > cfg.limits.Memory*5/4 {
		t.Errorf("%d bytes, budget %d", got, cfg.limits.Memory)
	}
	if table.Settle(); table.Stats().Bytes > cfg.limits.Memory {
		t.Errorf("%d bytes after settling, budget %d", table.Stats().Bytes, cfg.limits.Memory)
	}
}

// The size that a table reports is at least its size on the heap, and not much more.
func TestBytesIsWhatTheHeapShows(t *testing.T) {
	modeltest.CheckSize(t, 20, .3, 1.1, func() *tally.Table {
		table := config{}.table()
		for page := range 100 {
			things := make([]uint64, 100)
			for j := range things {
				things[j] = uint64(page)<<32 + uint64(j)
			}
			learn(table, page, things...)
		}
		return table
	})
}

func FuzzDecode(f *testing.F) {
	table := config{}.table()
	learn(table, 1, 5, 5, 6)
	learn(table, 2, 5, 9)
	const checksum = 8
	whole := encode(f, table)
	format := config{}.table().Format()
	f.Add(whole[format.Overhead()-checksum : len(whole)-checksum])
	f.Add([]byte{0, 0, 0, 0, 0, 0})
	f.Add([]byte{0, 0, 0, 0, 1, 2, 5, 1, 0, 1}) // one thing twice
	f.Fuzz(func(t *testing.T, body []byte) {
		table := config{}.table()
		if err := table.Load(format.Seal(model.Key{1}, body)); err != nil {
			if !errors.Is(err, model.ErrFormat) {
				t.Fatalf("error %v is not ErrFormat", err)
			}
			return
		}
		again := decode(t, config{}, encode(t, table))
		if !bytes.Equal(encode(t, table), encode(t, again)) {
			t.Fatal("encodings differ")
		}
		learn(table, 1, 1, 2, 3)
		if err := base.Merge(table, again); err != nil {
			t.Fatal(err)
		}
		if s := table.Stats(); s.Bytes > model.DefaultLimits().Memory {
			t.Fatalf("%d bytes in memory", s.Bytes)
		}
	})
}
