package boltstore

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"
)

// Whatever is saved and deleted, the check finds nothing wrong with what bbolt wrote, and neither does bbolt's own,
// slower check.
func TestCheckAcceptsWhatBoltWrites(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		hosts := rapid.IntRange(1, 1500).Draw(rt, "hosts")
		biggest := rapid.IntRange(1, 9000).Draw(rt, "biggest")
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		s, err := Open(dir, options(nil))
		must(t, err)
		for range rapid.IntRange(1, 12).Draw(rt, "rounds") {
			if rng.IntN(3) > 0 {
				saveSome(t, s, rng, hosts, biggest)
			} else {
				deleteSome(t, s, rng, hosts)
			}
			must(t, s.SetAside(context.Background(), anyHost(rng, hosts)))
			if err := s.file.check(); err != nil {
				rt.Fatal(err)
			}
		}
		must(t, s.file.db.View(func(tx *bolt.Tx) error {
			for err := range tx.Check() {
				rt.Error(err)
			}
			return nil
		}))
		must(t, s.Close())
	})
}

func anyHost(rng *rand.Rand, hosts int) string { return host(rng.IntN(hosts) * 7919 % 10_007) }

func saveSome(t *testing.T, s *Store, rng *rand.Rand, hosts, biggest int) {
	t.Helper()
	batch := map[string][]byte{}
	for range rng.IntN(1 + rng.IntN(200)) {
		batch[anyHost(rng, hosts)] = make([]byte, rng.IntN(biggest))
	}
	must(t, s.Save(context.Background(), batch))
}

func deleteSome(t *testing.T, s *Store, rng *rand.Rand, hosts int) {
	t.Helper()
	must(t, s.file.update(func(tx *bolt.Tx) error {
		b, err := makeBucket(tx, modelsBucket, "sst")
		for range rng.IntN(300) {
			err = errors.Join(err, b.Delete([]byte(anyHost(rng, hosts))))
		}
		return err
	}))
}

// bytesImage is the image of a file in memory.
type bytesImage struct{ *bytes.Reader }

func (b bytesImage) Size() (int64, error) { return b.Reader.Size(), nil }

// sample returns a file with pages of every sort: branches, leaves with and without overflow, inline buckets, free
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
	must(t, s.Delete(ctx, host(hosts-2)))
	must(t, s.Close())
	b, err := os.ReadFile(filepath.Join(dir, fileName))
	must(t, err)
	return b
}

func TestCheckRefusesMisusedPages(t *testing.T) {
	good := sample(t, 200, 3000)
	must(t, check(bytesImage{bytes.NewReader(good)}))
	m, err := readMeta(bytesImage{bytes.NewReader(good)})
	must(t, err)
	page := func(b []byte, id uint64) []byte { return b[id*uint64(m.pageSize):][:m.pageSize] }
	for name, damage := range map[string]func(b []byte){
		"root of another type":      func(b []byte) { page(b, m.root)[8] = 0x04 },
		"root in a false place":     func(b []byte) { page(b, m.root)[0]++ },
		"root too long":             func(b []byte) { page(b, m.root)[13] = 0xFF },
		"too many elements":         func(b []byte) { page(b, m.root)[11] = 0xFF },
		"free list of another type": func(b []byte) { page(b, m.freelist)[8] = leafFlag },
		"free list too long":        func(b []byte) { page(b, m.freelist)[11] = 0x10 },
		"root is free":              func(b []byte) { copy(page(b, m.freelist)[headerSize:], page(b, m.root)[:8]) },
		"both metas":                func(b []byte) { b[headerSize+20]++; b[m.pageSize+headerSize+20]++ },
	} {
		b := bytes.Clone(good)
		damage(b)
		if bytes.Equal(b, good) {
			t.Errorf("%s: nothing was damaged", name)
		}
		if err := check(bytesImage{bytes.NewReader(b)}); !errors.Is(err, errDamaged) {
			t.Errorf("%s: error %v, want errDamaged", name, err)
		}
	}
}

func TestCheckRefusesEveryShorterFile(t *testing.T) {
	good := sample(t, 50, 3000)
	m, err := readMeta(bytesImage{bytes.NewReader(good)})
	must(t, err)
	for size := int64(1); size < int64(m.pages)*int64(m.pageSize); size += 509 {
		if err := check(bytesImage{bytes.NewReader(good[:size])}); !errors.Is(err, errDamaged) {
			t.Fatalf("cut to %d bytes: error %v, want errDamaged", size, err)
		}
	}
}

// What the check lets through, bbolt opens, walks and writes without a panic or a fault. The input patches a sound file:
// each three bytes are an offset in pages, an offset in the page and what to flip there.
func FuzzCheck(f *testing.F) {
	files := [][]byte{sample(f, 3, 100), sample(f, 120, 400), sample(f, 30, 9000)}
	for _, at := range []byte{0, 8, 10, 12, 16, 20, 24, 28, 32, 40, 60} {
		f.Add(byte(0), []byte{3, at, 1})
		f.Add(byte(1), []byte{2, at, 255, 7, at, 255})
		f.Add(byte(2), []byte{0, at, 8, 1, at, 8})
	}
	f.Fuzz(func(t *testing.T, file byte, patches []byte) {
		b := bytes.Clone(files[int(file)%len(files)])
		for ; len(patches) >= 3; patches = patches[3:] {
			b[(int(patches[0])*4096+int(patches[1]))%len(b)] ^= patches[2]
		}
		if err := check(bytesImage{bytes.NewReader(b)}); err != nil {
			if !errors.Is(err, errDamaged) {
				t.Fatalf("error %v, want errDamaged", err)
			}
			return
		}
		path := filepath.Join(t.TempDir(), fileName)
		must(t, os.WriteFile(path, b, 0o600))
		must(t, contain(func() error { return walk(path) }))
	})
}

// FuzzCheckAnything: no file makes the check itself fail otherwise than in good order.
func FuzzCheckAnything(f *testing.F) {
	f.Add(sample(f, 1, 10)[:8192])
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := check(bytesImage{bytes.NewReader(b)}); err != nil && !errors.Is(err, errDamaged) {
			t.Fatalf("error %v, want errDamaged", err)
		}
	})
}

// walk reads every key and value of a file through bbolt, and writes a value.
func walk(path string) error {
	db, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true, NoGrowSync: true})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // the file is damaged, and may not close as it should
	total := 0
	err = db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bolt.Bucket) error {
			if b == nil {
				return nil // a value where buckets should be
			}
			return walkBucket(b, &total)
		})
	})
	if err != nil {
		return err
	}
	return db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("new"))
		if err != nil {
			return err
		}
		return b.Put([]byte("key"), make([]byte, 5000))
	})
}

func walkBucket(b *bolt.Bucket, total *int) error {
	return b.ForEach(func(k, v []byte) error {
		if v == nil {
			if below := b.Bucket(k); below != nil {
				return walkBucket(below, total)
			}
		}
		for _, c := range v {
			*total += int(c)
		}
		return nil
	})
}

func BenchmarkCheck(b *testing.B) {
	file := sample(b, 2000, 30_000)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		must(b, check(bytesImage{bytes.NewReader(file)}))
	}
}
