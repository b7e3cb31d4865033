package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/winnow-proxy/winnow/proxy/overrides"
)

// program is what commands see of the world outside.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            environment
	noColor        bool
	log            *slog.Logger
	level          *slog.LevelVar // of log
	// overrides are the configuration's rules for single hosts, nil where it has none.
	overrides *overrides.Set
	// parsed is the command line, and reparse parses it again, with what the configuration file says then.
	parsed  parsed
	reparse func() (parsed, error)
}

// environment are the variables that the process was started with.
type environment map[string]string

func newEnvironment(environ []string) environment {
	env := environment{}
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		env[k] = v
	}
	return env
}

// dataDir is where models and the CA are kept unless --data says otherwise, as the XDG base directory specification
// has it.
func (e environment) dataDir() string {
	if dir := e["XDG_DATA_HOME"]; filepath.IsAbs(dir) {
		return filepath.Join(dir, "winnow")
	}
	if home := e["HOME"]; home != "" {
		return filepath.Join(home, ".local", "share", "winnow")
	}
	if dir := e["LocalAppData"]; dir != "" {
		return filepath.Join(dir, "winnow")
	}
	return "winnow-data"
}

// isTerminal reports whether f is a terminal.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// paint returns a function that puts text in a style of ECMA-48 ("1" is bold, "2" dim, "31" red), or leaves it alone
// where colour is not wanted: off a terminal, with --no-color and with NO_COLOR (no-color.org).
func (p *program) paint() func(style, text string) string {
	if p.noColor || p.env["NO_COLOR"] != "" || p.env["TERM"] == "dumb" || !isTerminal(p.stdout) {
		return func(_, text string) string { return text }
	}
	return func(style, text string) string { return "\x1b[" + style + "m" + text + "\x1b[0m" }
}

// progress starts a bar of total steps on a terminal. Elsewhere the functions that it returns do nothing.
func (p *program) progress(what string, total int) (step, done func()) {
	if !isTerminal(p.stderr) || total < 2 {
		return func() {}, func() {}
	}
	bar := progressbar.NewOptions(total, progressbar.OptionSetWriter(p.stderr), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond))
	// A bar that can't be drawn is no reason to stop the work.
	return func() { _ = bar.Add(1) }, func() { _ = bar.Finish() }
}

// newLogger makes the logger that is handed to whatever logs.
func newLogger(w io.Writer, format string, level slog.Leveler) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// warnf tells the user something on stderr that is not the command's result.
func (p *program) warnf(format string, args ...any) {
	fmt.Fprintf(p.stderr, "winnow: "+format+"\n", args...)
}
