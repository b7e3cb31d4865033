package running

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
)

func TestAnnounce(t *testing.T) {
	dir := t.TempDir()
	if Find(dir) != nil {
		t.Error("found a winnow although none runs")
	}
	withdraw, err := Announce(dir, "127.0.0.1:8081")
	if err != nil {
		t.Fatal(err)
	}
	if c := Find(dir); c == nil || c.Addr != "127.0.0.1:8081" {
		t.Errorf("found %+v", c)
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the note: %v, %v", info, err)
	}
	withdraw()
	if Find(dir) != nil {
		t.Error("the note is still there")
	}
	// A winnow without an admin address removes the note of one that was killed.
	if _, err := Announce(dir, "127.0.0.1:8081"); err != nil {
		t.Fatal(err)
	}
	if _, err := Announce(dir, ""); err != nil || Find(dir) != nil {
		t.Errorf("an old note stays: %v", err)
	}
	if _, err := Announce(filepath.Join(dir, "nowhere"), "127.0.0.1:8081"); err == nil {
		t.Error("a note in no folder")
	}
}

// An answer of the admin address becomes hosts, a model, or an error that says what to do.
func TestClient(t *testing.T) {
	status, body := http.StatusOK, `{"hosts":[{"host":"a.example","pages":3,"stored":17}]}`
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.EscapedPath()
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	dir := t.TempDir()
	if _, err := Announce(dir, strings.TrimPrefix(server.URL, "http://")); err != nil {
		t.Fatal(err)
	}
	c := Find(dir)
	hosts, err := c.Hosts(t.Context())
	if err != nil || len(hosts) != 1 || hosts[0].Host != "a.example" || hosts[0].Pages != 3 || hosts[0].Stored != 17 || asked != "GET /api/v1/hosts" {
		t.Errorf("%s: %+v, %v", asked, hosts, err)
	}
	body = `{"host":"b.example:81","pages":4}`
	if h, err := c.Host(t.Context(), "b.example:81"); err != nil || h.Host != "b.example:81" || h.Pages != 4 || asked != "GET /api/v1/hosts/b.example:81" {
		t.Errorf("%s: %+v, %v", asked, h, err)
	}
	body = "model"
	if b, err := c.Export(t.Context(), "a.example:8080"); err != nil || string(b) != "model" || asked != "GET /api/v1/hosts/a.example:8080/model" {
		t.Errorf("%s: %q, %v", asked, b, err)
	}
	for code, want := range map[int]error{http.StatusNotFound: cache.ErrNotFound, http.StatusUnauthorized: ErrRefused, http.StatusForbidden: ErrRefused} {
		status = code
		if _, err := c.Host(t.Context(), "a.example"); !errors.Is(err, want) {
			t.Errorf("a host that is not there: %d: %v", code, err)
		}
		if err := c.Forget(t.Context(), "a.example"); !errors.Is(err, want) || asked != "DELETE /api/v1/hosts/a.example" {
			t.Errorf("%s: %d: %v", asked, code, err)
		}
	}
	status, body = http.StatusInternalServerError, "disk full"
	if _, err := c.Hosts(t.Context()); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("500: %v", err)
	}
	server.Close()
	if _, err := c.Hosts(t.Context()); err == nil || !strings.Contains(err.Error(), "ask the running winnow") {
		t.Errorf("nobody there: %v", err)
	}
}
