//go:build !unix

package limits

import "math"

// Descriptors returns how many descriptors the process may have open: handles have no limit that could be met.
func Descriptors() int { return math.MaxInt32 }
