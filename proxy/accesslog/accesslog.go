// Package accesslog writes a line for each request, in the forms that tools for web servers read. No request waits for the
// disk: entries queue for one writer, and are dropped, and counted, where it can't keep up. Files can be renamed by
// logrotate and opened anew.
package accesslog

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// queueBytes is how much of memory entries take at most that wait to be written; as much again may be in the writer's hands.
const queueBytes = 2 << 20

// patience is how long a file that stalls is waited for when the log goes on with another one, or ends.
const patience = 5 * time.Second

// errSlow is why lines are lost that were never tried.
var errSlow = errors.New("what it is written to does not keep up")

// Log is an access log. It is safe for concurrent use.
type Log struct {
	logger   *slog.Logger
	lost     func(lines int)
	patience time.Duration
	wake     chan struct{} // holds one token: there is something to do
	done     chan struct{} // closed when the writer has ended

	mu sync.Mutex
	// queue has a batch for each sink: the last is of the one in use, those before are of sinks to be ended.
	queue   []batch
	waiting int // bytes in queue
	closed  bool
	// total counts the lines that were lost, burst those since the log last kept up; told is closed once the operator knows
	// of the burst.
	total, burst int
	told         chan struct{}
	// failure is the last error of a sink.
	failure error
}

// batch is what waits to be written to a sink.
type batch struct {
	sink    *Sink
	entries []Entry
	bytes   int // the entries' size
}

// New returns a log that writes to sink. It must be closed in the end. logger gets what goes wrong. lost is called with
// each number of lines that are lost, from several goroutines; it must be quick.
func New(sink *Sink, logger *slog.Logger, lost func(lines int)) *Log {
	l := &Log{logger: logger, lost: lost, patience: patience, wake: make(chan struct{}, 1), done: make(chan struct{}),
		queue: []batch{{sink: sink}}}
	go l.write()
	return l
}

// Record has a line written for e. It never waits: where too much waits already, the line is lost.
func (l *Log) Record(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	b := &l.queue[len(l.queue)-1]
	if b.sink.w == nil {
		return
	}
	if !b.sink.opts.URLs {
		e.Host, e.Path = "", ""
	}
	size := e.size()
	if l.waiting+size > queueBytes {
		l.lose(1, errSlow)
		return
	}
	b.entries = append(b.entries, e)
	b.bytes += size
	l.waiting += size
	l.signal()
}

// signal wakes the writer.
func (l *Log) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// lose counts lines that are lost, and tells of the first of a burst. The caller holds mu.
func (l *Log) lose(lines int, why error) {
	l.lost(lines)
	if l.burst == 0 {
		l.told = make(chan struct{})
		// By another goroutine, for the program's own log may stall where the access log does.
		go func(told chan<- struct{}) {
			defer close(told)
			l.logger.Error("the access log can't be written: lines are lost", "error", why)
		}(l.told)
	}
	l.burst += lines
	l.total += lines
}

// write is the writer. It ends when the log is closed and all is written.
func (l *Log) write() {
	defer close(l.done)
	for range l.wake {
		for more := true; more; {
			b, retired := l.take()
			if b.sink == nil {
				return
			}
			lost, err := b.sink.write(b.entries)
			if retired {
				err = errors.Join(err, b.sink.Close())
			}
			l.wrote(len(b.entries), lost, err)
			more = retired || len(b.entries) > 0
		}
	}
}

// wrote takes note of what came of writing lines. A burst of losses is over when all that waited is written.
func (l *Log) wrote(lines, lost int, err error) {
	l.mu.Lock()
	burst, told := l.burst, l.told
	over := burst > 0 && lines > 0 && err == nil && l.waiting == 0
	if over {
		l.burst = 0
	}
	if lost > 0 {
		l.lose(lost, err)
	}
	if err != nil {
		l.failure = err
	}
	l.mu.Unlock()
	if err != nil && lost == 0 {
		l.logger.Error("the file of the access log did not close well", "error", err)
	}
	if over {
		<-told
		l.logger.Info("the access log is written again", "lost_lines", burst)
	}
}

// take takes what waits for the oldest sink; retired says that nothing will come after it. A batch without sink is the end.
func (l *Log) take() (b batch, retired bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return batch{}, false
	}
	b = l.queue[0]
	l.waiting -= b.bytes
	l.queue[0].entries, l.queue[0].bytes = nil, 0
	if retired = l.closed || len(l.queue) > 1; retired {
		l.queue = l.queue[1:]
	}
	return b, retired
}

// Use goes on with another sink, and has the one in use ended once what waits for it is written: a line is in the one or
// the other. It does not wait for that.
func (l *Log) Use(sink *Sink) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return sink.Close()
	}
	old := l.queue[len(l.queue)-1].sink
	l.queue = append(l.queue, batch{sink: sink})
	l.signal()
	time.AfterFunc(l.patience, func() { _ = old.Close() }) // the writer hears of it
	return nil
}

// Close writes what waits and ends the log. Later entries are dropped. What can't be written for some seconds is given up;
// the error says how many lines were lost.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	before, last := l.total, l.queue[len(l.queue)-1].sink
	l.signal()
	l.mu.Unlock()
	if !l.ended() {
		_ = last.Close() // the writer hears of it
		l.ended()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	lost := l.total - before
	for _, b := range l.queue { // the writer hangs: nothing can end a write to standard error
		lost += len(b.entries)
	}
	if lost > 0 {
		return fmt.Errorf("access log: %d lines were lost at the end: %w", lost, cmp.Or(l.failure, errSlow))
	}
	return nil
}

// ended waits for the writer, for a while, and reports whether it has ended.
func (l *Log) ended() bool {
	select {
	case <-l.done:
		return true
	case <-time.After(l.patience):
		return false
	}
}
