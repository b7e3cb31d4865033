// Package accesslog writes a line for each request, in the forms that tools for web servers read. Lines are buffered for a
// moment and never lost while the disk takes them; files can be renamed by logrotate and opened anew.
package accesslog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Options say where lines go and what they look like.
type Options struct {
	// File is the file that lines are appended to, "-" for Stderr; with none, nothing is logged.
	File string
	// Format is that of the lines; empty means Common.
	Format Format
	// URLs adds hosts and paths, which are left out otherwise.
	URLs bool
	// Stderr is what "-" stands for.
	Stderr io.Writer
}

// Sink is a place that lines can go to: what Open has opened and Use puts into use.
type Sink struct {
	opts Options
	w    *bufio.Writer
	file io.Closer
}

// bufferSize is how much of the log waits at most, and flushEvery for how long.
const (
	bufferSize = 64 << 10
	flushEvery = time.Second
)

// Open opens the file of o, which is created, for its owner alone, where it is missing.
func Open(o Options) (*Sink, error) {
	s := &Sink{opts: o}
	switch o.File {
	case "":
	case "-":
		s.w = bufio.NewWriterSize(o.Stderr, bufferSize)
	default:
		f, err := os.OpenFile(o.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("access log: %w", err)
		}
		s.w, s.file = bufio.NewWriterSize(f, bufferSize), f
	}
	return s, nil
}

// Close writes what waits and closes the file. Lines that were not written are lost, which the error tells.
func (s *Sink) Close() error {
	var err error
	if s.w != nil {
		err = s.w.Flush()
	}
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	return err
}

// Log is an access log. It is safe for concurrent use.
type Log struct {
	logger *slog.Logger
	stop   chan struct{}
	done   sync.WaitGroup

	mu     sync.Mutex
	sink   *Sink
	closed bool
	// failing is set while lines can't be written; lost counts them.
	failing bool
	lost    int
}

// New returns a log that writes to sink. It must be closed in the end. logger gets what goes wrong.
func New(sink *Sink, logger *slog.Logger) *Log {
	l := &Log{logger: logger, stop: make(chan struct{}), sink: sink}
	l.done.Go(l.flush)
	return l
}

// flush writes what waits, every so often.
func (l *Log) flush() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
		l.mu.Lock()
		if l.sink.w != nil {
			l.check(l.sink.w.Flush())
		}
		l.mu.Unlock()
	}
}

// Record writes a line for e.
func (l *Log) Record(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sink.w == nil || l.closed {
		return
	}
	if !l.sink.opts.URLs {
		e.Host, e.Path = "", ""
	}
	_, err := l.sink.w.Write(e.line(l.sink.opts.Format))
	l.check(err)
}

// check tells of the first failure, and begins anew: a bufio.Writer that has failed once takes nothing more.
func (l *Log) check(err error) {
	if err == nil {
		if l.failing && l.sink.w.Buffered() == 0 {
			l.failing = false
			l.logger.Info("the access log is written again", "lost_bytes", l.lost)
		}
		return
	}
	if !l.failing {
		l.logger.Error("the access log can't be written: lines are lost", "error", err)
	}
	l.failing = true
	l.lost += l.sink.w.Buffered()
	if f, ok := l.sink.file.(io.Writer); ok {
		l.sink.w.Reset(f)
	} else {
		l.sink.w.Reset(l.sink.opts.Stderr)
	}
}

// Use ends the sink in use and goes on with another one: a line is in the one or the other.
func (l *Log) Use(sink *Sink) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return sink.Close()
	}
	old := l.sink
	l.sink = sink
	if err := old.Close(); err != nil {
		return fmt.Errorf("access log: end the old file: %w", err)
	}
	return nil
}

// Close writes what waits and ends the log. Later entries are dropped.
func (l *Log) Close() error {
	l.mu.Lock()
	closed := l.closed
	l.closed = true
	l.mu.Unlock()
	if closed {
		return nil
	}
	close(l.stop)
	l.done.Wait()
	if err := l.sink.Close(); err != nil {
		return fmt.Errorf("access log: %w", err)
	}
	return nil
}
