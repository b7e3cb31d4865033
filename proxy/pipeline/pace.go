package pipeline

import (
	"context"
	"time"
)

// Go gives a goroutine 10 to 20 ms at a time, and does not look at the network while others can run. Where large pages
// are read, copied and parsed without a pause, others wait as long at each step of their way. So that work pauses
// often, for a moment, which costs a page of 16 MiB some ten milliseconds in all.

const (
	// paceBytes is how much of a body is moved between two pauses, and at most at once.
	paceBytes = 256 << 10
	// paceTime is how long a large page is worked on between two pauses.
	paceTime = 2 * time.Millisecond
	// pause is long enough for Go to look at the network.
	pause = 50 * time.Microsecond
)

// mover pauses while a large body is moved. The zero value is ready. It is for one goroutine.
type mover struct{ bytes int }

// moved notes that n more bytes were moved.
func (m *mover) moved(n int) {
	if m.bytes += n; m.bytes >= paceBytes {
		m.bytes = 0
		time.Sleep(pause)
	}
}

// grown returns a copy of b with room for n bytes in all.
func (m *mover) grown(b []byte, n int64) []byte {
	out := make([]byte, 0, n)
	for len(out) < len(b) {
		piece := b[len(out):min(len(b), len(out)+paceBytes)]
		out = append(out, piece...)
		m.moved(len(piece))
	}
	return out
}

// paced is the context of the work on a large page, which pauses where it asks whether to go on. It is for one
// goroutine.
type paced struct {
	context.Context
	since time.Time
}

// Err implements context.Context.
func (p *paced) Err() error {
	if time.Since(p.since) > paceTime {
		time.Sleep(pause)
		p.since = time.Now()
	}
	return p.Context.Err()
}
