package boltstore

import (
	"context"
	"fmt"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
)

// benchHosts models of benchSize bytes represent the store of a gateway.
const (
	benchHosts = 10_000
	benchSize  = 30_000
)

func benchHost(h int) string { return fmt.Sprintf("host-%05d.example", h) }

// gateway makes a store of benchHosts models in a directory of its own.
func gateway(b *testing.B) (dir string) {
	dir = b.TempDir()
	s := open(b, dir, options(nil))
	for h := 0; h < benchHosts; h += 250 {
		batch := map[string][]byte{}
		for i := h; i < h+250; i++ {
			batch[benchHost(i)] = cache.Seal("sst", 7, benchHost(i), cache.Summary{Pages: i}, make([]byte, benchSize))
		}
		must(b, s.Save(context.Background(), batch))
	}
	must(b, s.Close())
	return dir
}

func BenchmarkGateway(b *testing.B) {
	dir := gateway(b)
	ctx := context.Background()
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			s, err := Open(dir, options(nil))
			must(b, err)
			must(b, s.Close())
		}
	})
	s := open(b, dir, options(nil))
	b.Run("load", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			_, err := s.Load(ctx, benchHost(i*7919%benchHosts))
			must(b, err)
		}
	})
	b.Run("stat", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			_, err := s.Stat(ctx, benchHost(i*7919%benchHosts))
			must(b, err)
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			_, err := s.List(ctx)
			must(b, err)
		}
	})
	b.Run("save", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			must(b, s.Save(ctx, map[string][]byte{benchHost(i * 7919 % benchHosts): make([]byte, benchSize)}))
		}
	})
	b.Run("delete", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			must(b, s.Delete(ctx, benchHost(i)))
		}
	})
}
