// Package accesslog writes a line for each request, in formats that tools for web servers read. No request waits for
// the disk: entries queue for one writer, and are dropped and counted when it can't keep up. Log files can be rotated.
package accesslog

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// queueBytes bounds the memory of waiting entries. The writer may have as much again in hand.
const queueBytes = 2 << 20

// patience bounds the wait for a stalled file when the log switches to another one or ends.
const patience = 5 * time.Second

// errSlow is the reason for lines that were dropped without an attempt to write them.
var errSlow = errors.New("the output does not keep up")

// Log is an access log. It is safe for concurrent use.
type Log struct {
	logger   *slog.Logger
	lost     func(lines int)
	patience time.Duration
	wake     chan struct{} // one token: there is work to do
	done     chan struct{} // closed when the writer has ended

	mu sync.Mutex
	// queue has a batch for each sink. The last belongs to the sink in use, those before it to sinks that are to be
	// closed.
	queue   []batch
	waiting int // bytes in queue
	inHand  int // lines that the writer has taken and not reported on yet
	closed  bool
	// total counts the lost lines, burst those since the log last kept up. told is closed once the operator was
	// informed of the burst.
	total, burst int
	told         chan struct{}
	// failure is the last error of a sink.
	failure error
}

// batch is the entries that wait for a sink.
type batch struct {
	sink    *Sink
	entries []Entry
	bytes   int // the entries' size
}

// New returns a log that writes to sink. The caller must close it. logger logs failures. lost is called with each
// number of lost lines, from several goroutines; it must be fast.
func New(sink *Sink, logger *slog.Logger, lost func(lines int)) *Log {
	l := &Log{logger: logger, lost: lost, patience: patience, wake: make(chan struct{}, 1), done: make(chan struct{}),
		queue: []batch{{sink: sink}}}
	go l.write()
	return l
}

// Record writes a line for e. It never waits: when the queue is full, the line is lost.
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

// lose counts lost lines and reports the first of a burst. The caller holds mu.
func (l *Log) lose(lines int, why error) {
	l.lost(lines)
	if l.burst == 0 {
		l.told = make(chan struct{})
		// In another goroutine, because the program's own log may stall where the access log does.
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

// wrote records the result of writing lines. A burst of losses ends when everything that waited is written.
func (l *Log) wrote(lines, lost int, err error) {
	l.mu.Lock()
	if l.inHand < lines { // Close has given these lines up and counted them
		l.mu.Unlock()
		return
	}
	l.inHand = 0
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
		l.logger.Error("the file of the access log could not be closed", "error", err)
	}
	if over {
		<-told
		l.logger.Info("the access log works again", "lost_lines", burst)
	}
}

// take takes the entries for the oldest sink. retired says that no more entries will follow for it. A batch without
// sink is the end.
func (l *Log) take() (b batch, retired bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return batch{}, false
	}
	b = l.queue[0]
	l.waiting -= b.bytes
	l.inHand = len(b.entries)
	l.queue[0].entries, l.queue[0].bytes = nil, 0
	if retired = l.closed || len(l.queue) > 1; retired {
		l.queue = l.queue[1:]
	}
	return b, retired
}

// Use switches to another sink. The sink in use is closed once the entries that wait for it are written, so that every
// line is in exactly one of them. Use does not wait for that.
func (l *Log) Use(sink *Sink) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return sink.Close()
	}
	old := l.queue[len(l.queue)-1].sink
	l.queue = append(l.queue, batch{sink: sink})
	l.signal()
	time.AfterFunc(l.patience, func() { _ = old.Close() }) // the writer gets the error
	return nil
}

// Close writes the waiting entries and ends the log. Later entries are dropped. After some seconds it gives up, and
// counts what is not written by then as lost. The error says how many lines were lost since the call.
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
		_ = last.Close() // a write in progress fails, and the writer reports its lines
		l.ended()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.abandon()
	if lost := l.total - before; lost > 0 {
		return fmt.Errorf("access log: %d lines were lost at the end: %w", lost, cmp.Or(l.failure, errSlow))
	}
	return nil
}

// abandon counts all lines that are not written as lost. There are some only where the writer hangs: nothing can end a
// write to standard error. The caller holds mu.
func (l *Log) abandon() {
	lines := l.inHand
	for _, b := range l.queue {
		lines += len(b.entries)
	}
	l.inHand, l.queue = 0, nil
	if lines > 0 {
		l.lose(lines, errSlow)
	}
}

// ended waits for the writer, for a limited time, and reports whether it has ended.
func (l *Log) ended() bool {
	select {
	case <-l.done:
		return true
	case <-time.After(l.patience):
		return false
	}
}
