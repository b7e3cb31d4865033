package decision

import (
	"slices"
)

// Knot is a point of the curve that maps the expected F1 of a decision to the mean F1 that pages with this expectation
// had, in folds over domains. Both are in [0,1].
type Knot struct{ Expected, Found float32 }

// Calibration is the curve: straight lines between knots, in order of expected.
type Calibration []Knot

// At returns the calibrated F1. Without knots it returns the expectation itself.
func (c Calibration) At(expected float32) float32 {
	if len(c) == 0 {
		return expected
	}
	i, _ := slices.BinarySearchFunc(c, expected, func(k Knot, x float32) int {
		if k.Expected < x {
			return -1
		}
		return 1
	})
	if i == 0 {
		return c[0].Found
	}
	if i == len(c) {
		return c[i-1].Found
	}
	a, b := c[i-1], c[i]
	return a.Found + (b.Found-a.Found)*(expected-a.Expected)/max(b.Expected-a.Expected, 1e-6)
}
