package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Exit codes. They are a contract: scripts distinguish a bad command line from a failure.
const (
	ExitOK     = 0
	ExitFailed = 1
	ExitUsage  = 2
)

// ErrUsage marks errors of the command line or the configuration, which end with ExitUsage.
var ErrUsage = errors.New("usage")

// ErrInterrupted says that a signal ended a command before its work was done.
var ErrInterrupted = errors.New("interrupted before the work was done")

// Usagef returns an error that ends with ExitUsage. Its message should name the flag, field or file.
func Usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

type usageError struct{ error }

func (e *usageError) Unwrap() []error { return []error{e.error, ErrUsage} }

// ExitCode prints err, if any, on stderr, with a line for each joined error, and returns the exit code. If a signal
// ended the command, it prints ErrInterrupted.
func (c *Console) ExitCode(ctx context.Context, err error) int {
	if err == nil {
		return ExitOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = ErrInterrupted
	}
	for line := range strings.Lines(err.Error()) {
		c.Warnf("%s", strings.TrimSpace(line))
	}
	if errors.Is(err, ErrUsage) {
		return ExitUsage
	}
	return ExitFailed
}
