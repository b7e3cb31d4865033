//go:build full

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// clients is the folder of Node packages that testdata/clients names, for tests by clients that others have written.
func clients(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("WINNOW_CLIENTS")
	if _, err := os.Stat(filepath.Join(dir, "@modelcontextprotocol")); dir == "" || err != nil {
		t.Skipf("%s: WINNOW_CLIENTS names no node_modules folder with what testdata/clients/package.json lists", t.Name())
	}
	return dir
}

// The SDK that the protocol's authors wrote for Node can use winnow, over both transports.
func TestForeignAgents(t *testing.T) {
	dir := clients(t)
	binary, site := winnowBinary(t), harbour(t)
	data := t.TempDir()
	serve := exec.Command(binary, "serve", "--data", data+"/serve", "--listen", "127.0.0.1:0", "--admin", "", "--api", "127.0.0.1:0")
	api := serving(t, serve)
	for name, args := range map[string][]string{
		"http":  {"http", api + "/mcp"},
		"stdio": {"stdio", binary, "mcp", "--data", data + "/mcp", "--allow-target", "127.0.0.1"},
	} {
		cmd := exec.CommandContext(t.Context(), "node", append([]string{"testdata/clients/mcp.cjs", site}, args...)...)
		cmd.Env = append(os.Environ(), "WINNOW_CLIENTS="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
			continue
		}
		var told struct {
			Server        string
			Tools         []string
			Read, Refused struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal(out, &told); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		if told.Server != "winnow" || !slices.Contains(told.Tools, "list_removed") || told.Read.IsError || !told.Refused.IsError {
			t.Errorf("%s: %s", name, out)
		}
		if text := fmt.Sprint(told.Read.Content); !strings.Contains(text, "price of cod") || strings.Contains(text, "SECRET") || strings.Contains(text, "recycled") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// The protocol's own conformance checks pass, those that ask for no tools of their own.
func TestAgentConformance(t *testing.T) {
	dir := clients(t)
	api := serving(t, exec.Command(winnowBinary(t), "serve", "--data", t.TempDir()+"/data", "--listen", "127.0.0.1:0", "--admin", "", "--api", "127.0.0.1:0"))
	for _, scenario := range []string{"tools-list", "dns-rebinding-protection"} {
		out, err := exec.CommandContext(t.Context(), "node", filepath.Join(dir, "@modelcontextprotocol", "conformance", "dist", "index.js"),
			"server", "--url", api+"/mcp", "--scenario", scenario).CombinedOutput()
		if err != nil || !strings.Contains(string(out), " 0 failed") {
			t.Errorf("%s: %v: %s", scenario, err, out)
		}
	}
}
