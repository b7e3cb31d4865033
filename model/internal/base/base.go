// Package base is the common part of the models of the published systems: the key of their hashes, their budgets, the
// pages that they learned, and how they merge and encode themselves. A model embeds [Base] and implements [State] for
// the rest of its state; [Merge], [Encode] and [Load] do the rest.
package base

import (
	"fmt"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/internal/seen"
)

// Base is the part that all models share. Reading methods may run concurrently; Admit needs exclusive access.
type Base struct {
	// Learned are the pages that the model has learned.
	Learned seen.Pages

	format codec.Format
	limits model.Limits
	key    model.Key
	hash   model.Hasher
}

// New returns the base of a model that has learned no page. format frames its encoding. Zero limits mean the defaults.
func New(key model.Key, format codec.Format, limits model.Limits) Base {
	limits = limits.OrDefault()
	return Base{Learned: seen.NewPages(limits.Memory), format: format, limits: limits, key: key, hash: key.Hasher()}
}

// Shared returns the base itself, for the functions of this package.
func (b *Base) Shared() *Base { return b }

// Key is the key of all hashes in the model.
func (b *Base) Key() model.Key { return b.key }

// Hasher is the keyed hash function for everything that the model stores.
func (b *Base) Hasher() model.Hasher { return b.hash }

// Format is the frame of the model's encoding.
func (b *Base) Format() codec.Format { return b.format }

// Limits are the hard budgets of the model.
func (b *Base) Limits() model.Limits { return b.limits }

// URL is the keyed hash of the visit's URL.
func (b *Base) URL(v model.Visit) uint64 { return b.hash.String(v.URL) }

// Knows reports whether the page of this visit has been learned.
func (b *Base) Knows(v model.Visit) bool { return b.Learned.Has(b.URL(v)) }

// Admit records the visit and reports whether its page is new. A model learns only new pages, so that a page counts
// once however often it is fetched.
func (b *Base) Admit(v model.Visit) bool {
	b.Learned.Saw(v.At)
	return b.Learned.Add(b.URL(v))
}

// StatsOf describes a model whose state takes the given number of bytes.
func (b *Base) StatsOf(bytes int) model.Stats {
	return model.Stats{Pages: b.Learned.Len(), Bytes: bytes + b.Learned.Bytes(), LastSeen: b.Learned.Last()}
}

// State is a model as this package sees it. S is the type that embeds [Base].
type State[S any] interface {
	// Shared is the base. Embedding it implements this.
	Shared() *Base
	// State returns the receiver. A detector's model that embeds an S has this method too, so [Merge] finds the S.
	State() S
	// AppendBody appends the encoding of everything that is not in the base. Equal states have equal encodings.
	AppendBody(b []byte) []byte
	// ReadBody reads what AppendBody wrote into a state that has learned nothing.
	ReadBody(r *codec.Reader)
	// MergeBody adds what other has learned, except for its pages, which are merged already. pages says which of them
	// both models had. It does not change other.
	MergeBody(other S, pages Overlap)
	// Settle applies decay and budget after the state grew.
	Settle()
	// Smaller returns a copy without the least important parts, so that its encoding shrinks by about the factor in o.
	// It returns false when nothing more can be left out. From the second round on the receiver is such a copy itself
	// and may be changed.
	Smaller(o Overrun) (_ S, ok bool)
}

// Overlap says which pages two models have in common when one is merged into the other.
//
// Sums over pages can't be taken apart again. So a page that both models have counts once in the sums if one of the
// models has learned no other page than these; otherwise it counts twice. Replicas that exchange models of single pages
// therefore count every page once.
type Overlap uint8

// The overlaps.
const (
	// Partial: each model may have a page that the other one lacks. Their sums add up.
	Partial Overlap = iota
	// Known: the model has every page of the other one. Its sums stay as they are.
	Known
	// Covered: the other model has every page of this one. Its sums replace those of this one.
	Covered
)

// OverlapOf returns the overlap of a model that has learned the pages mine and another one.
func OverlapOf(mine, theirs *seen.Pages) Overlap {
	switch {
	case mine.Covers(theirs):
		return Known
	case theirs.Covers(mine):
		return Covered
	}
	return Partial
}

// Merge adds what other has learned to s. It returns [model.ErrMismatch] (wrapped) for a model of another kind, format
// or key.
func Merge[S State[S]](s S, other any) error {
	b := s.Shared()
	o, ok := other.(interface{ State() S })
	if !ok {
		return fmt.Errorf("merging %T into a %s: %w", other, b.format.What, model.ErrMismatch)
	}
	from := o.State()
	if f := from.Shared(); f.format != b.format || f.key != b.key {
		return fmt.Errorf("merging a %s into a %s: %w", f.format.What, b.format.What, model.ErrMismatch)
	}
	pages := OverlapOf(&b.Learned, &from.Shared().Learned)
	b.Learned.Merge(&from.Shared().Learned)
	s.MergeBody(from, pages)
	s.Settle()
	return nil
}
