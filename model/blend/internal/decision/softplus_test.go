package decision

import (
	"math"
	"testing"
)

// The softplus of the table is to the last bit that of its definition.
func TestSoftplusIsExact(t *testing.T) {
	computed := 0
	const step = 1.0 / 40_000
	for x := float32(-maxOdds - 1); x < maxOdds+1; x += step {
		want := float32(math.Log1p(math.Exp(float64(x))))
		if got := softplus(x); got != want {
			t.Fatalf("softplus(%v) = %v, want %v", x, got, want)
		}
		computed++
	}
	if computed < 700_000 {
		t.Errorf("only %d numbers", computed)
	}
	for _, x := range []float32{-maxOdds, 0, maxOdds, float32(math.Inf(1)), float32(math.Inf(-1))} {
		if got, want := softplus(x), float32(math.Log1p(math.Exp(float64(x)))); got != want {
			t.Errorf("softplus(%v) = %v, want %v", x, got, want)
		}
	}
}
