package view

import (
	"math"
)

// Log1 is the logarithm of n+1.
func Log1(n int32) float32 {
	if uint32(n) < uint32(len(logs)) {
		return logs[n]
	}
	return float32(math.Log1p(float64(n)))
}

// logs are the logarithms of small numbers, because most numbers are small.
//
//nolint:gochecknoglobals // it never changes
var logs = func() (table [256]float32) {
	for n := range table {
		table[n] = float32(math.Log1p(float64(n)))
	}
	return table
}()

// Ratio is a/b, or 0 without b.
func Ratio(a, b int32) float32 {
	if b == 0 {
		return 0
	}
	return float32(a) / float32(b)
}

// Reach is the first and the last block of some kind on a page, -1 when there is none.
type Reach struct{ First, Last int }

// ReachOf finds the first and last of n blocks for which in holds.
func ReachOf(n int, in func(i int) bool) Reach {
	r := Reach{-1, -1}
	for i := range n {
		if in(i) {
			if r.First < 0 {
				r.First = i
			}
			r.Last = i
		}
	}
	return r
}
