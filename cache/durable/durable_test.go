package durable

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Of several processes that create a file at once, one decides, and no temporary file is left.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := Create(file, bytes.Repeat([]byte{byte('a' + i)}, 10_000), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	b, err := os.ReadFile(file)
	info, _ := os.Stat(file)
	if err != nil || len(b) != 10_000 || bytes.Count(b, b[:1]) != len(b) || info.Mode().Perm() != 0o644 {
		t.Errorf("%d bytes, %v, %v", len(b), err, info.Mode())
	}
	if err := Create(filepath.Join(dir, "missing", "key"), nil, 0o600); err == nil {
		t.Error("a file was made in a folder that does not exist")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.json")
	for _, want := range []string{"one", "two"} {
		if err := Replace(file, []byte(want)); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(file)
		info, _ := os.Stat(file)
		if err != nil || string(b) != want || info.Mode().Perm() != 0o600 {
			t.Errorf("%q, %v, %v", b, err, info.Mode())
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(filepath.Join(dir, "folder"), nil); err == nil {
		t.Error("a folder was replaced")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
