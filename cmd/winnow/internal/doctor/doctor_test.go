package doctor

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/certs"
)

// The checks recognise a wrong clock, and a CA that expires soon.
func TestDoctorKnowsTheTime(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer origin.Close()
	dir := t.TempDir()
	a, err := certs.LoadOrCreate(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	left := time.Until(a.Certificate().NotAfter)
	for _, tc := range []struct {
		off       time.Duration
		clock, ca string
	}{
		{0, OK, "does not trust"},
		{4 * time.Minute, OK, "does not trust"},
		{-time.Hour, Fail, "does not trust"},
		{left - 30*24*time.Hour, Fail, "in 29 days"},
		{left + time.Hour, Fail, "expired"},
	} {
		d := &doctor{Options: Options{Data: dir, Probe: origin.URL,
			Transport: func() (*http.Transport, error) { return &http.Transport{DisableKeepAlives: true}, nil },
			Now:       func() time.Time { return time.Now().Add(tc.off) }}}
		if f := d.origins(t.Context()); f.Result != tc.clock {
			t.Errorf("clock off by %v: %+v, want %s", tc.off, f, tc.clock)
		}
		if f := d.ca(t.Context()); f.Result == OK || !strings.Contains(f.Detail, tc.ca) {
			t.Errorf("clock off by %v: CA %+v, want %q", tc.off, f, tc.ca)
		}
	}
}

// Work that went on beyond its deadline in the running winnow is shown.
func TestDoctorShowsLateWork(t *testing.T) {
	for late, want := range map[string]string{"": OK, "2 times work went on beyond its deadline, last on a page, in write": Warn} {
		admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]string{"status": "ready", "late": late})
		}))
		d := &doctor{Options: Options{Admin: admin.Listener.Addr().String()}}
		if f := d.adminAddress(t.Context()); f.Result != want || !strings.Contains(f.Detail, late) {
			t.Errorf("%q: %+v, want %s", late, f, want)
		}
		admin.Close()
	}
}
