package base

import (
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
)

// Format is the frame of the models of the detector of that name.
func Format(name, magic string) codec.Format {
	return codec.Format{What: name + " model", Magic: magic, Version: 1}
}

// Model is a host's model that can be loaded.
type Model interface {
	model.Host
	// Load reads what Encode wrote into a model that has learned nothing; see the function of this name.
	Load(encoded []byte) error
}

// Options are the options of one published system. They know its name and make its models.
type Options interface {
	// Name is the name that selects the detector.
	Name() string
	// NewModel returns a model that has learned no page.
	NewModel(key model.Key) Model
}

// Detector makes the models of one published system. The zero value has the default options.
type Detector[O Options] struct {
	Options O
}

// Name is the name that selects the detector.
func (d Detector[O]) Name() string { return d.Options.Name() }

// New returns a model that has learned no page.
func (d Detector[O]) New(key model.Key) model.Host { return d.Options.NewModel(key) }

// Decode reads what Encode wrote; for errors see [Load].
func (d Detector[O]) Decode(key model.Key, b []byte) (model.Host, error) {
	m := d.Options.NewModel(key)
	if err := m.Load(b); err != nil {
		return nil, err
	}
	return m, nil
}
