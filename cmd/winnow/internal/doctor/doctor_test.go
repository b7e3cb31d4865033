package doctor

import (
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
