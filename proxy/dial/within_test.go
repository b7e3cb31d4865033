package dial

import (
	"testing"
	"time"
)

// A limit of zero is none: work that has no limit has no deadline in the past either.
func TestZeroIsNoLimit(t *testing.T) {
	ctx, cancel := within(t.Context(), 0)
	defer cancel()
	if _, limited := ctx.Deadline(); limited || ctx.Err() != nil {
		t.Errorf("no limit: %v", ctx.Err())
	}
	ctx, cancel = within(t.Context(), time.Hour)
	defer cancel()
	if _, limited := ctx.Deadline(); !limited {
		t.Error("an hour is no limit")
	}
}
