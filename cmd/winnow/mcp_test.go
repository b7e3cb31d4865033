package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// winnowBinary is this test binary under the name by which it is winnow, see TestMain.
func winnowBinary(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "winnow")
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector's runtime sleeps for a second otherwise
	return name
}

// harbour is a site of one page, with a menu around it and an order for machines that nobody sees.
func harbour(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!DOCTYPE html><title>A harbour wakes</title><nav><ul><li><a href="/">Front page of the Daily Kettle</a></li></ul></nav>
<main><h1>A harbour wakes</h1><p>The first boats came in before the sun was up, and the gulls were there already, lined along the wall like paying guests.</p>
<p style="display:none">SECRET order</p><p>By seven the ice was gone from the fish market and the buyers had begun to argue about the price of cod.</p></main>
<footer><p>The Daily Kettle is printed on recycled paper. All rights reserved.</p></footer>`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestAgentsStartWinnow(t *testing.T) {
	site := harbour(t)
	ask := agentOf(t, exec.Command(winnowBinary(t), "mcp", "--data", t.TempDir()+"/data", "--allow-target", "127.0.0.1"))
	elsewhere := strings.Replace(site, "127.0.0.1", "127.0.0.2", 1) // this machine by another address
	for url, want := range map[string]string{site: "before the sun was up", "http://127.0.0.1:22/": "denied", elsewhere: "denied"} {
		if got := ask(url); !strings.Contains(got, want) || strings.Contains(got, "SECRET") {
			t.Errorf("%s: %s", url, got)
		}
	}
}

// Beside a winnow that has the models, another one asks it, with a token. Private addresses stay closed to agents, but
// for those that the operator names.
func TestAgentsAskARunningWinnow(t *testing.T) {
	site, binary, dir := harbour(t), winnowBinary(t), t.TempDir()
	for name, content := range map[string]string{"tokens": "agent:0123456789abcdef\n", "token": "0123456789abcdef\n", "wrong": "fedcba9876543210"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	api := serving(t, exec.Command(binary, "serve", "--data", dir+"/data", "--listen", "127.0.0.1:0", "--admin", "", "--api", "127.0.0.1:0",
		"--allow-private"), "WINNOW_API_TOKEN_FILE="+dir+"/tokens", "WINNOW_ALLOW_TARGET=127.0.0.1")
	for token, want := range map[string]string{"token": "before the sun was up", "wrong": "give a token"} {
		ask := agentOf(t, exec.Command(binary, "mcp", "--connect", api, "--connect-auth", filepath.Join(dir, token)))
		if got := ask(site); !strings.Contains(got, want) {
			t.Errorf("%s: %s", token, got)
		}
		elsewhere := strings.Replace(site, "127.0.0.1", "127.0.0.2", 1) // this machine by another address
		if got := ask(elsewhere); token == "token" && !strings.Contains(got, "denied") {
			t.Errorf("a private address: %s", got)
		}
	}
	out, err := exec.Command(binary, "mcp", "--data", dir+"/data").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "winnow mcp --connect") {
		t.Errorf("a data folder that is in use: %v: %s", err, out)
	}
}

// agentOf starts winnow mcp as an agent's program does, and returns a function that reads a page with it. At the end of
// the test winnow should end well.
func agentOf(t *testing.T, cmd *exec.Cmd) (read func(url string) string) {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("winnow mcp ended with %v", err)
		}
	})
	return func(url string) string {
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_page", Arguments: map[string]any{"url": url}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(got.Content)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
}

// serving starts winnow serve until the test ends, and returns the address of its API.
func serving(t *testing.T, cmd *exec.Cmd, env ...string) string {
	t.Helper()
	cmd.Env = append(os.Environ(), env...)
	return strings.TrimSuffix(startWinnow(t, cmd)[3], "/api/v1/")
}

// startWinnow starts winnow serve until the test ends, and returns the parts of the line that says that it is ready.
func startWinnow(t *testing.T, cmd *exec.Cmd) []string {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		m := readyLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		go func() {
			for lines.Scan() {
				continue
			}
		}()
		t.Cleanup(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait() // other tests see how it ends
		})
		return m
	}
	t.Fatalf("winnow ended before it was ready: %v", cmd.Wait())
	return nil
}
