package detectors

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/page"
)

// Keep is the detector that finds no noise. It is the baseline for all others, and a way to run the proxy without
// cleaning. It learns nothing, so its models are empty.
type Keep = base.Detector[keep]

const keepName = "keep"

// keep has no options.
type keep struct{}

// Name implements [base.Options].
func (keep) Name() string { return keepName }

// NewModel implements [base.Options].
func (keep) NewModel(model.Key) base.Model { return keepHost{keepName} }

type keepHost struct{ base.Stateless }

func (keepHost) Mark(p *page.Page, _ model.Visit) *page.Marking {
	return &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
}
