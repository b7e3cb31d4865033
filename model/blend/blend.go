// Package blend is the default detector: it combines all evidence. A boosted forest scores each block by the page
// alone. A second forest corrects that score by what earlier pages of the host have shown: the importance of the
// position in the Site Style Tree, texts, links and subtrees that recur, and the earlier contents of the same place.
// Then the tree of elements is labelled as a whole.
//
// The weights are fitted offline by model/blend/fit and embedded.
package blend

import (
	_ "embed"
	"fmt"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/judge"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/blend/internal/rules"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// Name is the detector's name.
const Name = "blend"

//go:embed weights.bin
var embedded []byte

// Detector makes models of this package. It is safe for concurrent use.
type Detector struct {
	w          *judge.Weights
	reader     *view.Reader
	limits     model.Limits
	convention features.Convention
	rules      rules.Set
}

// Interface guards.
var (
	_ model.Detector = (*Detector)(nil)
	_ model.Host     = (*Host)(nil)

	_ model.Explainer   = (*Host)(nil)
	_ model.Incremental = (*Host)(nil)
)

// New returns the detector with the embedded weights.
func New() (*Detector, error) {
	w, err := judge.Read(embedded)
	if err != nil {
		return nil, fmt.Errorf("embedded weights: %w", err)
	}
	return NewWith(w), nil
}

// NewWith returns the detector with other weights.
func NewWith(w *judge.Weights) *Detector {
	return &Detector{w: w, reader: view.NewReader(w.Vocab), limits: model.DefaultLimits()}
}

// Without returns the detector without the named rules.
func (d *Detector) Without(names ...string) (*Detector, error) {
	set, err := rules.Without(names...)
	if err != nil {
		return nil, err
	}
	other := *d
	other.rules = set
	return &other, nil
}

// Rule is a decision that rests on no fitted weight.
type Rule = rules.Rule

// Rules lists the rules in the order in which they act on a page.
func Rules() []Rule { return rules.Table() }

// Name implements model.Detector.
func (d *Detector) Name() string { return Name }

// New implements model.Detector.
func (d *Detector) New(key model.Key) model.Host { return d.newHost(key) }

func (d *Detector) newHost(key model.Key) *Host {
	return &Host{d: d, key: key, hash: key.Hasher(), tree: styletree.New(key, d.treeOptions()), memory: memory.NewMemory(d.memoryBytes())}
}

// treeOptions gives the style tree two fifths of the budget. The memory has the rest.
func (d *Detector) treeOptions() styletree.Options {
	o := styletree.DefaultOptions()
	o.Limits = model.Limits{Memory: d.limits.Memory * 2 / 5, Encoded: d.limits.Encoded * 2 / 5}
	return o
}

func (d *Detector) memoryBytes() int { return d.limits.Memory * 3 / 5 }

// Host is the model of one host. It follows the concurrency rules of model.Host.
type Host struct {
	d      *Detector
	key    model.Key
	hash   model.Hasher
	tree   *styletree.Tree
	memory *memory.Memory
	pace   memory.Pace
}

// Tree returns the style tree, for inspection.
func (h *Host) Tree() *styletree.Tree { return h.tree }

// Stats implements model.Host.
func (h *Host) Stats() model.Stats {
	s := h.tree.Stats()
	s.Bytes += h.memory.Bytes()
	s.Skipped = h.pace.Skipped
	return s
}
