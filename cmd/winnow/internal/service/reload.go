package service

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/winnow-proxy/winnow/proxy/admin"
)

// Next is a configuration that has been read and checked, and is not yet in force.
type Next struct {
	Options Options
	// Changes names the flags that changed, and those that take a restart.
	Changes admin.Reloaded
	// InForce is called when the options are in force.
	InForce func()
}

// Reloader reads the configuration again while a service runs. It is safe for concurrent use.
type Reloader struct {
	service *Service
	log     *slog.Logger
	read    func() (Next, error)

	mu sync.Mutex
}

// OnReload lets the admin address reload the service, and returns the reloader for others to use. read reads and checks
// the configuration; log should not be a discreet one, as what it says is the operator's own configuration. It must be
// called before Run.
func (s *Service) OnReload(log *slog.Logger, read func() (Next, error)) *Reloader {
	r := &Reloader{service: s, log: log, read: read}
	s.reload = r.Reload
	return r
}

// Reload reads configuration and the files that it names, checks all of it, and only then puts it in force. With an error
// nothing has changed. It returns the flags that changed, and those that take a restart.
func (r *Reloader) Reload(ctx context.Context) (admin.Reloaded, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next, err := r.read()
	if err == nil {
		if err = r.service.Reload(next.Options); err != nil {
			err = fmt.Errorf("configuration: %w", err)
		}
	}
	if err != nil {
		r.log.ErrorContext(ctx, "configuration refused: the old one stays in force", "error", err)
		return next.Changes, err
	}
	next.InForce()
	r.log.InfoContext(ctx, "configuration reloaded", "changed", strings.Join(next.Changes.Changed, " "))
	if len(next.Changes.Restart) > 0 {
		r.log.WarnContext(ctx, "some of the configuration needs a restart", "flags", strings.Join(next.Changes.Restart, " "))
	}
	return next.Changes, ctx.Err()
}

// OnHangup reloads at every signal until ctx ends.
func (r *Reloader) OnHangup(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			_, _ = r.Reload(ctx) // the log says what came of it
		}
	}
}
