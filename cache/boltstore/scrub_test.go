package boltstore

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// secret is what must not be found in a file: it is spread all over a value of the given size.
func secret(name string, size int) string {
	return strings.Repeat("secret of "+name+". ", max(1, size/(len(name)+12)))
}

func fileHas(t *testing.T, dir, text string) bool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, fileName))
	must(t, err)
	return bytes.Contains(b, []byte(text))
}

// bbolt leaves the bytes of what is deleted in its free pages. Forgetting must leave nothing: neither of a value, nor of
// its earlier versions, nor of the host's name, whatever their sizes and wherever they were.
func TestDeleteLeavesNoTrace(t *testing.T) {
	for _, size := range []int{10, 900, 5000, 70_000} {
		dir := t.TempDir()
		s := open(t, dir, options(nil))
		rng := rand.New(rand.NewPCG(1, uint64(size)))
		for round := range 6 {
			batch := map[string][]byte{}
			for h := range 30 {
				if round == 0 || rng.IntN(2) == 0 {
					batch[host(h)] = []byte(secret(host(h), size+rng.IntN(size)))
				}
			}
			must(t, s.Save(context.Background(), batch))
		}
		must(t, s.SetAside(context.Background(), host(3)))
		save(t, s, host(3), secret(host(3), size))
		other := open2(t, s, dir, "blend")
		save(t, other, host(3), secret(host(3), size))
		for _, h := range []int{3, 0, 29, 17} {
			if !fileHas(t, dir, "secret of "+host(h)) {
				t.Fatal("the secret is not in the file to begin with")
			}
			must(t, other.Delete(context.Background(), host(h)))
			if fileHas(t, dir, host(h)) {
				t.Errorf("values of %d bytes: the file still has %s", size, host(h))
			}
		}
		must(t, other.Close())
		s = open(t, dir, options(nil))
		for h := range 30 {
			if forgotten := h == 3 || h == 0 || h == 29 || h == 17; forgotten == (load(t, s, host(h)) != "") {
				t.Errorf("host %d: forgotten %v", h, forgotten)
			}
		}
		must(t, check(diskImage{s.file.disk}))
	}
}

// open2 closes s and opens the store for another detector.
func open2(t *testing.T, s *Store, dir, detector string) *Store {
	t.Helper()
	must(t, s.Close())
	o := options(nil)
	o.Detector = detector
	return open(t, dir, o)
}

// A process that dies between the deletion and the scrub leaves the rest to the next start.
func TestScrubIsMadeUpFor(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, options(nil))
	save(t, s, "a.example", secret("a.example", 50_000), "b.example", "kept")
	must(t, s.file.update(func(tx *bolt.Tx) error { return deleteAll(tx, "a.example") }))
	must(t, s.Close())
	if !fileHas(t, dir, "secret of a.example") {
		t.Fatal("there is nothing to scrub")
	}
	s = open(t, dir, options(nil))
	if fileHas(t, dir, "a.example") {
		t.Error("the file still has what was deleted")
	}
	if got := load(t, s, "b.example"); got != "kept" {
		t.Errorf("b.example: %q", got)
	}
}

// Both meta pages lead to sound trees after a scrub: a torn write of the newer must not cost the file.
func TestScrubLeavesBothMetaPagesSound(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, options(nil))
	for h := range 20 {
		save(t, s, host(h), secret(host(h), 9000))
	}
	must(t, s.Delete(context.Background(), host(4)))
	must(t, s.Close())
	path := filepath.Join(dir, fileName)
	whole, err := os.ReadFile(path)
	must(t, err)
	for meta := range 2 {
		torn := bytes.Clone(whole)
		clear(torn[meta*os.Getpagesize()+headerSize:][:metaSize])
		must(t, os.WriteFile(path, torn, 0o600))
		s := open(t, dir, options(nil))
		if got := load(t, s, host(5)); got != secret(host(5), 9000) {
			t.Errorf("with meta page %d torn, a value is lost", meta)
		}
		must(t, s.Close())
	}
}

// Loads go on while deletions scrub.
func TestScrubBesideLoads(t *testing.T) {
	s := open(t, t.TempDir(), options(nil))
	for h := range 40 {
		save(t, s, host(h), secret(host(h), 3000))
	}
	done := make(chan error, 4)
	for g := range cap(done) {
		go func() {
			for h := range 400 {
				name := host(20 + (h+g)%20)
				if b, err := s.Load(context.Background(), name); err != nil || string(b) != secret(name, 3000) {
					done <- fmt.Errorf("%s: %d bytes, %w", name, len(b), err)
					return
				}
			}
			done <- nil
		}()
	}
	for h := range 20 {
		must(t, s.Delete(context.Background(), host(h)))
	}
	for range cap(done) {
		must(t, <-done)
	}
}
