//go:build full

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/conformance"
)

// TestRunReports checks a "proxy" that answers everything itself. Its failures and missing ways are reported.
func TestRunReports(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer s.Close()
	out := filepath.Join(t.TempDir(), "report.json")
	c := runCmd{Proxy: strings.TrimPrefix(s.URL, "http://"), Name: "Teapot", Release: "1", Only: "body-", Timeout: 5 * time.Second,
		Parallel: 4, Out: out, MustMeet: true}
	if err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "checks failed") {
		t.Errorf("got %v", err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	r, err := conformance.ReadReport(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	got := r.Results["body-length"]
	if r.Name != "Teapot" || got["http"] != "not met" || got["https/1.1"] != "n/a" || got["https/2"] != "n/a" {
		t.Errorf("%s %s: %v", r.Name, r.Version, got)
	}
	if _, ok := r.Results["head"]; ok {
		t.Error("--only was not obeyed")
	}
}

func TestRunNeedsSoundCertificates(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "not.pem"), []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, trust := range []string{"absent.pem", "not.pem"} {
		c := runCmd{Proxy: "127.0.0.1:1", Origins: dir, Trust: filepath.Join(dir, trust), Only: "nothing"}
		if err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "--trust") {
			t.Errorf("%s: %v", trust, err)
		}
	}
}
