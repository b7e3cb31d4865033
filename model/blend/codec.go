package blend

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// The encoding's body, all numbers as uvarints unless said otherwise:
//
//	length of the style tree's encoding, and that
//	pages
//	sightings: number, then each in the order of keys: difference of keys, count, span
//	places: number, then each in the order of keys: difference of keys, visits, finds, novel, score, links, words, fresh,
//	    span

// format frames the encoding. Version 1 had no key id.
func format() codec.Format { return codec.Format{What: "blend model", Magic: "wbl", Version: 2} }

// Encode implements model.Host. It leaves out rare entries if the encoding would exceed the limit.
func (h *Host) Encode() ([]byte, error) {
	tree, err := h.tree.Encode()
	if err != nil {
		return nil, err
	}
	room := h.d.limits.Encoded - len(tree) - format().Overhead() - binary.MaxVarintLen32
	memory := h.memory.encode()
	for small := h.memory; len(memory) > room; memory = small.encode() {
		if small.seen.len()+small.places.len() == 0 {
			return nil, fmt.Errorf("encoding a blend model: the limit of %d bytes leaves no room beside the style tree: raise it",
				h.d.limits.Encoded)
		}
		small = small.clone()
		small.evict(small.bytes() * 3 / 4)
	}
	b := append(binary.AppendUvarint(nil, uint64(len(tree))), tree...)
	return format().Seal(h.key, append(b, memory...)), nil
}

func (m *memory) clone() *memory {
	c := *m
	c.seen, c.places = m.seen.clone(), m.places.clone()
	return &c
}

func (m *memory) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(m.pages))
	b = appendEntries(b, &m.seen, func(s *sighting) []uint32 { return []uint32{s.count, s.on(m.pages)} })
	return appendEntries(b, &m.places, func(p *placeStat) []uint32 {
		return []uint32{p.visits, p.finds, p.novel, p.score, p.links, p.words, p.fresh, p.on(m.pages)}
	})
}

func appendEntries[T any](b []byte, entries *hashTable[T], fields func(*T) []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(entries.len()))
	last := uint64(0)
	for _, k := range entries.keys() {
		b = binary.AppendUvarint(b, k-last)
		last = k
		e, _ := entries.get(k)
		for _, f := range fields(&e) {
			b = binary.AppendUvarint(b, uint64(f))
		}
	}
	return b
}

// Decode implements model.Detector.
func (d *Detector) Decode(key model.Key, b []byte) (model.Host, error) {
	r, err := format().Open(key, d.limits.Encoded, b)
	if err != nil {
		return nil, err
	}
	tree, err := styletree.Decode(key, d.treeOptions(), r.Bytes(r.Count(1)))
	if err != nil {
		return nil, fmt.Errorf("blend model: %w", err)
	}
	h := d.newHost(key)
	h.tree = tree
	h.memory.decode(r)
	if err := r.Close(); err != nil {
		return nil, err
	}
	h.memory.settle()
	return h, nil
}

func (m *memory) decode(r *codec.Reader) {
	m.pages = uint32(r.Int())
	readEntries(r, &m.seen, 2, func(f []uint32) sighting { return sighting{f[0], age{f[1], m.pages}} })
	readEntries(r, &m.places, 8, func(f []uint32) placeStat {
		return placeStat{visits: f[0], finds: f[1], novel: f[2], score: f[3], links: f[4], words: f[5],
			fresh: f[6], age: age{f[7], m.pages}}
	})
}

func readEntries[T any](r *codec.Reader, entries *hashTable[T], width int, entry func([]uint32) T) {
	fields := make([]uint32, width)
	last, count := uint64(0), r.Count(width+1)
	*entries = newHashTable[T](count)
	for range count {
		last += r.Number(math.MaxUint64)
		for i := range fields {
			fields[i] = uint32(r.Int())
		}
		if r.Err() != nil {
			return
		}
		e, _ := entries.at(last)
		*e = entry(fields)
	}
}
