package boltstore

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cache"
)

// bounded are options with a bound.
func bounded(limit int64, log *bytes.Buffer) Options {
	o := options(log)
	o.MaxBytes = limit
	return o
}

// aged is a value that was last seen age minutes after a fixed time.
func aged(age, size int) []byte {
	seen := time.Date(2026, 11, 19, 0, age, 0, 0, time.UTC)
	return cache.Seal("sst", 7, "h", cache.Summary{Pages: 5, LastSeen: seen}, bytes.Repeat([]byte{'x'}, size))
}

func fileSize(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, fileName))
	must(t, err)
	return info.Size()
}

// The file never exceeds its bound, every save succeeds, and the least useful models are removed.
func TestFileStaysWithinItsBound(t *testing.T) {
	const limit = 4 << 20
	dir := t.TempDir()
	var log bytes.Buffer
	s := open(t, dir, bounded(limit, &log))
	rng := rand.New(rand.NewPCG(3, 4))
	newest := map[string]int{}
	for round := range 150 {
		batch := map[string][]byte{}
		for range 1 + rng.IntN(12) {
			name := host(rng.IntN(400))
			batch[name] = aged(round+1, rng.IntN(30_000))
			newest[name] = round
		}
		must(t, s.Save(context.Background(), batch))
		if size := fileSize(t, dir); size > limit {
			t.Fatalf("round %d: the file has %d bytes", round, size)
		}
		for name, v := range batch {
			if got := load(t, s, name); got != string(v) {
				t.Fatalf("round %d: %s was not saved", round, name)
			}
		}
	}
	kept, oldest, youngestGone := 0, 1<<30, 0
	for name, age := range newest {
		if load(t, s, name) != "" {
			kept++
			oldest = min(oldest, age)
		} else {
			youngestGone = max(youngestGone, age)
		}
	}
	if youngestGone > oldest {
		t.Errorf("a host last seen in round %d is gone, one of round %d is there", youngestGone, oldest)
	}
	if kept < 40 || s.Evicted() == 0 || !strings.Contains(log.String(), "the model store is full") {
		t.Errorf("%d hosts kept, %d evicted, log: %.300s", kept, s.Evicted(), log.String())
	}
	if size, bound := s.Size(); size != fileSize(t, dir) || bound != limit {
		t.Errorf("Size says %d of %d", size, bound)
	}
	must(t, s.file.check())
}

// Values of other detectors and values that were set aside count towards the bound.
func TestEverythingCountsTowardsTheBound(t *testing.T) {
	const limit = 2 << 20
	dir := t.TempDir()
	o := bounded(limit, nil)
	o.Detector = "other"
	s := open(t, dir, o)
	for h := range 40 {
		must(t, s.Save(context.Background(), map[string][]byte{host(h): aged(h+1, 20_000)}))
	}
	must(t, s.SetAside(context.Background(), host(39)))
	must(t, s.Close())
	s = open(t, dir, bounded(limit, nil))
	for h := range 60 {
		must(t, s.Save(context.Background(), map[string][]byte{host(h): aged(100+h, 20_000)}))
	}
	if size := fileSize(t, dir); size > limit || s.Evicted() == 0 {
		t.Errorf("%d bytes, %d evicted", size, s.Evicted())
	}
}

// A file that is larger than a lowered bound is shrunk to it.
func TestLoweredBound(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, bounded(0, nil))
	for h := range 120 {
		must(t, s.Save(context.Background(), map[string][]byte{host(h): aged(h+1, 30_000)}))
	}
	must(t, s.Close())
	before := fileSize(t, dir)
	const limit = 2 << 20
	s = open(t, dir, bounded(limit, nil))
	if size := fileSize(t, dir); size > limit || before <= limit {
		t.Errorf("%d bytes, before %d", size, before)
	}
	if load(t, s, host(119)) == "" || load(t, s, host(0)) != "" {
		t.Error("a model other than the oldest was removed")
	}
	must(t, s.Save(context.Background(), map[string][]byte{"new": aged(1000, 30_000)}))
	if left, err := filepath.Glob(filepath.Join(dir, "*.new")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
