package cache_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
)

func TestCopyKey(t *testing.T) {
	from, other := t.TempDir(), t.TempDir()
	want, err := cache.InstallationKey(from)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cache.InstallationKey(other); err != nil {
		t.Fatal(err)
	}
	file, to := filepath.Join(from, "key"), filepath.Join(t.TempDir(), "new")
	if cache.HasKey(to) {
		t.Error("a missing folder has a key")
	}
	for range 2 { // the second time it is there already
		if err := cache.CopyKey(file, to); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := cache.InstallationKey(to); err != nil || got != want || !cache.HasKey(to) {
		t.Errorf("another key, or %v", err)
	}
	if err := cache.CopyKey(filepath.Join(other, "key"), to); !errors.Is(err, cache.ErrOtherKey) {
		t.Errorf("another key: %v", err)
	}
	if err := cache.CopyKey(filepath.Join(from, "none"), t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing key: %v", err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := cache.CopyKey(file, t.TempDir()); err == nil {
		t.Error("a key that others can read is copied")
	}
}
