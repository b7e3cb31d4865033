//go:build full

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
)

// The Debian package has what its unit names, keeps settings that somebody has changed over an upgrade and a removal,
// and leaves nothing after a purge. dpkg installs it into a folder.
func TestDebianPackage(t *testing.T) {
	deb := os.Getenv("WINNOW_DEB")
	if deb == "" {
		t.Skip("WINNOW_DEB names no package: .ci/full release makes one and runs this test")
	}
	root := t.TempDir()
	for _, dir := range []string{"info", "updates"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dpkg := func(args ...string) {
		t.Helper()
		all := append([]string{"--root=" + root, "--log=" + root + "/dpkg.log", "--force-script-chrootless",
			"--force-not-root", "--force-architecture"}, args...)
		if out, err := exec.Command("dpkg", all...).CombinedOutput(); err != nil {
			t.Fatalf("dpkg %v: %v\n%s", args, err, out)
		}
	}
	dpkg("--install", deb)
	unit, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/winnow.service"))
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(unit), "ExecStart=")
	line, _, _ = strings.Cut(line, "\n")
	args := strings.Fields(line)
	config := slices.Index(args, "--config") + 1
	settings := filepath.Join(root, args[config])
	args[config] = settings
	if _, err := parse(args[1:], console.Environment{}); err != nil {
		t.Errorf("%s: %v", line, err)
	}
	if info, err := os.Stat(filepath.Join(root, args[0])); err != nil || info.Mode().Perm() != 0o755 {
		t.Error(info, err)
	}
	if err := os.MkdirAll(filepath.Join(root, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "bin/kill"), []byte("#!/bin/sh\n"), 0o755); err != nil { // another package's
		t.Fatal(err)
	}
	verify := exec.Command("systemd-analyze", "--root="+root, "--man=no", "--recursive-errors=no", "verify", "winnow.service")
	if out, err := verify.CombinedOutput(); err != nil && !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	mine := []byte("listen: 127.0.0.1:3128\n")
	if err := os.WriteFile(settings, mine, 0o644); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(root, "var/lib/private/winnow")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, step := range [][]string{{"--install", deb}, {"--remove", "winnow"}} {
		dpkg(step...)
		if got, err := os.ReadFile(settings); err != nil || !bytes.Equal(got, mine) {
			t.Errorf("after %v the settings are %q, %v", step, got, err)
		}
	}
	dpkg("--purge", "winnow")
	for _, path := range []string{settings, filepath.Dir(settings), state} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after a purge there is %s: %v", path, err)
		}
	}
}
