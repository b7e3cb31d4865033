package pipeline

import (
	"errors"
	"log/slog"

	"github.com/winnow-proxy/winnow/model"
)

// logPass logs a response that passed: failures as sampled warnings, policy at level debug.
func (x *Job) logPass(reason Reason, err error) {
	level := slog.LevelDebug
	if reason.Failure() {
		level = slog.LevelWarn
	}
	if reason == ReasonPanic {
		level = slog.LevelError
	}
	if !x.pl.opts.Logger.Enabled(x.ctx, level) {
		return
	}
	attrs := x.attrs(slog.String("reason", string(reason)))
	if level > slog.LevelDebug {
		dropped, ok := x.pl.samples.Allow(string(reason)+" "+x.host, x.pl.opts.Now())
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
	x.pl.opts.Logger.LogAttrs(x.ctx, level, "page passed as the origin sent it", attrs...)
}

// logClean logs a cleaned response at level debug.
func (x *Job) logClean(c cleanedPage) {
	if x.pl.opts.Logger.Enabled(x.ctx, slog.LevelDebug) {
		x.pl.opts.Logger.LogAttrs(x.ctx, slog.LevelDebug, "page cleaned", x.attrs(slog.String("mode", c.variant.mode.String()),
			slog.Int("pages", c.pages), slog.Float64("removed", c.removed))...)
	}
}

// attrs adds the attributes of every line. It never logs a query, and a path only if configured.
func (x *Job) attrs(more ...slog.Attr) []slog.Attr {
	attrs := append([]slog.Attr{slog.String("host", x.host)}, more...)
	if x.pl.opts.LogURLs {
		attrs = append(attrs, slog.String("path", x.path))
	}
	return attrs
}
