package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"github.com/winnow-proxy/winnow/proxy/admin"
)

// parsed is a command line with what environment and configuration file add to it.
type parsed struct {
	cli *cli
	ctx *kong.Context
}

// reparse parses the command line again, for what the configuration file says now.
func reparse(args []string, env environment) (parsed, error) {
	c := &cli{}
	parser, err := newParser(c, env, io.Discard, io.Discard, func() {})
	if err != nil {
		return parsed{}, err
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return parsed{}, usagef("%s", explain(err))
	}
	return parsed{c, ctx}, nil
}

// flags returns the flags of the command that was chosen, with those of the program.
func (p parsed) flags() map[string]*kong.Flag {
	flags := map[string]*kong.Flag{}
	for _, f := range p.ctx.Flags() {
		if settable(f) {
			flags[f.Name] = f
		}
	}
	return flags
}

// changes compares the settings with those in force. A flag with the tag reload:"restart" is read once, when the program
// starts: it is put back to what it was, and named in Restart.
func (p parsed) changes(inForce parsed) (r admin.Reloaded) {
	old := inForce.flags()
	for _, f := range p.ctx.Flags() {
		was, ok := old[f.Name]
		if !ok || reflect.DeepEqual(f.Target.Interface(), was.Target.Interface()) {
			continue
		}
		if f.Tag.Get("reload") == "restart" {
			f.Target.Set(was.Target)
			r.Restart = append(r.Restart, f.Name)
			continue
		}
		r.Changed = append(r.Changed, f.Name)
	}
	if !reflect.DeepEqual(p.cli.sites, inForce.cli.sites) {
		r.Changed = append(r.Changed, overridesKey)
	}
	return r
}

// reloader reads the configuration again while winnow serve runs. It is safe for concurrent use.
type reloader struct {
	program *program
	service *service
	// log is not discreet: what it says is the operator's own configuration.
	log *slog.Logger

	mu      sync.Mutex
	inForce parsed
}

// reload reads configuration and the files that it names, checks all of it, and only then puts it in force. With an error
// nothing has changed. It returns the flags that changed, and those that take a restart.
func (r *reloader) reload(ctx context.Context) (admin.Reloaded, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	done, err := r.try(ctx)
	if err != nil {
		r.log.ErrorContext(ctx, "configuration refused: the old one stays in force", "error", err)
		return done, err
	}
	r.log.InfoContext(ctx, "configuration reloaded", "changed", strings.Join(done.Changed, " "))
	if len(done.Restart) > 0 {
		r.log.WarnContext(ctx, "some of the configuration needs a restart", "flags", strings.Join(done.Restart, " "))
	}
	return done, nil
}

func (r *reloader) try(ctx context.Context) (admin.Reloaded, error) {
	next, err := r.program.reparse()
	if err != nil {
		return admin.Reloaded{}, err
	}
	done := next.changes(r.inForce)
	p := *r.program
	p.overrides = next.cli.overrides
	o, err := next.cli.Serve.options(&p)
	if err != nil {
		return admin.Reloaded{}, err
	}
	if err := r.service.reload(o); err != nil {
		return admin.Reloaded{}, fmt.Errorf("configuration: %w", err)
	}
	r.program.level.Set(next.cli.LogLevel)
	r.inForce = next
	return done, ctx.Err()
}

// onHangup reloads at every signal until ctx ends.
func (r *reloader) onHangup(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			_, _ = r.reload(ctx) // the log says what came of it
		}
	}
}
