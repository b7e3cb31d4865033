package tally

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/winnow-proxy/winnow/model"
)

// The encoding's body, all numbers as uvarints unless said otherwise:
//
//	the pages that were learned (seen.Pages.Append)
//	pages that the counts stand for
//	things: number, then each in the order of hashes: difference of hashes, count

// Encode returns the versioned encoding, at most Limits.Encoded bytes: what is rare is left out where all would be more,
// and half of that room at the least is for counts. The table stays as it is.
func (t *Table) Encode() ([]byte, error) {
	limit := t.cfg.Limits.Encoded
	small := *t // shares what it holds with t: shrinking and evicting replace, and change nothing in place
	pages := small.appendPages(nil)
	for len(pages) > limit/2 && small.learned.Shrink() {
		pages = small.appendPages(nil)
	}
	b := t.cfg.Format.Seal(t.key, small.appendCounts(pages))
	for len(b) > limit {
		if len(small.counts) == 0 {
			return nil, fmt.Errorf("encoding a %s: %d bytes at the least, over the limit of %d: raise the limit",
				t.cfg.Format.What, len(b), limit)
		}
		small.evict(int(float64(len(small.counts)) * 0.95 * float64(limit) / float64(len(b))))
		b = t.cfg.Format.Seal(t.key, small.appendCounts(pages))
	}
	return b, nil
}

func (t *Table) appendPages(b []byte) []byte {
	return binary.AppendUvarint(t.learned.Append(b), uint64(t.pages))
}

// appendCounts appends to what stands in b, which stays whole.
func (t *Table) appendCounts(b []byte) []byte {
	b = binary.AppendUvarint(slices.Clip(b), uint64(len(t.counts)))
	var last uint64
	for _, h := range slices.Sorted(maps.Keys(t.counts)) {
		b = binary.AppendUvarint(b, h-last)
		b = binary.AppendUvarint(b, uint64(t.counts[h]))
		last = h
	}
	return b
}

// Decode reads what [Table.Encode] wrote; for errors see [codec.Format.Open]. A table beyond the budget is shrunk to it.
func Decode(key model.Key, cfg Config, b []byte) (*Table, error) {
	t := New(key, cfg)
	r, err := cfg.Format.Open(key, t.cfg.Limits.Encoded, b)
	if err != nil {
		return nil, err
	}
	t.learned.Read(r)
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
	if err := r.Close(); err != nil {
		return nil, err
	}
	t.Settle()
	return t, nil
}
