package access

import (
	"context"
	"fmt"
)

// Turn is the turn of a client whose work comes in pieces, with waits for a peer between them. It begins when data of
// the peer has arrived and ends before the next wait, so that a slow peer blocks nobody else. It is for one goroutine.
type Turn struct {
	// Turns is nil if the work needs no turn.
	Turns  *Turns
	Client string
	// Context bounds the wait for a turn.
	Context context.Context //nolint:containedctx // that of the work, which reads by io.Reader

	leave func()
}

// Begin waits for the turn. It fails if the context ends first.
func (t *Turn) Begin() (err error) {
	if t.Turns == nil {
		return nil
	}
	if t.leave, err = t.Turns.Enter(t.Context, t.Client); err != nil {
		return fmt.Errorf("too many clients wait for this kind of work: %w", err)
	}
	return nil
}

// End ends the turn, if there is one.
func (t *Turn) End() {
	if t.leave != nil {
		t.leave()
		t.leave = nil
	}
}
