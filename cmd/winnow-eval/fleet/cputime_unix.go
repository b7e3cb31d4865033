//go:build unix

package fleet

import (
	"syscall"
	"time"
)

// processorTime returns the processor time that the process has used while f ran, 0 where the system does not say.
func processorTime(f func()) time.Duration {
	before := used()
	f()
	return used() - before
}

func used() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
