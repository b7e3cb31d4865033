package decision

import (
	"math"
)

// The labelling needs the softplus of each block's log-odds once per threshold that it tries. A Taylor series gives it
// with an error that is far below the precision of the result. Where the error could matter nevertheless, the
// definition gives it, so that the result never depends on the series (Ziv 1991).

// softplus is log(1+e^x): the negative log-probability of the label that log-odds of -x support.
func softplus(x float32) float32 {
	if !(-maxOdds <= x && x <= maxOdds) {
		return exactSoftplus(x)
	}
	n := int((x + maxOdds) * softplusSteps)
	at := &softpluses[n]
	h := float64(x) + maxOdds - (float64(n)+.5)/softplusSteps
	s, q := at.slope, at.slope*(1-at.slope)
	y := at.value + h*(s+h*(q/2+h*(q*(1-2*s)/6+h*(q*(1-6*q)/24+h*q*(1-2*s)*(1-12*q)/120))))
	const least, most = 1 - softplusError, 1 + softplusError
	if low := float32(y * least); low == float32(y*most) {
		return low
	}
	return exactSoftplus(x)
}

func exactSoftplus(x float32) float32 { return float32(math.Log1p(math.Exp(float64(x)))) }

const (
	// softplusSteps is the number of terms of the table in an interval of length 1.
	softplusSteps = 16
	// softplusError is more than the greatest relative error of the series. The first term left out is below
	// (1/32)^6/720 = 1.3e-12 times the sum.
	softplusError = 1e-11
)

// softpluses are the values and the slopes of softplus in the middle of each step from -maxOdds on.
//
//nolint:gochecknoglobals // it never changes
var softpluses = func() (table [2*maxOdds*softplusSteps + 1]struct{ value, slope float64 }) {
	for n := range table {
		x := (float64(n)+.5)/softplusSteps - maxOdds
		table[n].value, table[n].slope = math.Log1p(math.Exp(x)), 1/(1+math.Exp(-x))
	}
	return table
}()
