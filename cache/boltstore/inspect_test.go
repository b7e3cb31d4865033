package boltstore

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// inspectDir names the directory whose store the test binary inspects instead of running tests.
const inspectDir = "BOLTSTORE_INSPECT"

func inspector(dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), inspectDir+"="+dir)
	return cmd
}

// trustMe makes the test binary an inspector that finds every file sound.
const trustMe = "BOLTSTORE_TRUST_ME"

func trusting(string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), trustMe+"=1")
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

// A file that the inspector finds sound is not checked again, unless it has changed since.
func TestTrustsInspector(t *testing.T) {
	damaged := sample(t, 150, 2500)
	const branch = 1
	for at := 2 * os.Getpagesize(); at < len(damaged); at += os.Getpagesize() {
		if page := damaged[at:]; binary.NativeEndian.Uint16(page[8:]) == branch {
			clear(page[:os.Getpagesize()])
		}
	}
	for name, tc := range map[string]struct {
		inspector func(dir string) *exec.Cmd
		checked   bool
	}{
		"sound": {trusting, false},
		"changed": {func(dir string) *exec.Cmd {
			must(t, os.Chtimes(filepath.Join(dir, fileName), time.Time{}, time.Unix(1, 0)))
			return trusting(dir)
		}, true},
		"silent": {func(string) *exec.Cmd { return exec.Command(os.Args[0], "-test.list", "^$") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, fileName), damaged, 0o600))
			o := options(nil)
			o.Inspector = tc.inspector
			must(t, open(t, dir, o).Close())
			if aside := keptAside(t, dir, bytes.Clone(damaged)); aside != tc.checked {
				t.Errorf("set aside: %v", aside)
			}
		})
	}
}
