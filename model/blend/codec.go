package blend

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// The encoding, all numbers as uvarints unless said otherwise:
//
//	magic "wbl" and version byte
//	length of the style tree's encoding, and that
//	pages
//	sightings: number, then each in the order of keys: difference of keys, count, span
//	places: number, then each in the order of keys: difference of keys, visits, finds, novel, score, links, words, fresh,
//	    span
//	keyed hash of all that (8 bytes)
//
// The key's id stands in the style tree's encoding.
const (
	codecMagic    = "wbl\x01"
	checksumBytes = 8
)

// Encode implements model.Host. What is rare is left out where all would be more than the limit.
func (h *Host) Encode() ([]byte, error) {
	tree, err := h.tree.Encode()
	if err != nil {
		return nil, err
	}
	room := h.d.limits.Encoded - len(tree) - len(codecMagic) - checksumBytes - binary.MaxVarintLen32
	memory := h.memory.encode()
	for small := h.memory; len(memory) > room; memory = small.encode() {
		if len(small.seen)+len(small.places) == 0 {
			return nil, fmt.Errorf("encoding a blend model: the limit of %d bytes leaves no room beside the style tree: raise it",
				h.d.limits.Encoded)
		}
		small = small.clone()
		small.evict(small.bytes() * 3 / 4)
	}
	b := append([]byte(codecMagic), binary.AppendUvarint(nil, uint64(len(tree)))...)
	b = append(append(b, tree...), memory...)
	return binary.LittleEndian.AppendUint64(b, h.hash.Bytes(b)), nil
}

func (m *memory) clone() *memory {
	c := *m
	c.seen, c.places = maps.Clone(m.seen), maps.Clone(m.places)
	return &c
}

func (m *memory) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(m.pages))
	b = appendEntries(b, m.seen, func(s sighting) []uint32 { return []uint32{s.count, s.span + m.pages - s.at} })
	return appendEntries(b, m.places, func(p placeStat) []uint32 {
		return []uint32{p.visits, p.finds, p.novel, p.score, p.links, p.words, p.fresh, p.span + m.pages - p.at}
	})
}

func appendEntries[T any](b []byte, entries map[uint64]T, fields func(T) []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(len(entries)))
	last := uint64(0)
	for _, k := range slices.Sorted(maps.Keys(entries)) {
		b = binary.AppendUvarint(b, k-last)
		last = k
		for _, f := range fields(entries[k]) {
			b = binary.AppendUvarint(b, uint64(f))
		}
	}
	return b
}

// Decode implements model.Detector.
func (d *Detector) Decode(key model.Key, b []byte) (model.Host, error) {
	h := d.newHost(key)
	end := len(b) - checksumBytes
	if end < len(codecMagic) || string(b[:len(codecMagic)]) != codecMagic {
		return nil, errFormat("no blend model of this version")
	}
	r := reader{b: b[len(codecMagic):end]}
	tree, err := styletree.Decode(key, d.treeOptions(), r.bytes(int(r.number(math.MaxInt32))))
	if err != nil {
		return nil, fmt.Errorf("blend model: %w", err)
	}
	if binary.LittleEndian.Uint64(b[end:]) != h.hash.Bytes(b[:end]) {
		return nil, errFormat("damaged: the checksum does not match")
	}
	h.tree = tree
	h.memory.decode(&r)
	if r.bad || len(r.b) > 0 {
		return nil, errFormat("damaged")
	}
	h.memory.settle()
	return h, nil
}

func (m *memory) decode(r *reader) {
	m.pages = uint32(r.number(math.MaxInt32))
	readEntries(r, m.seen, 2, func(f []uint32) sighting { return sighting{count: f[0], span: f[1], at: m.pages} })
	readEntries(r, m.places, 8, func(f []uint32) placeStat {
		return placeStat{visits: f[0], finds: f[1], novel: f[2], score: f[3], links: f[4], words: f[5],
			fresh: f[6], span: f[7], at: m.pages}
	})
}

func readEntries[T any](r *reader, entries map[uint64]T, width int, entry func([]uint32) T) {
	fields := make([]uint32, width)
	last := uint64(0)
	// An entry takes a byte a number at least, which bounds how many there can be.
	for range r.number(uint64(len(r.b) / (width + 1))) {
		last += r.number(math.MaxUint64)
		for i := range fields {
			fields[i] = uint32(r.number(math.MaxInt32))
		}
		if r.bad {
			return
		}
		entries[last] = entry(fields)
	}
}

// reader reads numbers; after bad input it is bad and gives zeros.
type reader struct {
	b   []byte
	bad bool
}

// number reads a number of at most limit.
func (r *reader) number(limit uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > limit {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func errFormat(what string) error { return fmt.Errorf("blend model: %s: %w", what, model.ErrFormat) }
