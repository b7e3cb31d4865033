package boltstore

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// inspectDir names the directory whose store the test binary inspects instead of running tests.
const inspectDir = "BOLTSTORE_INSPECT"

func inspector(dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), inspectDir+"="+dir)
	return cmd
}

// makeCycle makes a branch page of a bbolt file point to itself, as one flipped bit can do. The head of a page has the
// page's number in the first 8 bytes and its kind in the next two. The element after the head ends in the number of the
// first child.
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

// A file that ends every process that follows its pages does not end the process that opens it.
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

// Sound files, and those that the check refuses, are opened in the same way as without an inspector.
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
