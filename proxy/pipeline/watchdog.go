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
	w := &watched{}
	first := "begin"
	w.at(&first)
	w.timer = time.AfterFunc(most+pl.overrun, func() {
		stage := *w.stage.Load()
		if pl.opts.Metrics.Late != nil {
			pl.opts.Metrics.Late(what, stage)
		}
		pl.opts.Logger.LogAttrs(context.WithoutCancel(x.ctx), slog.LevelError, "work goes on beyond its deadline",
			x.attrs(slog.String("work", what), slog.String("stage", stage), slog.Duration("deadline", most))...)
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
