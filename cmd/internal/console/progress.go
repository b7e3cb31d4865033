package console

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Progress starts a bar of total steps on a terminal. Elsewhere the functions that it returns do nothing. step is safe
// for concurrent use.
func (c *Console) Progress(what string, total int) (step, done func()) {
	if !IsTerminal(c.Stderr) || total < 2 {
		return func() {}, func() {}
	}
	b := &bar{w: c.Stderr, what: what, total: total, now: time.Now}
	return b.step, b.clear
}

const (
	barWidth = 30
	// barPause is the time between two drawings.
	barPause = 100 * time.Millisecond
)

// bar is a line of a terminal that shows how much is done.
type bar struct {
	w     io.Writer
	what  string
	total int
	now   func() time.Time

	mu    sync.Mutex
	done  int
	drawn time.Time
}

// step counts a step, and draws the bar unless it was drawn just before. It ignores errors of drawing, because the work
// should go on.
func (b *bar) step() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = min(b.done+1, b.total)
	now := b.now()
	if now.Sub(b.drawn) < barPause {
		return
	}
	b.drawn = now
	full := barWidth * b.done / b.total
	fmt.Fprintf(b.w, "\r%s %3d %% [%s%s] %d/%d", b.what, 100*b.done/b.total, strings.Repeat("=", full),
		strings.Repeat(" ", barWidth-full), b.done, b.total)
}

// clear removes the bar from the terminal.
func (b *bar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprint(b.w, "\r\x1b[K")
}
