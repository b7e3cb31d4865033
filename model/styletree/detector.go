package styletree

import "github.com/winnow-proxy/winnow/model"

// Name is the detector's name.
const Name = "sst"

// Detector is the Site Style Tree as a detector of its own. The zero value has the default options.
type Detector struct {
	Options Options
}

// Interface guards.
var (
	_ model.Detector = Detector{}
	_ model.Host     = (*Tree)(nil)
)

// Name returns "sst".
func (Detector) Name() string { return Name }

// New returns a tree that has seen no page.
func (d Detector) New(key model.Key) model.Host { return New(key, d.Options) }

// Decode reads what Encode wrote.
func (d Detector) Decode(key model.Key, b []byte) (model.Host, error) {
	t, err := Decode(key, d.Options, b)
	if err != nil {
		return nil, err
	}
	return t, nil
}
