package modeltest_test

import (
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/model/internal/modeltest"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// A detector that learns and one that does not fulfil the contract.
func TestContract(t *testing.T) {
	modeltest.Check(t, styletree.Detector{}, model.DefaultLimits())
	modeltest.Check(t, detectors.Keep{}, model.DefaultLimits())
}
