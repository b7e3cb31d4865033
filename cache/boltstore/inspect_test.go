package boltstore

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// inspectDir names the directory whose store the test binary inspects in place of running tests.
const inspectDir = "BOLTSTORE_INSPECT"

func inspector(dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), inspectDir+"="+dir)
	return cmd
}

// makeCycle has a branch page of a bbolt file lead back to itself, as one flipped bit can do. In the page's head, bbolt
// has its number in the first 8 bytes and its kind in the next two; the first child's number ends the element that
// follows the head.
func makeCycle(t *testing.T, b []byte) {
	t.Helper()
	const branch, head, child = 1, 16, 8
	for at := 2 * os.Getpagesize(); at < len(b); at += os.Getpagesize() {
		if page := b[at:]; binary.NativeEndian.Uint16(page[8:]) == branch {
			copy(page[head+child:], page[:8])
			return
		}
	}
	t.Fatal("the file has no branch page")
}

// A file that ends each process that follows its pages does not end the one that opens it.
func TestCycleOfPages(t *testing.T) {
	dir := t.TempDir()
	b := sample(t, 150, 2500)
	makeCycle(t, b)
	if err := os.WriteFile(filepath.Join(dir, fileName), b, 0o600); err != nil {
		t.Fatal(err)
	}
	o := options(nil)
	o.Inspector = inspector
	s := open(t, dir, o)
	if !keptAside(t, dir, b) {
		t.Error("the file was not set aside")
	}
	serves(t, s, 150)
}

// Sound files, and those that the check refuses, are opened as without an inspector.
func TestInspectorRefusesNothingItself(t *testing.T) {
	dir := t.TempDir()
	o := options(nil)
	o.Inspector = inspector
	s := open(t, dir, o)
	save(t, s, "a.example", "one")
	must(t, s.Close())
	s = open(t, dir, o)
	if got := load(t, s, "a.example"); got != "one" {
		t.Errorf("loaded %q", got)
	}
	must(t, s.Close())
	must(t, os.WriteFile(filepath.Join(dir, fileName), []byte("garbage"), 0o600))
	s = open(t, dir, o)
	if got := list(t, s); got != "" || !keptAside(t, dir, []byte("garbage")) {
		t.Errorf("list %q", got)
	}
}
