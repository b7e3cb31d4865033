package base

import (
	"fmt"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// Stateless has all methods but Mark of a model that looks at one page only. Its value is the name of the detector.
type Stateless string

// encoding is the whole encoding of a stateless model.
func (s Stateless) encoding() string { return string(s) + "1" }

// StatelessName returns the name of the detector; models of one name merge.
func (s Stateless) StatelessName() string { return string(s) }

// Observe learns nothing.
func (Stateless) Observe(*page.Page, model.Visit) {}

// Merge adds nothing. It returns [model.ErrMismatch] (wrapped) for a model of another detector.
func (s Stateless) Merge(other model.Host) error {
	if o, ok := other.(interface{ StatelessName() string }); !ok || o.StatelessName() != string(s) {
		return fmt.Errorf("merging %T into a %s model: %w", other, s, model.ErrMismatch)
	}
	return nil
}

// Encode returns the encoding, which is always the same.
func (s Stateless) Encode() ([]byte, error) { return []byte(s.encoding()), nil }

// Load accepts what Encode returns, and returns [model.ErrFormat] (wrapped) for anything else.
func (s Stateless) Load(b []byte) error {
	if string(b) != s.encoding() {
		return fmt.Errorf("%s model: %w", s, model.ErrFormat)
	}
	return nil
}

// Stats reports no pages.
func (Stateless) Stats() model.Stats { return model.Stats{} }
