package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/winnow-proxy/winnow/cmd/internal/cmdtest"
)

// TestMain lets the scripts run the test binary as winnow-eval.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"winnow-eval": main})
}

// TestScripts runs the scripts in testdata/script. Each is a session at the command line with the files that it needs.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			// The race detector's runtime sleeps for a second at the end of each process unless told not to.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Cmds:               map[string]func(*testscript.TestScript, bool, []string){"code": cmdtest.Code},
		RequireUniqueNames: true,
	})
}
