package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Exit codes. They are a contract: scripts tell a bad command line from work that failed.
const (
	ExitOK     = 0
	ExitFailed = 1
	ExitUsage  = 2
)

// ErrUsage marks errors of the command line or the configuration, which end with ExitUsage.
var ErrUsage = errors.New("usage")

// ErrInterrupted says that a signal ended a command before its work was done.
var ErrInterrupted = errors.New("interrupted before all was done")

// Usagef makes an error that ends with ExitUsage. Its message should name the flag, field or file.
func Usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

type usageError struct{ error }

func (e *usageError) Unwrap() []error { return []error{e.error, ErrUsage} }

// ExitCode reports err, if any, on stderr with a line for each of the errors that were joined, and returns the exit code.
// A command that a signal ended reports ErrInterrupted.
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
