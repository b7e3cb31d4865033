package boltstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
)

// secret is text that must not be found in a file. It fills a value of the given size.
func secret(name string, size int) string {
	return strings.Repeat("secret of "+name+". ", max(1, size/(len(name)+12)))
}

func fileHas(t *testing.T, dir, text string) bool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, fileName))
	must(t, err)
	return bytes.Contains(b, []byte(text))
}

// bbolt leaves deleted bytes in its free pages. Forgetting must leave nothing: no value, no earlier version of it and
// no host name, whatever their sizes and positions.
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
		must(t, s.file.check())
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

// The next start overwrites and removes what a killed process left beside the store.
func TestLeftoversAreErased(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, options(nil))
	save(t, s, "b.example", "kept")
	must(t, s.Close())
	for _, suffix := range []string{newSuffix, oldSuffix} {
		must(t, os.WriteFile(filepath.Join(dir, fileName+suffix), []byte(secret("a.example", 50_000)), 0o600))
	}
	// A second link shows what happens to the bytes.
	watched := filepath.Join(t.TempDir(), "old")
	must(t, os.Link(filepath.Join(dir, fileName+oldSuffix), watched))
	s = open(t, dir, options(nil))
	if got := load(t, s, "b.example"); got != "kept" {
		t.Errorf("b.example: %q", got)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the data directory holds %v (%v), want the store alone", entries, err)
	}
	if b, err := os.ReadFile(watched); err != nil || bytes.Contains(b, []byte("secret")) {
		t.Errorf("the bytes were not overwritten (%v)", err)
	}
	if kept := KeptFiles(dir); len(kept) > 0 {
		t.Errorf("kept %v", kept)
	}
}

// The file that a deletion replaces is overwritten, not only unlinked. A process that is killed within a swap, when the
// old file has its second name and the copy not yet its first, leaves two names of one file, which is the store.
func TestKilledBetweenTheNames(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, options(nil))
	save(t, s, "a.example", "kept")
	must(t, s.Close())
	must(t, os.Link(s.path, s.path+oldSuffix))
	for range 2 {
		s = open(t, dir, options(nil))
		if got := load(t, s, "a.example"); got != "kept" {
			t.Errorf("loaded %q", got)
		}
		must(t, s.Close())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the data directory holds %v (%v), want the store alone", entries, err)
	}
}

func TestDeleteOverwritesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, options(nil))
	save(t, s, "a.example", secret("a.example", 50_000), "b.example", "kept")
	watched := filepath.Join(t.TempDir(), "old")
	must(t, os.Link(filepath.Join(dir, fileName), watched))
	must(t, s.Delete(context.Background(), "a.example"))
	b, err := os.ReadFile(watched)
	must(t, err)
	if len(b) == 0 || len(bytes.Trim(b, "\x00")) > 0 {
		t.Errorf("the old file has %d bytes, not all of them zero", len(b))
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the data directory holds %v (%v), want the store alone", entries, err)
	}
}

// A deletion that fails returns an error and leaves the store as it was.
func TestDeleteWithoutRoomForACopy(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, options(nil))
	save(t, s, "a.example", "one", "b.example", "two")
	must(t, os.Mkdir(filepath.Join(dir, fileName+newSuffix), 0o700)) // where the copy should be
	err := s.Delete(context.Background(), "a.example")
	if err == nil || errors.Is(err, cache.ErrReset) {
		t.Errorf("error %v", err)
	}
	if got := list(t, s); got != "a.example b.example" {
		t.Errorf("list %s", got)
	}
}

// Loads run while deletions copy the file.
func TestLoadsBesideDeletions(t *testing.T) {
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
