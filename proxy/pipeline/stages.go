package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnow-proxy/winnow/model"
)

// stage is one step of a page on its way. It takes the job on, or says why the page passes as the origin sent it.
type stage struct {
	name string
	do   func(*Job) (Reason, error)
	// fresh leaves the stage out where the page is written by a recipe.
	fresh bool
}

// arrival are the stages until the page is here and has a place, in the goroutine of its request.
func arrival() []stage {
	return []stage{
		{name: "begin", do: (*Job).begin}, // header: can the codings be undone, may it be so large?
		{name: "read", do: (*Job).read},   // the whole body, held back
		{name: "wait", do: (*Job).enter},  // a place among the pages that are cleaned
	}
}

// cleaning are the stages that make another page of it, in a goroutine of its own; see [Job.aside].
func cleaning() []stage {
	return []stage{
		{name: "decode", do: (*Job).decode},                // undo the content codings
		{name: "recall", do: (*Job).recall},                // the page again, byte for byte: write it as before
		{name: "afford", do: (*Job).afford, fresh: true},   // memory for its tree
		{name: "parse", do: (*Job).parsePage, fresh: true}, // tree and blocks
		{name: "mark", do: (*Job).mark, fresh: true},       // the verdict of the host's model
		{name: "learn", do: (*Job).learn, fresh: true},     // queue it for that model
		{name: "decide", do: (*Job).decide, fresh: true},   // does the marking want the original?
		{name: "write", do: (*Job).write, fresh: true},     // the page in its mode
		{name: "keep", do: (*Job).keep, fresh: true},       // a recipe, for when it comes again
		{name: "encode", do: (*Job).encode},                // body and header for the client
	}
}

// examining are the stages of a page that is judged for somebody to look at; see [Pipeline.Examine].
func examining() []stage {
	return append(arrival(),
		stage{name: "decode", do: (*Job).decode},
		stage{name: "afford", do: (*Job).afford},
		stage{name: "parse", do: (*Job).parsePage},
		stage{name: "mark", do: (*Job).mark},
	)
}

// run takes the job through stages, up to the first that wants the page to pass.
func (x *Job) run(stages []stage) (Reason, error) {
	for i := range stages {
		s := &stages[i]
		if s.fresh && x.recalled {
			continue
		}
		x.watch.at(&s.name)
		if reason, err := s.do(x); reason != "" {
			return reason, err
		}
	}
	return "", nil
}

// verdict is why a page passes; reason is empty where it was cleaned.
type verdict struct {
	reason Reason
	err    error
}

// aside runs stages in a goroutine of its own, which keeps the page's place until it truly ends: neither the parser nor
// a detector can be interrupted. It says why the page passes, or that it took too long.
func (x *Job) aside(stages []stage) (Reason, error) {
	limit, size := x.pl.opts.Limits.Clean, len(x.coded)
	ctx, cancel := context.WithTimeout(x.ctx, limit)
	defer cancel()
	done := make(chan verdict, 1)
	x.within, x.watch = ctx, x.pl.watch("page", x, limit)
	go func() {
		defer x.place.leave()
		var v verdict
		err := model.Contain(func() error {
			defer x.giveBack()
			v.reason, v.err = x.run(stages)
			return nil
		})
		if err != nil {
			v = verdict{ReasonPanic, err}
		}
		x.watch.end() // to learn has a time of its own
		done <- v
		_ = model.Contain(func() error { x.learnLater(ctx); return nil }) // the page is not learned
	}()
	select {
	case v := <-done:
		return v.reason, v.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return ReasonTimeout, fmt.Errorf("cleaning %d bytes took over %s", size, limit)
		}
		return ReasonCanceled, nil
	}
}
