// Package detectors lists the detectors by the names that select them in flags and configuration. It is the one place
// that knows them all; a detector itself knows none of the others.
package detectors

import (
	"errors"
	"fmt"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// Default is the name of the detector that is used where none is asked for.
const Default = "blend"

// ErrUnknown says that no detector has a name.
var ErrUnknown = errors.New("no such detector")

// Options are what can be set on detectors from outside. The zero value serves.
type Options struct {
	// Weights, when not empty, is a file of fitted weights for blend to use in place of those that are built in.
	Weights string
}

// entry is a detector by name.
type entry struct {
	name string
	make func(Options) (model.Detector, error)
}

// list has the default first.
func list() []entry {
	return []entry{
		{"blend", newBlend},
		{styletree.Name, func(Options) (model.Detector, error) { return styletree.Detector{}, nil }},
		{keepName, func(Options) (model.Detector, error) { return Keep{}, nil }},
	}
}

func newBlend(o Options) (model.Detector, error) {
	if o.Weights == "" {
		return blend.New()
	}
	w, err := blend.LoadWeights(o.Weights)
	if err != nil {
		return nil, err
	}
	return blend.NewWith(w), nil
}

// Names lists the names, the default first.
func Names() []string {
	var names []string
	for _, e := range list() {
		names = append(names, e.name)
	}
	return names
}

// ByName makes the detector of that name. For an unknown name the error wraps ErrUnknown and lists those that there
// are; any other error is of the options.
func ByName(name string, o Options) (model.Detector, error) {
	for _, e := range list() {
		if e.name == name {
			return e.make(o)
		}
	}
	return nil, fmt.Errorf("%w: %q is not one of %s", ErrUnknown, name, strings.Join(Names(), ", "))
}
