package fragments

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/page"
)

// record is a page as a sequence of fragments.
type record struct {
	// hashes are the first halves of keyed hashes. Chains of six fragments, which are compared, have their own hashes
	// of 64 bits.
	hashes []uint32
	// lengths are in bytes, without leading and trailing white space.
	lengths []uint16
}

func (r *record) add(hash uint64, length int) {
	r.hashes = append(r.hashes, uint32(hash))
	r.lengths = append(r.lengths, uint16(min(length, math.MaxUint16)))
}

// trimmed returns a copy of exact size. It drops the middle of a record of more than most fragments.
func (r *record) trimmed(most int) *record {
	n := len(r.hashes)
	head, tail := n, n
	if n > most {
		head, tail = most-most/2, n-most/2
	}
	return &record{slices.Concat(r.hashes[:head], r.hashes[tail:]), slices.Concat(r.lengths[:head], r.lengths[tail:])}
}

// reader divides a page into fragments.
type reader struct {
	p    *page.Page
	hash model.Hasher
	out  record
	// start is the fragment of each element's start tag, and end the first fragment after the element. text is the
	// fragment of each text, None for white space.
	start, end, text []int32
	buf              []byte
}

// read returns the fragments of a page.
func read(p *page.Page, hash model.Hasher) *reader {
	n := len(p.Elements)
	r := &reader{p: p, hash: hash, start: make([]int32, n), end: make([]int32, n), text: make([]int32, len(p.Texts))}
	if n > 0 {
		r.element(0)
	}
	return r
}

// element reads e. The parser allows 512 open elements, which bounds the recursion.
func (r *reader) element(e page.ElementID) {
	el := &r.p.Elements[e]
	r.start[e] = int32(len(r.out.hashes))
	r.startTag(e)
	r.p.Walk(e, r.texts, r.element)
	if !page.IsVoid(el.Tag) {
		r.buf = append(append(append(r.buf[:0], "</"...), el.Name...), '>')
		r.out.add(r.hash.Bytes(r.buf), len(r.buf))
	}
	r.end[e] = int32(len(r.out.hashes))
}

func (r *reader) startTag(e page.ElementID) {
	r.buf = append(append(r.buf[:0], '<'), r.p.Elements[e].Name...)
	for _, a := range r.p.Attrs(e) {
		r.buf = append(append(append(r.buf, ' '), a.Key...), `="`...)
		r.buf = append(append(r.buf, a.Val...), '"')
	}
	r.buf = append(r.buf, '>')
	r.out.add(r.hash.Bytes(r.buf), len(r.buf))
}

func (r *reader) texts(from, to int32) {
	for i := from; i < to; i++ {
		t := strings.TrimSpace(r.p.Texts[i].Data)
		if t == "" {
			r.text[i] = page.None
			continue
		}
		r.text[i] = int32(len(r.out.hashes))
		r.out.add(r.hash.String(t), len(t))
	}
}

// records measures, writes and reads records.
type records struct{}

// recordBytes is the overhead of a record without its fragments, fragmentBytes the size of a fragment.
const (
	recordBytes   = 48
	fragmentBytes = 6
)

// Bytes implements reservoir.Records.
func (records) Bytes(r *record) int { return recordBytes + fragmentBytes*len(r.hashes) }

// Append implements reservoir.Records. Each hash is next to its length, so that runs that pages share compress to one
// match.
func (records) Append(b []byte, r *record) []byte {
	b = binary.AppendUvarint(b, uint64(len(r.hashes)))
	for i, h := range r.hashes {
		b = binary.LittleEndian.AppendUint32(b, h)
		b = binary.LittleEndian.AppendUint16(b, r.lengths[i])
	}
	return b
}

// Read implements reservoir.Records.
func (records) Read(in *codec.Reader) *record {
	n := in.Count(fragmentBytes)
	r := &record{make([]uint32, n), make([]uint16, n)}
	for i := range n {
		r.hashes[i] = in.Uint32()
		r.lengths[i] = binary.LittleEndian.Uint16(in.Bytes(2))
	}
	return r
}
