// Command winnow is a proxy that learns, host by host, which parts of a site's pages are template and which are
// content, and takes the template out. Its other commands clean saved pages, measure detectors and look after models
// and the CA.
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
	// net/http writes to the default logger what an origin sends unasked, page text included. Ours are handed in.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks to stop; with the handler gone, a second one ends the process at once.
	context.AfterFunc(ctx, stop)
	code := run(flags.WithSelf(ctx), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
