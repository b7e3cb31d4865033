package conformance_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-proxy/winnow/proxy/internal/conformance"
)

var update = flag.Bool("update", false, "write CONFORMANCE.md anew") //nolint:gochecknoglobals // a flag of the test

//go:generate go test . -run TestDocument -update

// readReports returns the stored reports, winnow's first.
func readReports(t *testing.T) []conformance.Report {
	t.Helper()
	var reports []conformance.Report
	for _, name := range []string{"winnow", "mitmproxy", "privoxy", "squid"} {
		b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := conformance.ReadReport(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	return reports
}

// TestDocument checks that CONFORMANCE.md matches the list and the reports.
func TestDocument(t *testing.T) {
	reports := readReports(t)
	var want bytes.Buffer
	if err := conformance.WriteDocument(&want, reports); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "CONFORMANCE.md")
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("CONFORMANCE.md is stale: run go generate ./proxy/internal/conformance (%v)", err)
	}
}

// TestReportsAreComplete checks that all proxies were checked with the current list, and that winnow met it.
func TestReportsAreComplete(t *testing.T) {
	for _, r := range readReports(t) {
		for _, req := range conformance.Requirements() {
			for _, way := range req.Ways {
				mark := r.Results[req.ID][way.String()]
				if mark == "" || r.Name == "winnow" && mark != "met" {
					t.Errorf("%s, %s over %s: %q; run proxy/internal/conformance/peers.sh", r.Name, req.ID, way, mark)
				}
			}
		}
	}
}

func TestRequirementsAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range conformance.Requirements() {
		if seen[r.ID] || r.ID == "" || r.Source == "" || r.Text == "" || len(r.Ways) == 0 || r.Check == nil {
			t.Errorf("%q is listed twice, or incomplete", r.ID)
		}
		seen[r.ID] = true
	}
	for _, id := range conformance.GuidelineTests() {
		if !seen[id] {
			t.Errorf("a guideline names the test %q, which does not exist", id)
		}
	}
}
