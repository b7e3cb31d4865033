package wisdom

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/internal/entropy"
)

// format is that of the encoding, whose body is, all numbers as uvarints:
//
//	the pages that were learned (seen.Pages.Append)
//	m, in sixteenths
//	terms: count, first hash, differences, then the sums of each
func format() codec.Format { return codec.Format{What: "wisdom model", Magic: "wwis", Version: 1} }

// Encode returns the versioned encoding. Where all would be more than Limits.Encoded, the rarest terms are left out,
// and then the URLs that were seen longest ago.
func (h *Host) Encode() ([]byte, error) {
	b := h.encode()
	for small := h; len(b) > h.opts.Limits.Encoded; b = small.encode() {
		if small == h {
			small = newHost(h.key, h.opts)
			small.terms = terms{h.terms.pages, maps.Clone(h.terms.sums)}
			small.learned = h.learned
		}
		switch {
		case len(small.terms.sums) > 0:
			small.terms.evict(len(small.terms.sums) * 3 / 4)
		case small.learned.Shrink():
		default:
			return nil, fmt.Errorf("encoding a wisdom model: %d bytes at the least, over the limit of %d: raise the limit", len(b),
				h.opts.Limits.Encoded)
		}
	}
	return b, nil
}

func (h *Host) encode() []byte {
	b := binary.AppendUvarint(h.learned.Append(nil), uint64(h.terms.pages))
	hashes := make([]uint32, 0, len(h.terms.sums))
	for w := range h.terms.sums {
		hashes = append(hashes, uint32(w))
	}
	slices.Sort(hashes)
	b = codec.AppendAscending(b, hashes)
	for _, w := range hashes {
		b = h.terms.sums[term(w)].Append(b)
	}
	return format().Seal(h.key, b)
}

// Decode reads what Encode wrote. A model beyond the budget is shrunk to it.
func (d Detector) Decode(key model.Key, b []byte) (model.Host, error) {
	h := newHost(key, d.Options)
	r, err := format().Open(key, h.opts.Limits.Encoded, b)
	if err != nil {
		return nil, err
	}
	h.learned.Read(r)
	h.terms.pages = entropy.Count(r.Number(math.MaxUint32))
	for _, w := range codec.Ascending[uint32](r) {
		h.terms.sums[term(w)] = entropy.Read(r)
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	h.settle()
	return h, nil
}
