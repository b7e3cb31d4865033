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

// After some seconds the bar shows the rate and the time that is left. What was done before it began does not count.
func TestBarTellsTheTimeLeft(t *testing.T) {
	var out strings.Builder
	now := time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC)
	b := &bar{w: &out, what: "cleaning", total: 1000, now: func() time.Time { return now }}
	for range 500 { // done by an earlier process
		b.step()
	}
	for range 100 {
		now = now.Add(500 * time.Millisecond)
		b.step()
	}
	if last := out.String()[strings.LastIndex(out.String(), "\r"):]; !strings.HasSuffix(last, "] 600/1000, 2.0/s, 3m20s left \x1b[K") {
		t.Errorf("drawn %q", last)
	}
	if first := strings.Split(out.String(), "\r")[2]; strings.Contains(first, "left") {
		t.Errorf("drawn %q", first)
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
