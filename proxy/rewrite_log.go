package proxy

import (
	"context"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// sampler lets one event of each key through per interval, so that a site that fails on every page does not fill the log.
type sampler struct {
	interval time.Duration
	mu       sync.Mutex
	seen     *lru.Cache[string, *sample]
}

type sample struct {
	last time.Time
	// dropped counts the events held back since.
	dropped int
}

// newSampler remembers up to keys keys; one that falls out starts anew.
func newSampler(interval time.Duration, keys int) (*sampler, error) {
	seen, err := lru.New[string, *sample](keys)
	return &sampler{interval: interval, seen: seen}, err
}

// allow reports whether an event goes through, and how many of its key were held back before.
func (s *sampler) allow(key string, now time.Time) (dropped int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, known := s.seen.Get(key)
	if !known {
		e = &sample{}
		s.seen.Add(key, e)
	} else if now.Sub(e.last) < s.interval {
		e.dropped++
		return 0, false
	}
	dropped, *e = e.dropped, sample{last: now}
	return dropped, true
}

// logPass writes the line of a response that passed: a failure as a warning, sampled; policy for debugging alone.
func (rw *Rewriter) logPass(ctx context.Context, x *Exchange, reason Reason, err error, stack []byte) {
	level := slog.LevelDebug
	if reason.Failure() {
		level = slog.LevelWarn
	}
	if reason == ReasonPanic {
		level = slog.LevelError
	}
	if !rw.opts.Logger.Enabled(ctx, level) {
		return
	}
	attrs := rw.attrs(x, slog.String("reason", string(reason)))
	if level > slog.LevelDebug {
		dropped, ok := rw.samples.allow(string(reason)+" "+x.host, rw.opts.Now())
		if !ok {
			return
		}
		attrs = append(attrs, slog.Int("since_last", dropped))
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	if stack != nil {
		attrs = append(attrs, slog.String("stack", string(stack)))
	}
	rw.opts.Logger.LogAttrs(ctx, level, "page passed as the origin sent it", attrs...)
}

// logClean writes the line of a response that was cleaned, for debugging.
func (rw *Rewriter) logClean(ctx context.Context, x *Exchange, c cleanedPage) {
	if rw.opts.Logger.Enabled(ctx, slog.LevelDebug) {
		rw.opts.Logger.LogAttrs(ctx, slog.LevelDebug, "page cleaned", rw.attrs(x, slog.String("mode", c.variant.mode.String()),
			slog.Int("pages", c.pages), slog.Float64("removed", c.removed))...)
	}
}

// attrs adds what every line of an exchange says. A query is never logged, a path only when asked for.
func (rw *Rewriter) attrs(x *Exchange, more ...slog.Attr) []slog.Attr {
	attrs := append([]slog.Attr{slog.String("host", x.host)}, more...)
	if rw.opts.LogURLs {
		attrs = append(attrs, slog.String("path", x.path))
	}
	return attrs
}
