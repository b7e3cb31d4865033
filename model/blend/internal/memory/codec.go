package memory

import (
	"encoding/binary"
	"math"

	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/internal/codec"
)

// Clone returns a copy.
func (m *Memory) Clone() *Memory {
	c := *m
	c.Seen, c.Places = m.Seen.Clone(), m.Places.Clone()
	return &c
}

// Encode appends pages, sightings and places: see the form of a blend model.
func (m *Memory) Encode() []byte {
	b := binary.AppendUvarint(nil, uint64(m.Pages))
	b = appendEntries(b, &m.Seen, func(s *sighting) []uint32 { return []uint32{s.Count, s.on(m.Pages)} })
	return appendEntries(b, &m.Places, func(p *PlaceSums) []uint32 {
		return []uint32{p.Visits, p.Finds, p.Novel, p.Score, p.Links, p.Words, p.Fresh, p.Mass, p.on(m.Pages)}
	})
}

func appendEntries[T any](b []byte, entries *hashes.Table[T], fields func(*T) []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(entries.Len()))
	last := uint64(0)
	for _, k := range entries.Keys() {
		b = binary.AppendUvarint(b, k-last)
		last = k
		e, _ := entries.Get(k)
		for _, f := range fields(&e) {
			b = binary.AppendUvarint(b, uint64(f))
		}
	}
	return b
}

// Decode reads what Encode wrote. Errors are with the reader.
func (m *Memory) Decode(r *codec.Reader) {
	m.Pages = uint32(r.Int())
	readEntries(r, &m.Seen, 2, func(f []uint32) sighting { return sighting{f[0], Age{f[1], m.Pages}} })
	readEntries(r, &m.Places, 9, func(f []uint32) PlaceSums {
		return PlaceSums{Visits: f[0], Finds: f[1], Novel: f[2], Score: f[3], Links: f[4], Words: f[5],
			Fresh: f[6], Mass: f[7], Age: Age{f[8], m.Pages}}
	})
}

func readEntries[T any](r *codec.Reader, entries *hashes.Table[T], width int, entry func([]uint32) T) {
	fields := make([]uint32, width)
	last, count := uint64(0), r.Count(width+1)
	*entries = hashes.NewHashTable[T](count)
	for range count {
		last += r.Number(math.MaxUint64)
		for i := range fields {
			fields[i] = uint32(r.Int())
		}
		if r.Err() != nil {
			return
		}
		e, _ := entries.At(last)
		*e = entry(fields)
	}
}
