package durable

import (
	"os"
	"path/filepath"
	"testing"
)

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
