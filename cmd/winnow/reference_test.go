package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The reference is made from the code, and made anew when the code changes.
func TestReferenceIsCurrent(t *testing.T) {
	want, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	code, got, stderr := winnow(t, "reference")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("docs/reference.md is stale: run go generate ./cmd/winnow (-file +code):\n%s", d)
	}
	for _, row := range []string{"| `--listen ADDR` * | `WINNOW_LISTEN` | `127.0.0.1:8080` |", "| `winnow_stage_seconds` | histogram | stage |",
		"| `winnow_connections` | gauge | kind |", "| `winnow_requests_total` | counter |", "| `--data DIR` * | `WINNOW_DATA` | `~/.local/share/winnow` |"} {
		if !strings.Contains(got, row) {
			t.Errorf("there is no row %s", row)
		}
	}
	if strings.Contains(got, "winnow-data") || strings.Contains(got, "complete-words") {
		t.Error("the reference shows a folder of this machine, or a command that is not for people")
	}
}
