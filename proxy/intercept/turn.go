package intercept

import (
	"context"
	"fmt"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// turn is the turn of a client whose handshake is under way. It has one while the handshake computes, and none while it
// waits for what the client sends: a slow client keeps nobody from theirs.
type turn struct {
	// turns is nil where handshakes are not shared out.
	turns  *access.Turns[access.Client]
	client access.Client
	ctx    context.Context //nolint:containedctx // that of the handshake, which reads by io.Reader
	leave  func()
}

// begin waits for the turn.
func (t *turn) begin() (err error) {
	if t.turns == nil {
		return nil
	}
	if t.leave, err = t.turns.Enter(t.ctx, t.client); err != nil {
		return fmt.Errorf("too many handshakes are under way: %w", err)
	}
	return nil
}

// end ends the turn, where there is one.
func (t *turn) end() {
	if t.leave != nil {
		t.leave()
		t.leave = nil
	}
}
