package console

import (
	"strings"
	"testing"
	"time"
)

// The bar is drawn on one line, not for each step, never beyond its end, and is cleared at the end.
func TestBar(t *testing.T) {
	var out strings.Builder
	now := time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC)
	b := &bar{w: &out, what: "cleaning", total: 300, now: func() time.Time { return now }}
	for range 310 {
		b.step()
		now = now.Add(time.Millisecond)
	}
	b.clear()
	want := "\rcleaning   0 % [" + strings.Repeat(" ", 30) + "] 1/300" +
		"\rcleaning  33 % [" + strings.Repeat("=", 10) + strings.Repeat(" ", 20) + "] 101/300" +
		"\rcleaning  67 % [" + strings.Repeat("=", 20) + strings.Repeat(" ", 10) + "] 201/300" +
		"\rcleaning 100 % [" + strings.Repeat("=", 30) + "] 300/300\r\x1b[K"
	if out.String() != want {
		t.Errorf("drawn %q, want %q", out.String(), want)
	}
}

// Without a terminal nothing is drawn.
func TestNoBarWithoutATerminal(t *testing.T) {
	var out strings.Builder
	step, done := (&Console{Stderr: &out}).Progress("cleaning", 100)
	step()
	done()
	if out.Len() > 0 {
		t.Errorf("written: %q", out.String())
	}
}
