package accesslog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
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
	w    io.Writer // nil where nothing is logged
	file io.Closer // nil where there is none to close
	// torn is set when a line was written in part.
	torn bool
}

// chunkBytes is about how much is written at once.
const chunkBytes = 64 << 10

// Open opens the file of o, which is created, for its owner alone, where it is missing.
func Open(o Options) (*Sink, error) {
	s := &Sink{opts: o}
	switch o.File {
	case "":
	case "-":
		s.w = o.Stderr
	default:
		f, err := os.OpenFile(o.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("access log: %w", err)
		}
		s.w, s.file = f, f
	}
	return s, nil
}

// Close closes the file, which fails a write that is under way. A second call does nothing.
func (s *Sink) Close() error {
	if s.file == nil {
		return nil
	}
	if err := s.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("access log: %w", err)
	}
	return nil
}

// write writes the lines of entries, and returns how many of them were lost.
func (s *Sink) write(entries []Entry) (lost int, err error) {
	var chunk bytes.Buffer
	for i, e := range entries {
		chunk.Write(e.line(s.opts.Format))
		if chunk.Len() < chunkBytes && i < len(entries)-1 {
			continue
		}
		n, errChunk := s.writeChunk(chunk.Bytes())
		lost, err = lost+n, cmp.Or(err, errChunk)
		chunk.Reset()
	}
	return lost, err
}

// writeChunk writes whole lines. A line that was written in part before is ended first, so that it spoils no other.
func (s *Sink) writeChunk(lines []byte) (lost int, err error) {
	if s.torn {
		if _, err := s.w.Write([]byte{'\n'}); err != nil {
			return bytes.Count(lines, []byte{'\n'}), err
		}
		s.torn = false
	}
	n, err := s.w.Write(lines)
	if err == nil {
		return 0, nil
	}
	s.torn = n > 0 && lines[n-1] != '\n'
	return bytes.Count(lines[n:], []byte{'\n'}), err
}
