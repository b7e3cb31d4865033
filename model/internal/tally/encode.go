package tally

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/codec"
)

// The encoding's body, all numbers as uvarints:
//
//	pages that the counts stand for
//	things: number, then each in the order of hashes: difference of hashes, count

// Encode returns the versioned encoding; see [base.Encode]. It leaves out the rarest things first.
func (t *Table) Encode() ([]byte, error) { return base.Encode(t) }

// Load reads what Encode wrote; see [base.Load].
func (t *Table) Load(b []byte) error { return base.Load(t, b) }

// AppendBody implements [base.State].
func (t *Table) AppendBody(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(t.pages))
	b = binary.AppendUvarint(b, uint64(len(t.counts)))
	var last uint64
	for _, h := range slices.Sorted(maps.Keys(t.counts)) {
		b = binary.AppendUvarint(b, h-last)
		b = binary.AppendUvarint(b, uint64(t.counts[h]))
		last = h
	}
	return b
}

// ReadBody implements [base.State].
func (t *Table) ReadBody(r *codec.Reader) {
	t.pages = uint32(r.Number(math.MaxUint32))
	var last uint64
	for i := range r.Count(2) {
		diff := r.Number(math.MaxUint64 - last)
		if i > 0 && diff == 0 {
			r.Fail("hashes out of order")
		}
		last += diff
		t.counts[last] = uint32(r.Number(math.MaxUint32))
	}
}

// Smaller implements [base.State]: it evicts the rarest things.
func (t *Table) Smaller(o base.Overrun) (*Table, bool) {
	if len(t.counts) == 0 {
		return nil, false
	}
	small := *t // shares the counts with t: evict replaces them
	small.evict(int(float64(len(t.counts)) * 0.95 * o.Share()))
	return &small, true
}
