package pipeline

import (
	"runtime"
	"sync"
	"time"
)

const (
	// loadWindow is the least time between two looks at the processors.
	loadWindow = 100 * time.Millisecond
	// busyShare is the share of its processors from which on the process is busy.
	busyShare = .75
)

// load tells whether this process keeps its processors busy. While it does, pages queue where nobody can count them:
// in sockets. It is safe for concurrent use.
type load struct {
	// now is the time, used the CPU time of the process; without ok, it is unknown.
	now  func() time.Time
	used func() (t time.Duration, ok bool)

	mu    sync.Mutex
	at    time.Time
	spent time.Duration
	busy  bool
}

// isBusy reports whether the process has used most of its processors since the last look.
func (l *load) isBusy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	since := now.Sub(l.at)
	if since < loadWindow {
		return l.busy
	}
	spent, ok := l.used()
	share := float64(spent-l.spent) / (float64(since) * float64(runtime.GOMAXPROCS(0)))
	l.busy = ok && !l.at.IsZero() && share >= busyShare
	l.at, l.spent = now, spent
	return l.busy
}
