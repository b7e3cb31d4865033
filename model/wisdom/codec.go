package wisdom

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/internal/entropy"
)

// The encoding's body, all numbers as uvarints:
//
//	m, in sixteenths
//	terms: count, first hash, differences, then the sums of each

// Encode returns the versioned encoding; see [base.Encode]. It leaves out the rarest terms first.
func (h *host) Encode() ([]byte, error) { return base.Encode(h) }

// Load reads what Encode wrote; see [base.Load].
func (h *host) Load(b []byte) error { return base.Load(h, b) }

// AppendBody implements [base.State].
func (h *host) AppendBody(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(h.terms.pages))
	hashes := slices.Sorted(maps.Keys(h.terms.sums))
	b = codec.AppendAscending(b, hashes)
	for _, w := range hashes {
		b = h.terms.sums[w].Append(b)
	}
	return b
}

// ReadBody implements [base.State].
func (h *host) ReadBody(r *codec.Reader) {
	h.terms.pages = entropy.Count(r.Number(math.MaxUint32))
	for _, w := range codec.Ascending[term](r) {
		h.terms.sums[w] = entropy.Read(r)
	}
}

// Smaller implements [base.State]: it evicts the rarest terms.
func (h *host) Smaller(base.Overrun) (*host, bool) {
	n := len(h.terms.sums)
	if n == 0 {
		return nil, false
	}
	small := *h
	small.terms.sums = maps.Clone(h.terms.sums)
	small.terms.evict(n * 3 / 4)
	return &small, true
}
