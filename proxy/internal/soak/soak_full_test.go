//go:build full

package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// A short soak of the real program holds and meets most faults.
func TestShortSoak(t *testing.T) {
	o := options{Duration: 2 * time.Second, Hosts: 40, Clients: 8, Kills: 1, MaxRSS: 1280, Seed: 1}
	r, err := soak(t.Context(), o, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	r.print(&table)
	if len(r.Violations) > 0 || r.Intact != 1 || !strings.HasSuffix(table.String(), "\nheld\n") {
		t.Errorf("the soak did not hold:\n%s", table.String())
	}
	for _, kind := range []string{"page", "download", "range", "upload", "event stream", "page, original"} {
		if r.Kinds[kind] == 0 {
			t.Errorf("no %s was asked for:\n%s", kind, table.String())
		}
	}
	if r.Pages == 0 || r.After.Learned == 0 {
		t.Errorf("%d pages cleaned, %.0f learned", r.Pages, r.After.Learned)
	}
}
