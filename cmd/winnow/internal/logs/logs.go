// Package logs builds the loggers of winnow.
package logs

import (
	"io"
	"log/slog"
)

// Log is the program's logger with its level, which can change while winnow runs.
type Log struct {
	*slog.Logger
	Level *slog.LevelVar
}

// New returns a logger that writes to w, as JSON if format is "json", otherwise as text.
func New(w io.Writer, format string, level slog.Level) *Log {
	l := &Log{Level: new(slog.LevelVar)}
	l.Level.Set(level)
	opts := &slog.HandlerOptions{Level: l.Level}
	if format == "json" {
		l.Logger = slog.New(slog.NewJSONHandler(w, opts))
	} else {
		l.Logger = slog.New(slog.NewTextHandler(w, opts))
	}
	return l
}
