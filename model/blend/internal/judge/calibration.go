package judge

import (
	"encoding/binary"
	"fmt"

	"github.com/winnow-proxy/winnow/model/blend/internal/decision"
	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
)

// maxKnots is the most knots that a weights file may have.
const maxKnots = 64

// AppendCalibration appends the curve through points of expected and found F1, in order of the first, to a weights file
// that has all stages.
func AppendCalibration(weights []byte, points [][2]float32) []byte {
	weights = binary.LittleEndian.AppendUint32(weights, uint32(len(points)))
	for _, p := range points {
		weights, _ = binary.Append(weights, binary.LittleEndian, p)
	}
	return weights
}

func decodeCalibration(b []byte) (c decision.Calibration, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, fmt.Errorf("%w: no calibration", errWeights)
	}
	n := binary.LittleEndian.Uint32(b)
	b = b[4:]
	if n > maxKnots || len(b) < int(n)*8 {
		return nil, nil, fmt.Errorf("%w: %d knots of a calibration", errWeights, n)
	}
	for range n {
		k := decision.Knot{Expected: forest.Float32At(b), Found: forest.Float32At(b[4:])}
		if !(k.Expected >= 0 && k.Expected <= 1 && k.Found >= 0 && k.Found <= 1) || len(c) > 0 && k.Expected <= c[len(c)-1].Expected {
			return nil, nil, fmt.Errorf("%w: the calibration is out of order", errWeights)
		}
		c = append(c, k)
		b = b[8:]
	}
	return c, b, nil
}
