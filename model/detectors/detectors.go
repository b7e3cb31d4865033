// Package detectors lists the detectors by the names that select them in flags and configuration. Only this package
// knows all of them; no detector knows another.
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

// Default is the name of the detector that is used by default.
const Default = "blend"

// ErrRule says that blend has no rule of a name.
var ErrRule = errors.New("unknown rule")

// ErrUnknown says that no detector has the given name.
var ErrUnknown = errors.New("no such detector")

// Options configure detectors from outside. The zero value is usable.
type Options struct {
	// Weights, when not empty, is a file of fitted weights for blend that replaces the built-in ones.
	Weights string
	// Without are rules of blend to switch off.
	Without []string

	settings *settings
}

// entry is a detector by name.
type entry struct {
	name string
	make func(Options) (model.Detector, error)
	// about says in a few words what the detector does, settings lists what its name may set.
	about    string
	settings []Setting
}

// Setting is a setting that a name may carry, as in "purify:beta=0.65".
type Setting struct {
	// Form is its syntax after the colon.
	Form string
	// About says what the setting does.
	About string
}

// list has the default first.
func list() []entry {
	return []entry{
		{"blend", newBlend, "combines all evidence", nil},
		{styletree.Name, plain(styletree.Detector{}), "Site Style Tree: Yi, Liu and Li 2003", nil},
		{fragments.Name, newFragments, "chains of markup that pages share: Shorkin 2013", []Setting{
			{"duplicate=SHARE", "pages that share more are duplicates (0.7)"},
			{"block=SHARE", "blocks are removed from this shared share on (1)"}}},
		{pagelets.Name, plain(pagelets.Detector{}), "recurring pagelets: Bar-Yossef and Rajagopalan 2002", nil},
		{lines.Name, newLines, "recurring lines and lines without punctuation (\"行文本統計去噪\")", []Setting{
			{"published", "the paper's system without additions"},
			{"bare", "text without punctuation is content too"}}},
		{purify.Name, newPurify, "keeps paragraphs and tables that do not recur: Sun and Zhang 2011", []Setting{
			{"beta=SHARE", "the importance above which they stay (0.75)"}}},
		{blockwords.Name, newBlockwords, "words that blocks of one style share: Chen, Ye and Li 2006", []Setting{
			{"anywhere", "the position of a word in its block does not matter"}}},
		{wisdom.Name, newWisdom, "finds articles and tables of contents: Kao, Ho and Chen 2005", []Setting{
			{"st=SHARE", "the evenness above which an element is a block (0.9)"}}},
		{records.Name, newRecords, "finds lists of records but no noise: Tseng and Kao 2006", []Setting{
			{"primary", "everything outside the most important list is noise"}}},
		{keepName, plain(Keep{}), "finds no noise: a baseline", nil},
	}
}

// plain makes a detector that has no settings.
func plain(d model.Detector) func(Options) (model.Detector, error) {
	return func(Options) (model.Detector, error) { return d, nil }
}

// Description is the help text of a detector.
type Description struct {
	Name, About string
	Settings    []Setting
}

// Describe describes the detectors, the default first.
func Describe() []Description {
	var all []Description
	for _, e := range list() {
		all = append(all, Description{e.name, e.about, e.settings})
	}
	return all
}

func newBlend(o Options) (model.Detector, error) {
	d, err := blend.New()
	if o.Weights != "" {
		var w *blend.Weights
		if w, err = blend.LoadWeights(o.Weights); err == nil {
			d = blend.NewWith(w)
		}
	}
	if err != nil {
		return nil, err
	}
	without, err := d.Without(o.Without...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRule, err)
	}
	return without, nil
}

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

func newFragments(o Options) (model.Detector, error) {
	duplicate, err := o.settings.share("duplicate")
	if err != nil {
		return nil, err
	}
	block, err := o.settings.share("block")
	return fragments.Detector{Options: fragments.Options{Duplicate: duplicate, BlockShare: block}}, err
}

func newPurify(o Options) (model.Detector, error) {
	beta, err := o.settings.share("beta")
	return purify.Detector{Options: purify.Options{Beta: beta}}, err
}

func newBlockwords(o Options) (model.Detector, error) {
	opts := blockwords.DefaultOptions()
	anywhere, err := o.settings.flag("anywhere")
	if anywhere {
		opts.Overlap = -1
	}
	return blockwords.Detector{Options: opts}, err
}

func newWisdom(o Options) (model.Detector, error) {
	st, err := o.settings.share("st")
	return wisdom.Detector{Options: wisdom.Options{Threshold: st}}, err
}

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

// ByName makes the detector of that name. A name may carry settings ("lines:published"), which are then part of the
// detector's name. For an unknown name or setting the error wraps ErrUnknown and lists the known ones. Any other error
// concerns the options.
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
