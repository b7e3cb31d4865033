// Command winnow is a proxy that learns for each host which parts of its pages are template and which are content, and
// removes the template. Its other commands clean saved pages, measure detectors, and manage models and the CA.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
)

func main() {
	// net/http logs unexpected answers of origins to the default logger, with page text. winnow passes its own loggers.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends ctx and removes the handler, so that a second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	code := run(flags.WithSelf(ctx), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
