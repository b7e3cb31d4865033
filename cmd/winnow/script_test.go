package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/winnow-proxy/winnow/cmd/internal/cmdtest"
)

// TestMain lets the scripts run the test binary as winnow.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"winnow": main})
}

// TestScripts runs the scripts in testdata/script. Each is a session at the command line with the files that it needs.
func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

func runScripts(t *testing.T, dir string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_DATA_HOME", "")
			// The race detector's runtime sleeps for a second at the end of each process unless told not to.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Values[processesKey{}] = processes{}
			env.Values[natsKey{}] = &natsState{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": cmdtest.Code, "gzip": compress, "crawl": crawled, "up": up, "down": down, "crash": crash, "origin": origin, "get": get, "hup": hup, "await": await, "garbage": garbage, "hostile": hostile, "unzip": unzip,
			"manifests": manifests, "haproxy": haproxy, "hold": hold, "nats": natsServer,
		},
		RequireUniqueNames: true,
	})
}

// garbage overwrites the middle of a file: garbage file.
func garbage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: garbage file")
	}
	b := []byte(ts.ReadFile(args[0]))
	for i := range b[len(b)/8:] {
		b[len(b)/8+i] = byte(i*7 + 1)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o600))
}

// hostile fills a folder with files that are not pages and whose names contain commands for a terminal: hostile dir.
func hostile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hostile dir")
	}
	for _, name := range []string{"\x1b]0;owned\a.html", "line\nwinnow: forged.html", "\xff\u202e.html"} {
		ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[0]), name), []byte("GIF89a"), 0o600))
	}
}

// unzip unpacks an archive into a folder: unzip file dir.
func unzip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unzip file dir")
	}
	z, err := zip.OpenReader(ts.MkAbs(args[0]))
	ts.Check(err)
	defer z.Close() //nolint:errcheck // it was only read
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), z))
}

// compress writes a gzip of a file: gzip from to.
func compress(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: gzip from to")
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(errors.Join(err, w.Close()))
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[1])), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o644))
}
