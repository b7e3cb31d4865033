package detectors

import (
	"fmt"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Keep is the detector that finds no noise: the baseline that every other has to beat, and a way to run the proxy
// without cleaning. It learns nothing, so its models are empty.
type Keep struct{}

var (
	_ model.Detector = Keep{}
	_ model.Host     = keepHost{}
)

const (
	keepName = "keep"
	// keepFormat is the whole encoding of a model that has nothing to say.
	keepFormat = "keep1"
)

// Name implements model.Detector.
func (Keep) Name() string { return keepName }

// New implements model.Detector.
func (Keep) New(model.Key) model.Host { return keepHost{} }

// Decode implements model.Detector.
func (Keep) Decode(_ model.Key, b []byte) (model.Host, error) {
	if string(b) != keepFormat {
		return nil, fmt.Errorf("keep: %w", model.ErrFormat)
	}
	return keepHost{}, nil
}

type keepHost struct{}

func (keepHost) Observe(*page.Page, model.Visit) {}

func (keepHost) Mark(p *page.Page, _ model.Visit) *page.Marking {
	return &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
}

func (keepHost) Merge(other model.Host) error {
	if _, ok := other.(keepHost); !ok {
		return fmt.Errorf("keep: %w", model.ErrMismatch)
	}
	return nil
}

func (keepHost) Encode() ([]byte, error) { return []byte(keepFormat), nil }

func (keepHost) Stats() model.Stats { return model.Stats{} }
