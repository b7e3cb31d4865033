package blend

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/winnow-proxy/winnow/model/page"
)

// knot is a point of the curve that maps the expected F1 of a decision to the mean F1 that pages with this expectation
// had, in folds over domains. Both are in [0,1].
type knot struct{ expected, found float32 }

// calibration is the curve: straight lines between knots, in order of expected.
type calibration []knot

// maxKnots is the most knots that a weights file may have.
const maxKnots = 64

// at returns the calibrated F1. Without knots it returns the expectation itself.
func (c calibration) at(expected float32) float32 {
	if len(c) == 0 {
		return expected
	}
	i, _ := slices.BinarySearchFunc(c, expected, func(k knot, x float32) int {
		if k.expected < x {
			return -1
		}
		return 1
	})
	if i == 0 {
		return c[0].found
	}
	if i == len(c) {
		return c[i-1].found
	}
	a, b := c[i-1], c[i]
	return a.found + (b.found-a.found)*(expected-a.expected)/max(b.expected-a.expected, 1e-6)
}

// AppendCalibration appends the curve through points of expected and found F1, in order of the first, to a weights file
// that has all stages.
func AppendCalibration(weights []byte, points [][2]float32) []byte {
	weights = binary.LittleEndian.AppendUint32(weights, uint32(len(points)))
	for _, p := range points {
		weights, _ = binary.Append(weights, binary.LittleEndian, p)
	}
	return weights
}

func decodeCalibration(b []byte) (c calibration, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, fmt.Errorf("%w: no calibration", errWeights)
	}
	n := binary.LittleEndian.Uint32(b)
	b = b[4:]
	if n > maxKnots || len(b) < int(n)*8 {
		return nil, nil, fmt.Errorf("%w: %d knots of a calibration", errWeights, n)
	}
	for range n {
		k := knot{float32At(b), float32At(b[4:])}
		if !(k.expected >= 0 && k.expected <= 1 && k.found >= 0 && k.found <= 1) || len(c) > 0 && k.expected <= c[len(c)-1].expected {
			return nil, nil, fmt.Errorf("%w: the calibration is out of order", errWeights)
		}
		c = append(c, k)
		b = b[8:]
	}
	return c, b, nil
}

// thinWords is the number of words below which the kept text is thin: a notice, a shell, a page of pictures.
const thinWords = 25

// isThin reports whether very little text is kept.
func (v *view) isThin(verdicts []page.Verdict) bool {
	words := int32(0)
	for i, d := range verdicts {
		if !d.Noise {
			words += v.blocks[i].words
		}
	}
	return words < thinWords
}
