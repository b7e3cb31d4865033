package access

import (
	"context"
	"fmt"
)

// Turn is the turn of a client whose work comes in pieces, with waits for a peer between them: it begins when the peer
// has been heard and ends before the next wait, so that a slow one keeps nobody from theirs. It is for one goroutine.
type Turn[K comparable] struct {
	// Turns is nil where the work is not shared out.
	Turns  *Turns[K]
	Client K
	// Context ends the wait for a turn.
	Context context.Context //nolint:containedctx // that of the work, which reads by io.Reader

	leave func()
}

// Begin waits for the turn. It fails where that takes longer than the context lasts.
func (t *Turn[K]) Begin() (err error) {
	if t.Turns == nil {
		return nil
	}
	if t.leave, err = t.Turns.Enter(t.Context, t.Client); err != nil {
		return fmt.Errorf("too much of the kind is under way: %w", err)
	}
	return nil
}

// End ends the turn, where there is one.
func (t *Turn[K]) End() {
	if t.leave != nil {
		t.leave()
		t.leave = nil
	}
}
