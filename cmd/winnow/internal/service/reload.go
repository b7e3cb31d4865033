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

// Next is a configuration that was read and checked and is not in force yet.
type Next struct {
	Options Options
	// Changes names the flags that changed, and those that need a restart.
	Changes admin.Reloaded
	// InForce is called when the options come into force.
	InForce func()
}

// Reloader reloads the configuration while a service runs. It is safe for concurrent use.
type Reloader struct {
	service *Service
	log     *slog.Logger
	read    func() (Next, error)

	mu sync.Mutex
}

// OnReload lets the admin address reload the service, and returns the reloader for other callers. read reads and checks
// the configuration. log should not be a discreet one, because it logs the operator's own configuration. Call it before
// Run.
func (s *Service) OnReload(log *slog.Logger, read func() (Next, error)) *Reloader {
	r := &Reloader{service: s, log: log, read: read}
	s.reload = r.Reload
	return r
}

// Reload reads the configuration and its files, checks everything, and only then puts it into force. After an error
// nothing has changed. It returns the flags that changed, and those that need a restart.
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
		r.log.ErrorContext(ctx, "configuration refused: the previous one stays in force", "error", err)
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
			_, _ = r.Reload(ctx) // Reload logs the result
		}
	}
}
