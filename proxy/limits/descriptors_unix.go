//go:build unix

package limits

import (
	"math"
	"syscall"
)

// Descriptors returns how many descriptors the process may have open.
func Descriptors() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil || uint64(l.Cur) > math.MaxInt32 { //nolint:unconvert // signed on FreeBSD
		return math.MaxInt32
	}
	return int(l.Cur)
}
