package judge

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/decision"
)

func TestWeightsOfOtherFeaturesAreRefused(t *testing.T) {
	b := Header()
	b[len(magic)] ^= 1
	if _, err := decode(append(b, 0, 0, 0, 0)); err == nil || !strings.Contains(err.Error(), "other features") {
		t.Errorf("weights with another hash: %v", err)
	}
	if _, err := decode(append(Header(), 0, 0, 0, 0)); err != nil {
		t.Errorf("weights with the right hash: %v", err)
	}
}

func TestCalibration(t *testing.T) {
	c := decision.Calibration{{Expected: .2, Found: .1}, {Expected: .6, Found: .5}, {Expected: .9, Found: .95}}
	for x, want := range map[float32]float32{0: .1, .2: .1, .4: .3, .6: .5, .75: .725, 1: .95} {
		if got := c.At(x); got < want-1e-5 || got > want+1e-5 {
			t.Errorf("an expected F1 of %g comes to %g, want %g", x, got, want)
		}
	}
	b := AppendCalibration(nil, [][2]float32{{.2, .1}, {.6, .5}})
	if got, rest, err := decodeCalibration(b); err != nil || len(rest) != 0 || !slices.Equal(got, c[:2]) {
		t.Errorf("decoded %v, %d bytes over: %v", got, len(rest), err)
	}
	for _, bad := range [][][2]float32{{{.5, .1}, {.4, .2}}, {{.5, 1.5}}, make([][2]float32, maxKnots+1)} {
		if _, _, err := decodeCalibration(AppendCalibration(nil, bad)); err == nil {
			t.Errorf("the calibration %v is accepted", bad)
		}
	}
}
