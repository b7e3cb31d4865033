//go:build !unix

package fleet

import "time"

// processorTime returns the time that passes while f runs, since only Unix has the processor time of a process.
func processorTime(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
