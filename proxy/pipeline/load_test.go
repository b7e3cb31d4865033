package pipeline

import (
	"runtime"
	"testing"
	"time"
)

// The process is busy while it uses most of its processors, from the second look on.
func TestLoad(t *testing.T) {
	var now, used time.Duration
	known := true
	start := time.Unix(1_000_000, 0)
	l := load{now: func() time.Time { return start.Add(now) }, used: func() (time.Duration, bool) { return used, known }}
	procs := time.Duration(runtime.GOMAXPROCS(0))
	for i, step := range []struct {
		wait, use time.Duration // use is a hundredth of what all processors can do in the time
		known     bool
		want      bool
	}{
		{0, 0, true, false},
		{time.Second, 90, true, true},
		{loadWindow / 2, 0, true, true}, // too soon to look again
		{loadWindow / 2, 0, true, false},
		{loadWindow, 74, true, false},
		{loadWindow, 76, true, true},
		{time.Minute, 10, true, false},
		{time.Minute, 100, false, false},
	} {
		now += step.wait
		used += step.wait * step.use * procs / 100
		known = step.known
		if got := l.isBusy(); got != step.want {
			t.Errorf("step %d: busy is %t, want %t", i, got, step.want)
		}
	}
}

func TestCPUTimeGrows(t *testing.T) {
	before, ok := cpuTime()
	if !ok {
		t.Skip("this system has no getrusage")
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if now, _ := cpuTime(); now > before {
			return
		}
	}
	t.Errorf("the CPU time stays at %v", before)
}
