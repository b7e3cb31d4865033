package blend

import (
	"encoding/binary"
	"fmt"

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
//	    mass, span

// format frames the encoding. Version 1 had no key id.
func format() codec.Format { return codec.Format{What: "blend model", Magic: "wbl", Version: 3} }

// Encode implements model.Host. It leaves out rare entries if the encoding would exceed the limit.
func (h *Host) Encode() ([]byte, error) {
	tree, err := h.tree.Encode()
	if err != nil {
		return nil, err
	}
	room := h.d.limits.Encoded - len(tree) - format().Overhead() - binary.MaxVarintLen32
	memory := h.memory.Encode()
	for small := h.memory; len(memory) > room; memory = small.Encode() {
		if small.Seen.Len()+small.Places.Len() == 0 {
			return nil, fmt.Errorf("encoding a blend model: the limit of %d bytes leaves no room beside the style tree: raise it",
				h.d.limits.Encoded)
		}
		small = small.Clone()
		small.Evict(small.Bytes() * 3 / 4)
	}
	b := append(binary.AppendUvarint(nil, uint64(len(tree))), tree...)
	return format().Seal(h.key, append(b, memory...)), nil
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
	h.memory.Decode(r)
	if err := r.Close(); err != nil {
		return nil, err
	}
	h.memory.Settle()
	return h, nil
}
