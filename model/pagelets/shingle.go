package pagelets

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/page"
)

// pagelet is an element and the shingle of its text.
type pagelet struct {
	element page.ElementID
	shingle uint64
}

// read partitions a page and computes the shingles of its pagelets. It leaves out pagelets without a word.
func (h *host) read(p *page.Page) []pagelet {
	hash := h.Hasher()
	var out []pagelet
	var buf []uint64
	for _, e := range partition(p, h.opts.Links) {
		if buf = words(buf[:0], hash, p, e); len(buf) > 0 {
			out = append(out, pagelet{e, h.shingle(buf)})
		}
	}
	return out
}

// words appends the hashes of the visible words below e.
func words(dst []uint64, hash model.Hasher, p *page.Page, e page.ElementID) []uint64 {
	for _, t := range p.Texts[p.Elements[e].TextStart:p.Elements[e].TextEnd] {
		if t.Block == page.None {
			continue
		}
		for w := range page.Words(t.Data) {
			dst = append(dst, hash.String(w))
		}
	}
	return dst
}

// shingle returns the hash of a sketch of the text: in each of several orders of all hashes, the first of the sequences
// of n words, or of all words where there are fewer. Two texts have one of these in common with the probability of
// their resemblance, the share of sequences that they share (Broder 1997), and all of them with a power of it.
func (h *host) shingle(words []uint64) uint64 {
	hash, n := h.Hasher(), min(h.opts.Words, len(words))
	sketch := make([]uint64, h.opts.Sketch)
	for i := range sketch {
		sketch[i] = math.MaxUint64
	}
	for i := 0; i+n <= len(words); i++ {
		sequence := hash.Combine(words[i : i+n]...)
		for j := range sketch {
			sketch[j] = min(sketch[j], reorder(sequence, j))
		}
	}
	return hash.Combine(sketch...)
}

// reorder returns the rank of a hash in the i-th order of all hashes (the mixing of SplitMix64: Steele, Lea and Flood,
// OOPSLA 2014).
func reorder(hash uint64, i int) uint64 {
	hash += uint64(i) * 0x9e3779b97f4a7c15
	hash = (hash ^ hash>>30) * 0xbf58476d1ce4e5b9
	hash = (hash ^ hash>>27) * 0x94d049bb133111eb
	return hash ^ hash>>31
}

// record is the stored data of a page.
type record struct {
	// page is the hash of all shingles. Duplicates have the same.
	page     uint64
	shingles []uint64 // distinct, ascending
}

// newRecord returns the record of a page, with at most most shingles, the least ones.
func newRecord(hash model.Hasher, pagelets []pagelet, most int) *record {
	shingles := make([]uint64, 0, len(pagelets))
	for _, pl := range pagelets {
		shingles = append(shingles, pl.shingle)
	}
	slices.Sort(shingles)
	shingles = slices.Compact(shingles)
	return &record{hash.Combine(shingles...), slices.Clone(shingles[:min(len(shingles), most)])}
}

// records measures, writes and reads records.
type records struct{}

// recordBytes is the overhead of a record without its shingles.
const recordBytes = 32

// Bytes implements reservoir.Records.
func (records) Bytes(r *record) int { return recordBytes + 8*len(r.shingles) }

// Append implements reservoir.Records.
func (records) Append(b []byte, r *record) []byte {
	b = binary.LittleEndian.AppendUint64(b, r.page)
	b = binary.AppendUvarint(b, uint64(len(r.shingles)))
	for _, s := range r.shingles {
		b = binary.LittleEndian.AppendUint64(b, s)
	}
	return b
}

// Read implements reservoir.Records.
func (records) Read(in *codec.Reader) *record {
	r := &record{page: in.Uint64()}
	r.shingles = make([]uint64, in.Count(8))
	for i := range r.shingles {
		r.shingles[i] = in.Uint64()
		if i > 0 && r.shingles[i] <= r.shingles[i-1] {
			in.Fail("shingles out of order")
		}
	}
	return r
}
