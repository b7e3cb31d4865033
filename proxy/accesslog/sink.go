package accesslog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
)

// Options configure the destination and format of the lines.
type Options struct {
	// File is the file to append to, or "-" for Stderr. With an empty File, nothing is logged.
	File string
	// Format is the format of the lines; empty means Common.
	Format Format
	// URLs includes hosts and paths.
	URLs bool
	// Stderr is the destination for "-".
	Stderr io.Writer
}

// Sink is a destination of lines. Open opens it and Use puts it into use.
type Sink struct {
	opts Options
	w    io.Writer // nil where nothing is logged
	file io.Closer // nil where there is none to close
	// torn is set when a line was written in part.
	torn bool
}

// chunkBytes is the approximate size of one write.
const chunkBytes = 64 << 10

// Open opens the file of o. It creates a missing file, readable by its owner alone.
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

// Close closes the file. A running write fails. A second call does nothing.
func (s *Sink) Close() error {
	if s.file == nil {
		return nil
	}
	if err := s.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("access log: %w", err)
	}
	return nil
}

// write writes the lines of entries and returns how many of them were lost.
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

// writeChunk writes whole lines. After a partly written line it first ends that line, so that no other is damaged.
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
