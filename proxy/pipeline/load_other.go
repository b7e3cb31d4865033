//go:build !unix

package pipeline

import "time"

// cpuTime returns no CPU time: this system has no getrusage.
func cpuTime() (t time.Duration, ok bool) { return 0, false }
