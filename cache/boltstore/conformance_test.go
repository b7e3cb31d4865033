package boltstore

import (
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/storetest"
)

func TestConformance(t *testing.T) {
	dir := t.TempDir()
	storetest.Run(t, func(name string) (cache.Store, error) {
		o := options(nil)
		o.Detector, o.KeyID, o.MaxBytes = storetest.Detector, storetest.KeyID, 64<<20
		return Open(filepath.Join(dir, filepath.Base(name)), o)
	})
}
