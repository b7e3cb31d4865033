// Package detectors lists the detectors by the names that select them in flags and configuration. It is the one place
// that knows them all; a detector itself knows none of the others.
package detectors

import (
	"errors"
	"fmt"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/blockwords"
	"github.com/winnow-proxy/winnow/model/fragments"
	"github.com/winnow-proxy/winnow/model/lines"
	"github.com/winnow-proxy/winnow/model/pagelets"
	"github.com/winnow-proxy/winnow/model/purify"
	"github.com/winnow-proxy/winnow/model/records"
	"github.com/winnow-proxy/winnow/model/styletree"
	"github.com/winnow-proxy/winnow/model/wisdom"
)

// Default is the name of the detector that is used where none is asked for.
const Default = "blend"

// ErrUnknown says that no detector has a name.
var ErrUnknown = errors.New("no such detector")

// Options are what can be set on detectors from outside. The zero value serves.
type Options struct {
	// Weights, when not empty, is a file of fitted weights for blend to use in place of those that are built in.
	Weights string

	settings *settings
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
		{fragments.Name, newFragments},
		{pagelets.Name, func(Options) (model.Detector, error) { return pagelets.Detector{}, nil }},
		{lines.Name, newLines},
		{purify.Name, newPurify},
		{blockwords.Name, newBlockwords},
		{wisdom.Name, newWisdom},
		{records.Name, newRecords},
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

// newLines makes lines; "lines:published" is the paper's system without what is added to it, "lines:bare" keeps text
// without punctuation too.
func newLines(o Options) (model.Detector, error) {
	opts := lines.DefaultOptions()
	published, err := o.settings.flag("published")
	if err != nil {
		return nil, err
	}
	if published {
		opts = lines.Published()
	}
	opts.Bare, err = o.settings.flag("bare")
	return lines.Detector{Options: opts}, err
}

// newFragments makes fragments; "fragments:duplicate=0.99" sets from which share on pages are duplicates,
// "fragments:block=0.5" how much of a block must be deleted for it to go.
func newFragments(o Options) (model.Detector, error) {
	duplicate, err := o.settings.share("duplicate")
	if err != nil {
		return nil, err
	}
	block, err := o.settings.share("block")
	return fragments.Detector{Options: fragments.Options{Duplicate: duplicate, BlockShare: block}}, err
}

// newPurify makes purify; "purify:beta=0.65" sets its threshold.
func newPurify(o Options) (model.Detector, error) {
	beta, err := o.settings.share("beta")
	return purify.Detector{Options: purify.Options{Beta: beta}}, err
}

// newBlockwords makes blockwords; "blockwords:anywhere" takes a word for the same wherever in its block it stands.
func newBlockwords(o Options) (model.Detector, error) {
	opts := blockwords.DefaultOptions()
	anywhere, err := o.settings.flag("anywhere")
	if anywhere {
		opts.Overlap = -1
	}
	return blockwords.Detector{Options: opts}, err
}

// newWisdom makes wisdom; "wisdom:st=0.8" sets the threshold of its search.
func newWisdom(o Options) (model.Detector, error) {
	st, err := o.settings.share("st")
	return wisdom.Detector{Options: wisdom.Options{Threshold: st}}, err
}

// newRecords makes records; "records:primary" finds to be noise what lies outside the most important list.
func newRecords(o Options) (model.Detector, error) {
	primary, err := o.settings.flag("primary")
	return records.Detector{Options: records.Options{Primary: primary}}, err
}

// Names lists the names, the default first.
func Names() []string {
	var names []string
	for _, e := range list() {
		names = append(names, e.name)
	}
	return names
}

// ByName makes the detector of that name, which may carry settings ("lines:published"). For a name or setting that there is not the error wraps ErrUnknown and says which there are; any
// other error is of the options.
func ByName(name string, o Options) (model.Detector, error) {
	base, settings := split(name)
	o.settings = settings
	for _, e := range list() {
		if e.name != base {
			continue
		}
		d, err := e.make(o)
		if err == nil {
			err = settings.close(base)
		}
		switch {
		case err != nil:
			return nil, err
		case base != name:
			return variant{d, name}, nil
		}
		return d, nil
	}
	return nil, fmt.Errorf("%w: %q is not one of %s", ErrUnknown, base, strings.Join(Names(), ", "))
}
