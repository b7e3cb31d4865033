package styletree

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
)

// Name is the detector's name.
const Name = "sst"

// Detector is the Site Style Tree as a detector of its own.
type Detector = base.Detector[Options]

// Name returns "sst".
func (Options) Name() string { return Name }

// NewModel implements [base.Options].
func (o Options) NewModel(key model.Key) base.Model { return New(key, o) }
