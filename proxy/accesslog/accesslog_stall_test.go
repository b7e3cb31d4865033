//go:build unix

package accesslog

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// stalled opens a log into a pipe that nobody reads, and the pipe's other end.
func stalled(t *testing.T, logger *slog.Logger, lost func(int)) (*Log, *os.File) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	return New(open(t, Options{File: name}), logger, lost), reader
}

// fill records lines until some are lost, and returns how many it recorded. None of them may wait for the pipe.
func fill(t *testing.T, l *Log, lost *atomic.Int64) (n int64) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ; lost.Load() < 100; n++ {
			l.Record(sample())
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("a request waits for the access log")
	}
	return n
}

// When nobody reads, requests continue, losses are counted and reported once, and all accepted lines arrive when
// somebody reads again.
func TestPipeNobodyReads(t *testing.T) {
	var log lockedBuffer
	var lost atomic.Int64
	l, reader := stalled(t, slog.New(slog.NewTextHandler(&log, nil)), func(n int) { lost.Add(int64(n)) })
	recorded := fill(t, l, &lost)

	read := make(chan []byte)
	go func() {
		b, _ := io.ReadAll(reader)
		read <- b
	}()
	log.await(t, "works again")
	l.Record(sample())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	lines := int64(bytes.Count(<-read, []byte("\n")))
	if lines+lost.Load() != recorded+1 || lines < 1000 {
		t.Errorf("%d lines were recorded, %d written, %d lost", recorded+1, lines, lost.Load())
	}
	if n := strings.Count(log.String(), "lines are lost"); n != 1 {
		t.Errorf("told %d times:\n%s", n, log.String())
	}
}

func size(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// Close does not wait forever for a pipe that nobody reads, and reports the losses. Neither does a new file wait for
// the old one.
func TestStalledPipeIsGivenUp(t *testing.T) {
	var lost atomic.Int64
	l, _ := stalled(t, slog.New(slog.DiscardHandler), func(n int) { lost.Add(int64(n)) })
	l.patience = 50 * time.Millisecond
	recorded := fill(t, l, &lost)
	name := filepath.Join(t.TempDir(), "access.log")
	if err := l.Use(open(t, Options{File: name})); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); size(t, name) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing is in the new file")
		}
		l.Record(sample())
		recorded++
	}
	l.patience = time.Minute // a sound file gets the time that it needs
	if err := l.Close(); err != nil {
		t.Errorf("the new file is sound, but: %v", err)
	}
	if lost.Load() < 1000 || lost.Load() > recorded {
		t.Errorf("%d of %d lines were lost", lost.Load(), recorded)
	}

	l, _ = stalled(t, slog.New(slog.DiscardHandler), func(int) {})
	l.patience = 50 * time.Millisecond
	for range 2000 { // more than a pipe holds
		l.Record(sample())
	}
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "lines were lost at the end") {
		t.Errorf("a log that could not be written ends with %v", err)
	}
}
