package proxy

import (
	"io"
	"log"
	"testing"

	"go.uber.org/goleak"
)

// A proxy runs for months: no test may leave a goroutine behind. The default logger, to which net/http writes of
// origins that say too much, is silent as it is in the program.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	goleak.VerifyTestMain(m)
}
