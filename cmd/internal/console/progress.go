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
	// begun is when the first second was over, and before how many steps were done by then: work that goes on where it was
	// ended counts what is done already at its start.
	begun, first time.Time
	before       int
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
	fmt.Fprintf(b.w, "\r%s %3d %% [%s%s] %d/%d%s", b.what, 100*b.done/b.total, strings.Repeat("=", full),
		strings.Repeat(" ", barWidth-full), b.done, b.total, b.pace(now))
}

// pace is how many steps are done in a second and how long the others may last, once both are known.
func (b *bar) pace(now time.Time) string {
	if b.first.IsZero() {
		b.first = now
	}
	if now.Sub(b.first) < time.Second || b.begun.IsZero() {
		b.begun, b.before = now, b.done
		return ""
	}
	elapsed := now.Sub(b.begun)
	if elapsed < time.Second || b.done == b.before {
		return ""
	}
	rate := float64(b.done-b.before) / elapsed.Seconds()
	left := time.Duration(float64(b.total-b.done) / rate * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf(", %.1f/s, %s left \x1b[K", rate, left)
}

// clear removes the bar from the terminal.
func (b *bar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprint(b.w, "\r\x1b[K")
}
