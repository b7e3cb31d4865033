// Package console is the process environment of a command: streams, variables, terminal and exit codes.
package console

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Console has the streams and the environment of a command.
type Console struct {
	// Name is the program's name. Its messages begin with it.
	Name           string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            Environment
	// NoColor disables colours.
	NoColor bool
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Painter applies a style of ECMA-48 to text: "1" is bold, "2" dim, "31" red.
type Painter func(style, text string) string

// Paint returns a painter. The painter leaves text unchanged without a terminal, with NoColor, and with NO_COLOR
// (no-color.org).
func (c *Console) Paint() Painter {
	if c.NoColor || c.Env["NO_COLOR"] != "" || c.Env["TERM"] == "dumb" || !IsTerminal(c.Stdout) {
		return func(_, text string) string { return text }
	}
	return func(style, text string) string { return "\x1b[" + style + "m" + text + "\x1b[0m" }
}

// Warnf tells the user something on stderr that is not the command's result.
func (c *Console) Warnf(format string, args ...any) {
	fmt.Fprintln(c.Stderr, c.Name+": "+visible(fmt.Sprintf(format, args...)))
}

// JSON writes v to stdout, indented.
func (c *Console) JSON(v any) error {
	enc := json.NewEncoder(c.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
