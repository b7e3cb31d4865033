package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/reference"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/service"
	"github.com/winnow-proxy/winnow/proxy/admin"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
)

//go:generate go test -run TestReferenceIsCurrent -update .

// update says that the test should write docs/reference.md.
var update = flag.Bool("update", false, "write docs/reference.md") //nolint:gochecknoglobals // a flag of go test

// metrics are all metrics that the admin address of winnow serve can show.
func metrics() []prom.Family {
	var registry prom.Registry
	service.RegisterMetrics(&registry, emptyModels{})
	return registry.Families()
}

// emptyModels are models that have learned nothing.
type emptyModels struct{ admin.Models }

// Counters implements admin.Models.
func (emptyModels) Counters() cache.Counters { return cache.Counters{} }

// Health implements admin.Models.
func (emptyModels) Health() cache.Health { return cache.Health{} }

// Sharing implements admin.Models.
func (emptyModels) Sharing() (cache.Sharing, bool) {
	return cache.Sharing{Skipped: map[string]uint64{"key": 1}}, true
}

// The manual page has every public command and flag, and nothing that depends on this machine.
func TestManual(t *testing.T) {
	var out, errs strings.Builder
	if code := run(t.Context(), []string{"man"}, []string{"HOME=/home/mallow"}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	page := out.String()
	for _, want := range []string{".TH WINNOW 1 ", "\n.SS winnow models merge", `\fB\-\-listen\fR \fIADDR\fR`, "\n.SH EXIT STATUS", "~/.local/share/winnow"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "mallow") || strings.Contains(page, "complete") && strings.Contains(page, `complete\-words`) ||
		strings.ContainsFunc(page, func(r rune) bool { return r > 0x7e }) {
		t.Error("the page shows a folder of this machine, a hidden command, or bytes that troff can't read")
	}
}

// The reference in docs is the one that the code generates.
func TestReferenceIsCurrent(t *testing.T) {
	env := console.Environment{"HOME": "/home/mallow"}
	parser, _, err := newParser(&cli{}, env, nil, nil, func() {})
	if err != nil {
		t.Fatal(err)
	}
	var made strings.Builder
	if err := reference.Write(&made, reference.Source{Model: parser.Model, DataDir: env.DataDir(), Metrics: metrics()}); err != nil {
		t.Fatal(err)
	}
	got, file := made.String(), "../../docs/reference.md"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
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
	if strings.Contains(got, "mallow") || strings.Contains(got, "complete-words") {
		t.Error("the reference shows a folder of this machine or a hidden command")
	}
}
