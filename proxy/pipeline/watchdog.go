package pipeline

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// overrun is how long work may go on beyond its deadline. All of it asks whether its time is over; what does not for so
// long has a fault, which is to be seen before somebody makes use of it.
const overrun = time.Second

// watched is work with a deadline. A nil one is not watched.
type watched struct {
	stage atomic.Pointer[string]
	timer *time.Timer
}

// watch begins to watch the work on a "page" or "picture" that should end within a time.
func (pl *Pipeline) watch(what string, x *Job, most time.Duration) *watched {
	first := "begin"
	return pl.watchFor(x.ctx, what, &first, most, x.attrs)
}

// Watch begins to watch other work, such as on a "feed", that should end within a time. end ends the watch.
func (pl *Pipeline) Watch(ctx context.Context, what, stage string, most time.Duration) (end func()) {
	return pl.watchFor(ctx, what, &stage, most, func(attrs ...slog.Attr) []slog.Attr { return attrs }).end
}

func (pl *Pipeline) watchFor(ctx context.Context, what string, stage *string, most time.Duration, attrs func(...slog.Attr) []slog.Attr) *watched {
	w := &watched{}
	w.at(stage)
	w.timer = time.AfterFunc(most+pl.overrun, func() {
		stage := *w.stage.Load()
		if pl.opts.Metrics.Late != nil {
			pl.opts.Metrics.Late(what, stage)
		}
		pl.opts.Logger.LogAttrs(context.WithoutCancel(ctx), slog.LevelError, "work goes on beyond its deadline",
			attrs(slog.String("work", what), slog.String("stage", stage), slog.Duration("deadline", most))...)
	})
	return w
}

// at notes the stage of the work.
func (w *watched) at(stage *string) {
	if w != nil {
		w.stage.Store(stage)
	}
}

// end ends the watch.
func (w *watched) end() { w.timer.Stop() }
