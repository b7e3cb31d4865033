package doctor

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cmd/winnow/internal/running"
	"github.com/winnow-proxy/winnow/proxy/intercept"
)

// What passes because a program refuses the certificate is said, with the program.
func TestDoctorShowsRefusedCertificates(t *testing.T) {
	entries := []*intercept.Entry{}
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/passthrough" {
			http.NotFound(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"passthrough": entries})
	}))
	defer admin.Close()
	d := &doctor{Options: Options{Data: t.TempDir()}, running: true}
	if f := d.programs(t.Context()); f.Result != Skipped {
		t.Errorf("without a running winnow: %+v", f)
	}
	withdraw, err := running.Announce(d.Data, admin.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer withdraw()
	if f := d.programs(t.Context()); f.Result != OK {
		t.Errorf("without entries: %+v", f)
	}
	entries = append(entries, &intercept.Entry{Client: "127.0.0.1", Program: "0a1b2c3d", Host: "site.test", Until: time.Now().Add(time.Hour)})
	if f := d.programs(t.Context()); f.Result != Warn || !strings.Contains(f.Detail, "site.test for program 0a1b2c3d of 127.0.0.1") {
		t.Errorf("with an entry: %+v", f)
	}
}
