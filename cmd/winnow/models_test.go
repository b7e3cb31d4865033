package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/boltstore"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/running"
	"github.com/winnow-proxy/winnow/model/detectors"
)

// Forgetting one host of many reads no other: the command asks the running winnow only for that host.
func TestForgetAsksForOneHost(t *testing.T) {
	var asked []string
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		switch {
		case strings.HasSuffix(r.URL.Path, "/gone.example"):
			w.WriteHeader(http.StatusNotFound)
		case r.Method == http.MethodGet:
			_, _ = w.Write([]byte(`{"host":"a.example","pages":3}`))
		}
	}))
	defer admin.Close()
	dir := t.TempDir()
	key, err := cache.InstallationKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	store, err := boltstore.Open(dir, boltstore.Options{Detector: detectors.Default, KeyID: key.ID()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if _, err := running.Announce(dir, strings.TrimPrefix(admin.URL, "http://")); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	code := run(t.Context(), []string{"models", "forget", "--data", dir, "a.example", "gone.example"}, nil, nil, &stdout, &stderr)
	if code != 1 || !strings.Contains(stderr.String(), "gone.example: no model of this host") {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
	want := []string{"GET /api/v1/hosts/a.example", "DELETE /api/v1/hosts/a.example", "GET /api/v1/hosts/gone.example"}
	if d := cmp.Diff(want, asked); d != "" {
		t.Errorf("asked (-want +got):\n%s", d)
	}
}
