package main

import (
	"errors"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts run the test binary as winnow-eval.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"winnow-eval": main})
}

// TestScripts runs testdata/script: each a session at the command line, with the files that it needs.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			// The race detector's runtime sleeps for a second at the end of each process unless told not to.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Cmds:               map[string]func(*testscript.TestScript, bool, []string){"code": code},
		RequireUniqueNames: true,
	})
}

// code runs a command that should end with an exit code: code 2 winnow-eval --nonesuch.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command args...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}
