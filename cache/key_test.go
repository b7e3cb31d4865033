package cache

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-proxy/winnow/model"
)

func TestInstallationKeyIsMadeOnceAndPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	keys := make([]model.Key, 8)
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			var err error
			if keys[i], err = InstallationKey(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	again, err := InstallationKey(dir)
	must(t, err)
	for _, k := range keys {
		if k != again || k == (model.Key{}) {
			t.Fatal("several keys for one installation")
		}
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, keyName): 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %#o, want %#o", path, got, want)
		}
	}
	other, err := InstallationKey(t.TempDir())
	must(t, err)
	if other == again {
		t.Error("two installations share a key")
	}
}

func TestInstallationKeyRefuses(t *testing.T) {
	tests := []struct {
		name, content, want string
		mode                os.FileMode
	}{
		{"a file that others can read", model.NewKey().String(), "chmod 600", 0o644},
		{"a damaged file", "not a key", "restore it", 0o600},
		{"an empty file", "", "restore it", 0o600},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, keyName), []byte(tt.content), tt.mode))
			if _, err := InstallationKey(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

func TestInstallationKeyNeedsADirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if _, err := InstallationKey(file); err == nil {
		t.Error("no error")
	}
}
