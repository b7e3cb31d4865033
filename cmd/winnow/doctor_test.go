package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/certs"
)

// A clock that is off is told from one that is right, and a CA that is about to expire from one that lasts.
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
		{0, findingOK, "does not trust"},
		{4 * time.Minute, findingOK, "does not trust"},
		{-time.Hour, findingFail, "does not trust"},
		{left - 30*24*time.Hour, findingFail, "in 29 days"},
		{left + time.Hour, findingFail, "expired"},
	} {
		d := &doctor{cmd: &doctorCmd{Probe: origin.URL}, program: &program{}, now: func() time.Time { return time.Now().Add(tc.off) }}
		d.cmd.Data = dir
		if f := d.origins(t.Context()); f.Result != tc.clock {
			t.Errorf("clock off by %v: %+v, want %s", tc.off, f, tc.clock)
		}
		if f := d.ca(t.Context()); f.Result == findingOK || !strings.Contains(f.Detail, tc.ca) {
			t.Errorf("clock off by %v: CA %+v, want %q", tc.off, f, tc.ca)
		}
	}
}
