package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
)

// winnow has every metric that the dashboard asks for.
func TestDashboardKnowsTheMetrics(t *testing.T) {
	b, err := os.ReadFile("contrib/grafana/winnow.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		UID, Title string
		Panels     []struct {
			ID      int
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(b, &dashboard); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range metrics() {
		names = append(names, m.Name)
	}
	if len(names) < 40 {
		t.Fatalf("metrics: %v", names)
	}
	seen, ids := 0, map[int]bool{}
	for _, p := range dashboard.Panels {
		if ids[p.ID] || p.Title == "" {
			t.Errorf("panel %d (%q) has an ID twice, or no title", p.ID, p.Title)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			for _, name := range regexp.MustCompile(`\b(winnow|go|process)_\w+`).FindAllString(target.Expr, -1) {
				seen++
				plain := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
				if !slices.Contains(names, plain) {
					t.Errorf("panel %q asks for %s, which winnow does not have", p.Title, name)
				}
			}
		}
	}
	if seen < 25 {
		t.Errorf("the dashboard asks for %d metrics", seen)
	}
}

// unitOf reads the systemd unit and returns the values of each key, by section.
func unitOf(t *testing.T) map[string][]string {
	t.Helper()
	b, err := os.ReadFile("contrib/systemd/winnow.service")
	if err != nil {
		t.Fatal(err)
	}
	values, section := map[string][]string{}, ""
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		k, v, ok := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]") + "."
		case !ok:
			t.Errorf("unit: %q is no setting", line)
		default:
			values[section+k] = append(values[section+k], v)
		}
	}
	return values
}

// The unit starts winnow with a valid command line, as a user without rights.
func TestSystemdUnit(t *testing.T) {
	unit := unitOf(t)
	for key, want := range map[string]string{
		"Service.DynamicUser": "yes", "Service.NoNewPrivileges": "yes", "Service.ProtectSystem": "strict",
		"Service.CapabilityBoundingSet": "", "Service.StateDirectory": "winnow", "Service.MemoryDenyWriteExecute": "yes",
		"Service.ExecReload": "/bin/kill -HUP $MAINPID", "Install.WantedBy": "multi-user.target",
	} {
		if got := unit[key]; len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	args := strings.Fields(unit["Service.ExecStart"][0])
	if args[0] != "/usr/local/bin/winnow" || !slices.Contains(args, "/var/lib/winnow") {
		t.Errorf("ExecStart: %v", args)
	}
	args[slices.Index(args, "--config")+1] = "contrib/debian/winnow.yaml"
	if _, err := parse(args[1:], console.Environment{}); err != nil {
		t.Errorf("ExecStart %v: %v", args, err)
	}
	verifyUnit(t)
}

// verifyUnit checks the unit with systemd's own tool, if it is installed.
func verifyUnit(t *testing.T) {
	t.Helper()
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("systemd-analyze is not installed: only this test checked the unit")
		return
	}
	b, err := os.ReadFile("contrib/systemd/winnow.service")
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "winnow.service")
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(string(b), "/usr/local/bin/winnow", "/bin/true")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, "verify", unit).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	// An exposure of 2.0 or more is too much; the tool says so by its exit code.
	if out, err := exec.Command(tool, "security", "--offline=true", "--threshold=20", "--no-pager", unit).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
}
