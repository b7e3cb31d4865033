package boltstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/winnow-proxy/winnow/cache"
)

func host(h int) string { return fmt.Sprintf("host-%03d.example", h) }

// seal returns a value that ends in a checksum, like those of package cache.
func seal(host string, size int) []byte {
	b := append([]byte(host+" "), bytes.Repeat([]byte{'x'}, size)...)
	return fmt.Appendf(b, "%08x", crc32.ChecksumIEEE(b))
}

func sound(host string, b []byte) bool {
	body, sum := b[:max(len(b)-8, 0)], b[max(len(b)-8, 0):]
	return strings.HasPrefix(string(body), host+" ") && fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) == string(sum)
}

// damage is one way to damage a file.
type damage struct {
	name string
	do   func(rng *rand.Rand, b []byte) []byte
}

func damages() []damage {
	return []damage{
		{"a byte", func(rng *rand.Rand, b []byte) []byte {
			b[rng.IntN(len(b))] ^= byte(1 + rng.IntN(255))
			return b
		}},
		{"a byte of a page header or element", func(rng *rand.Rand, b []byte) []byte {
			b[rng.IntN(len(b)/4096)*4096+rng.IntN(80)] ^= byte(1 + rng.IntN(255))
			return b
		}},
		{"a page of zeros", func(rng *rand.Rand, b []byte) []byte {
			clear(b[rng.IntN(len(b)/4096)*4096:][:4096])
			return b
		}},
		{"a page of noise", func(rng *rand.Rand, b []byte) []byte {
			page := b[rng.IntN(len(b)/4096)*4096:][:4096]
			for i := range page {
				page[i] = byte(rng.Uint32())
			}
			return b
		}},
		{"a page in the place of another", func(rng *rand.Rand, b []byte) []byte {
			copy(b[rng.IntN(len(b)/4096)*4096:][:4096], b[rng.IntN(len(b)/4096)*4096:][:4096])
			return b
		}},
		{"a cut", func(rng *rand.Rand, b []byte) []byte { return b[:1+rng.IntN(len(b)-1)] }},
	}
}

// sample returns a file with pages of every type: branches, leaves with and without overflow, small buckets, free
// pages.
func sample(t testing.TB, hosts, biggest int) []byte {
	t.Helper()
	dir := t.TempDir()
	s := open(t, dir, options(nil))
	ctx := context.Background()
	for round := range 3 {
		batch := map[string][]byte{}
		for h := range hosts {
			if h%3 == round || h%3 == 0 {
				batch[host(h)] = seal(host(h), (h*h*31)%biggest)
			}
		}
		must(t, s.Save(ctx, batch))
	}
	must(t, s.SetAside(ctx, host(hosts-1)))
	must(t, s.Close())
	b, err := os.ReadFile(filepath.Join(dir, fileName))
	must(t, err)
	return b
}

// A damaged file never keeps the store from opening or serving, and the store never returns a wrong value that passes
// its checksum.
func TestDamageBeforeOpen(t *testing.T) {
	const hosts = 150
	good := sample(t, hosts, 2500)
	var aside int
	for _, d := range damages() {
		t.Run(d.name, func(t *testing.T) {
			for seed := range uint64(40) {
				dir := t.TempDir()
				b := d.do(rand.New(rand.NewPCG(seed, 1)), bytes.Clone(good))
				must(t, os.WriteFile(filepath.Join(dir, fileName), b, 0o600))
				var log bytes.Buffer
				s := open(t, dir, options(&log))
				serves(t, s, hosts)
				must(t, s.Close())
				if kept := keptAside(t, dir, b); kept != strings.Contains(log.String(), "the model store can't be used") {
					t.Errorf("seed %d: file kept aside: %v, log: %s", seed, kept, &log)
				} else if kept {
					aside++
				}
			}
		})
	}
	if aside < 50 {
		t.Errorf("only %d files were set aside: the damage misses the structure", aside)
	}
}

// serves uses the store as Models does. A store that replaces its file reports it once per damage.
func serves(t *testing.T, s *Store, hosts int) {
	t.Helper()
	ctx := context.Background()
	resets := 0
	reset := func(err error) bool {
		if errors.Is(err, cache.ErrReset) {
			resets++
			return true
		}
		return false
	}
	for h := range hosts {
		b, err := s.Load(ctx, host(h))
		switch {
		case err == nil && sound(host(h), b) && !bytes.Equal(b, seal(host(h), (h*h*31)%2500)):
			t.Errorf("%s has a value that was never saved", host(h))
		case err != nil && !errors.Is(err, cache.ErrNotFound) && !reset(err):
			t.Errorf("load %s: %v", host(h), err)
		}
	}
	if err := s.SetAside(ctx, host(1)); err != nil && !reset(err) {
		t.Errorf("set aside: %v", err)
	}
	if _, err := s.List(ctx); err != nil && !reset(err) {
		t.Errorf("list: %v", err)
	}
	fresh := map[string][]byte{host(0): []byte("new"), "other.example": make([]byte, 9000)}
	if err := s.Save(ctx, fresh); err != nil {
		if !reset(err) {
			t.Errorf("save: %v", err)
		}
		must(t, s.Save(ctx, fresh))
	}
	if got := load(t, s, host(0)); got != "new" {
		t.Errorf("loaded %q after the save", got)
	}
	if resets > 1 {
		t.Errorf("replaced %d times for one damage", resets)
	}
}

// keptAside reports whether a renamed file has the damaged bytes.
func keptAside(t *testing.T, dir string, damaged []byte) bool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, fileName+".damaged-20261120T123015Z"))
	if err != nil {
		return false
	}
	if damaged != nil && !bytes.Equal(b, damaged) {
		t.Error("the file that was set aside was changed")
	}
	return true
}

// Damage to an open store reaches bbolt through the memory map, without a check.
func TestDamageUnderUse(t *testing.T) {
	const hosts = 150
	good := sample(t, hosts, 2500)
	var aside int
	for _, d := range damages() {
		t.Run(d.name, func(t *testing.T) {
			for seed := range uint64(25) {
				dir := t.TempDir()
				path := filepath.Join(dir, fileName)
				must(t, os.WriteFile(path, good, 0o600))
				s := open(t, dir, options(nil))
				rng := rand.New(rand.NewPCG(seed, 2))
				rewrite(t, path, d.do(rng, bytes.Clone(good)))
				serves(t, s, hosts)
				must(t, s.Close())
				if keptAside(t, dir, nil) {
					aside++
				}
			}
		})
	}
	if aside < 30 {
		t.Errorf("only %d files were set aside: the damage misses the structure", aside)
	}
}

// rewrite changes the file in place, so that processes that have it open see it.
func rewrite(t *testing.T, path string, b []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteAt(b, 0)
	must(t, err)
	must(t, f.Truncate(int64(len(b))))
	must(t, f.Close())
}

func TestFileEmptiedUnderUse(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, options(nil))
	save(t, s, "a.example", strings.Repeat("x", 50_000))
	must(t, os.Truncate(filepath.Join(dir, fileName), 0))
	if _, err := s.Load(context.Background(), "a.example"); !errors.Is(err, cache.ErrReset) {
		t.Errorf("error %v, want ErrReset", err)
	}
	save(t, s, "a.example", "again")
	if got := load(t, s, "a.example"); got != "again" {
		t.Errorf("loaded %q", got)
	}
}

// A store whose file was removed reports it at the next save. A file that was put in its place is used.
func TestFileRemovedOrReplacedUnderUse(t *testing.T) {
	ctx := context.Background()
	for _, replaced := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, fileName)
		backup := open(t, dir, options(nil))
		save(t, backup, "old.example", "one")
		must(t, backup.Close())
		must(t, os.Rename(path, path+".backup"))

		s := open(t, dir, options(nil))
		save(t, s, "a.example", "one")
		must(t, os.Remove(path))
		want := "b.example"
		if replaced {
			must(t, os.Rename(path+".backup", path))
			want = "b.example old.example"
		}
		if err := s.Save(ctx, map[string][]byte{"b.example": []byte("two")}); !errors.Is(err, cache.ErrReset) {
			t.Errorf("error %v, want ErrReset", err)
		}
		save(t, s, "b.example", "two")
		if got := list(t, s); got != want {
			t.Errorf("replaced %v: list %s, want %s", replaced, got, want)
		}
		if keptAside(t, dir, nil) {
			t.Error("a sound file was set aside")
		}
	}
}

// Damage that leaves a sound tree with wrong contents shows only when bbolt reads these.
func TestBucketThatBecameAValue(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, options(nil))
	save(t, s, "a.example", "one")
	must(t, s.file.db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(modelsBucket))
		return errors.Join(b.DeleteBucket([]byte("sst")), b.Put([]byte("sst"), []byte("a value")))
	}))
	if got := load(t, s, "a.example"); got != "" {
		t.Errorf("loaded %q", got)
	}
	if err := s.Save(context.Background(), map[string][]byte{"b.example": []byte("two")}); !errors.Is(err, cache.ErrReset) {
		t.Errorf("error %v, want ErrReset", err)
	}
	save(t, s, "b.example", "two")
	if got := list(t, s); got != "b.example" || !keptAside(t, dir, nil) {
		t.Errorf("list %s; file kept aside: %v", got, keptAside(t, dir, nil))
	}
}

// A file that the check finds sound after a failure stays in use once. After a second failure it is replaced.
func TestFileIsNotReplacedOnAFirstImpression(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, options(nil))
	save(t, s, "a.example", "one")
	fail := func() error {
		return s.use(context.Background(), "load", func(*file) error { return damaged("a passing fault") })
	}
	if err := fail(); err == nil || errors.Is(err, cache.ErrReset) || keptAside(t, dir, nil) {
		t.Errorf("error %v; file kept aside: %v", err, keptAside(t, dir, nil))
	}
	if got := load(t, s, "a.example"); got != "one" {
		t.Errorf("loaded %q", got)
	}
	if err := fail(); !errors.Is(err, cache.ErrReset) || !keptAside(t, dir, nil) {
		t.Errorf("error %v; file kept aside: %v", err, keptAside(t, dir, nil))
	}
	if got := load(t, s, "a.example"); got != "" {
		t.Errorf("loaded %q from a fresh store", got)
	}
}

// A file that ended several processes during its check is set aside unchecked.
func TestFileThatEndsProcesses(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, options(nil))
	save(t, s, "a.example", "one")
	must(t, s.Close())
	mark := filepath.Join(dir, fileName+checkingSuffix)
	for deaths := range maxDeaths + 1 {
		must(t, os.WriteFile(mark, fmt.Appendln(nil, deaths), 0o600))
		s = open(t, dir, options(nil))
		if got, kept := load(t, s, "a.example"), keptAside(t, dir, nil); kept != (deaths == maxDeaths) || kept != (got == "") {
			t.Errorf("after %d deaths: loaded %q, file kept aside: %v", deaths, got, kept)
		}
		must(t, s.Close())
		if exists(mark) {
			t.Error("the count is left behind")
		}
	}
}

// Whatever bytes of a file change, the store opens and serves. Each three bytes of the input are an offset in pages, an
// offset in the page and the bits to flip there.
func FuzzDamagedFile(f *testing.F) {
	files := [][]byte{sample(f, 3, 100), sample(f, 120, 400), sample(f, 30, 9000)}
	for _, at := range []byte{0, 8, 10, 12, 16, 20, 24, 28, 32, 40, 60} {
		f.Add(byte(0), []byte{3, at, 1})
		f.Add(byte(1), []byte{2, at, 255, 7, at, 255})
		f.Add(byte(2), []byte{0, at, 8, 1, at, 8})
	}
	f.Add(byte(0), []byte("170"))             // damage that no check sees
	f.Add(byte(1), []byte("\xff(\xff"))       // a bucket's head inside another's pages
	f.Add(byte(1), []byte("\x03\x0f\x01"))    // a page of 64 GiB
	f.Add(byte('+'), []byte("000yA0000AG\b")) // a key beyond the end, in a page above the values
	f.Fuzz(func(t *testing.T, file byte, patches []byte) {
		b := bytes.Clone(files[int(file)%len(files)])
		for ; len(patches) >= 3; patches = patches[3:] {
			b[(int(patches[0])*4096+int(patches[1]))%len(b)] ^= patches[2]
		}
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, fileName), b, 0o600))
		s := open(t, dir, options(nil))
		for h := range 120 {
			if _, err := s.Load(context.Background(), host(h)); errors.Is(err, cache.ErrReset) {
				break
			}
		}
		var err error
		for range 3 { // once for each: damage that no check finds, that this is believed, and a fresh file
			if err = s.Save(context.Background(), map[string][]byte{"new.example": make([]byte, 5000)}); err == nil {
				break
			}
		}
		must(t, err)
		if got := load(t, s, "new.example"); len(got) != 5000 {
			t.Errorf("loaded %d bytes", len(got))
		}
	})
}
