// Package detectors lists the detectors by the names that select them in flags and configuration. It is the one place
// that knows them all; a detector itself knows none of the others.
package detectors

import (
	"fmt"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// Default is the name of the detector that is used where none is asked for.
const Default = styletree.Name

// Options are what can be set on detectors from outside. The zero value serves.
type Options struct {
	// Weights, when not empty, is a file of fitted weights to use in place of those that are built in.
	Weights string
}

// All makes one of each detector, the default first. It fails when the options don't suit the detectors that they are
// for.
func All(o Options) ([]model.Detector, error) {
	return []model.Detector{styletree.Detector{}, Keep{}}, nil
}

// ByName makes the detector of that name. For an unknown name the error lists those that there are.
func ByName(name string, o Options) (model.Detector, error) {
	all, err := All(o)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range all {
		if d.Name() == name {
			return d, nil
		}
		names = append(names, d.Name())
	}
	return nil, fmt.Errorf("detector %q is not one of %s", name, strings.Join(names, ", "))
}
