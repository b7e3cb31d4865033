//go:build full

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each door hangs on one line. Without that line the program builds, and cleans pages as before.
func TestDoorsComeOff(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	site := harbour(t)
	for name, file := range map[string]string{
		"feeds":   "proxy/roundtrip.go",
		"icap":    "cmd/winnow/internal/service/service.go",
		"vintage": "cmd/winnow/internal/service/service.go",
		"books":   "proxy/api/api.go",
		"fleet":   "cmd/winnow/internal/flags/store.go",
	} {
		t.Run(name, func(t *testing.T) {
			binary := buildWithout(t, filepath.Join(root, file), "door: "+name)
			ready := startWinnow(t, exec.Command(binary, "serve", "--data", filepath.Join(t.TempDir(), "data"), "--listen", "127.0.0.1:0", "--admin", ""))
			through := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: ready[1]})}}
			defer through.CloseIdleConnections()
			resp, err := through.Get(site)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(body), "price of cod") || !strings.HasPrefix(resp.Header.Get("Winnow"), "cleaned") {
				t.Errorf("%v, %q: %s", err, resp.Header.Get("Winnow"), body)
			}
		})
	}
}

// buildWithout builds winnow without the line of a file that ends with a mark.
func buildWithout(t *testing.T, file, mark string) (binary string) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^.*// ` + mark + `\n`)
	if n := len(line.FindAll(src, -1)); n != 1 {
		t.Fatalf("%d lines of %s have %q, want one", n, file, mark)
	}
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{changed: line.ReplaceAll(src, nil), overlay: replace} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	binary = filepath.Join(dir, "winnow")
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}
