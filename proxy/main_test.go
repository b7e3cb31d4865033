package proxy

import (
	"testing"

	"go.uber.org/goleak"
)

// A proxy runs for months: no test may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
