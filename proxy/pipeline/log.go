package pipeline

import (
	"context"
	"errors"
	"log/slog"

	"github.com/winnow-proxy/winnow/model"
)

// logPass logs a response that passed: failures as sampled warnings, policy at level debug.
func (pl *Pipeline) logPass(ctx context.Context, x *Job, reason Reason, err error) {
	level := slog.LevelDebug
	if reason.Failure() {
		level = slog.LevelWarn
	}
	if reason == ReasonPanic {
		level = slog.LevelError
	}
	if !pl.opts.Logger.Enabled(ctx, level) {
		return
	}
	attrs := pl.attrs(x, slog.String("reason", string(reason)))
	if level > slog.LevelDebug {
		dropped, ok := pl.samples.Allow(string(reason)+" "+x.host, pl.opts.Now())
		if !ok {
			return
		}
		attrs = append(attrs, slog.Int("since_last", dropped))
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	if p, ok := errors.AsType[*model.PanicError](err); ok {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	pl.opts.Logger.LogAttrs(ctx, level, "page passed as the origin sent it", attrs...)
}

// logClean logs a cleaned response at level debug.
func (pl *Pipeline) logClean(ctx context.Context, x *Job, c cleanedPage) {
	if pl.opts.Logger.Enabled(ctx, slog.LevelDebug) {
		pl.opts.Logger.LogAttrs(ctx, slog.LevelDebug, "page cleaned", pl.attrs(x, slog.String("mode", c.variant.mode.String()),
			slog.Int("pages", c.pages), slog.Float64("removed", c.removed))...)
	}
}

// attrs adds the attributes of every line. It never logs a query, and a path only if configured.
func (pl *Pipeline) attrs(x *Job, more ...slog.Attr) []slog.Attr {
	attrs := append([]slog.Attr{slog.String("host", x.host)}, more...)
	if pl.opts.LogURLs {
		attrs = append(attrs, slog.String("path", x.path))
	}
	return attrs
}
