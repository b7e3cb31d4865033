package styletree

import (
	"encoding/binary"
	"slices"

	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/codec"
)

// The encoding's body, all numbers as uvarints unless said otherwise:
//
//	sketches: recent, then older: count, then each: title hash (4 bytes), count, first hash, differences
//	kinds: count, then each: hash (8 bytes), tag
//	element nodes from the virtual root on, breadth first; each: number of style nodes, and these in order:
//	    shape: 0 others (then the number it stands for), 1 hollow (then the sequence's hash, 8 bytes),
//	        2+2k full, 3+2k full with content, k element nodes
//	    n
//	    k kinds, as indices
//	    content: number of features, number of evicted ones, then each: hash difference, 2T or, followed by
//	        Σ c·log c where that is not 0, 2T+1
//
// Elements and style nodes are ordered by their hashes and not by arrival, so equal trees have equal encodings.
const (
	shapeOthers = 0
	shapeHollow = 1
	shapeFull   = 2
)

func format() codec.Format { return codec.Format{What: "style tree", Magic: "wsst", Version: 1} }

// Encode returns the versioned encoding; see [base.Encode]. It leaves out the rarest style nodes and features first.
func (t *Tree) Encode() ([]byte, error) { return base.Encode(t) }

// maxRounds bounds how often a tree is shrunk until its encoding fits.
const maxRounds = 32

// Smaller implements [base.State]: it evicts what is rare.
func (t *Tree) Smaller(o base.Overrun) (*Tree, bool) {
	if o.Round > maxRounds {
		return nil, false
	}
	small := t // from the second round on, t is the clone of the first
	if o.Round == 1 {
		small = t.clone()
	} else { // drop the memory of learned pages last: without it a page counts twice
		small.Learned.Shrink()
		small.sketches.Shrink()
	}
	small.shrink(int(float64(small.bytes()) * 0.95 * o.Share()))
	return small, true
}

// AppendBody implements [base.State].
func (t *Tree) AppendBody(b []byte) []byte {
	e := encoder{t: t, b: b}
	e.sketches(t.sketches.Recent())
	e.sketches(t.sketches.Older())
	order := e.order()
	e.kinds(order)
	for _, at := range order {
		e.element(at)
	}
	return e.b
}

// encoder writes one tree.
type encoder struct {
	t    *Tree
	b    []byte
	kind map[uint64]uint64
}

func (e *encoder) number(v uint64) { e.b = binary.AppendUvarint(e.b, v) }

func (e *encoder) sketches(sketches []sketch) {
	e.number(uint64(len(sketches)))
	for _, s := range sketches {
		e.b = binary.LittleEndian.AppendUint32(e.b, s.title)
		e.b = codec.AppendAscending(e.b, s.mins)
	}
}

// order returns the reachable element nodes, breadth first.
func (e *encoder) order() []int32 {
	order := []int32{0}
	for i := 0; i < len(order); i++ {
		for s := e.t.elems[order[i]].styles; s != none; s = e.t.styles[s].next {
			if st := &e.t.styles[s]; !st.hollow() {
				for j := range st.k {
					order = append(order, st.first+j)
				}
			}
		}
	}
	return order
}

// kinds writes the table of kinds and numbers them.
func (e *encoder) kinds(order []int32) {
	tags := map[uint64]uint32{}
	for _, at := range order[1:] {
		tags[e.t.elems[at].kind] = e.t.elems[at].tag
	}
	hashes := make([]uint64, 0, len(tags))
	for h := range tags {
		hashes = append(hashes, h)
	}
	slices.Sort(hashes)
	e.kind = make(map[uint64]uint64, len(hashes))
	e.number(uint64(len(hashes)))
	for i, h := range hashes {
		e.kind[h] = uint64(i)
		e.b = binary.LittleEndian.AppendUint64(e.b, h)
		e.number(uint64(tags[h]))
	}
}

func (e *encoder) element(at int32) {
	n := 0
	for s := e.t.elems[at].styles; s != none; s = e.t.styles[s].next {
		n++
	}
	e.number(uint64(n))
	for s := e.t.elems[at].styles; s != none; s = e.t.styles[s].next {
		e.style(s)
	}
}

func (e *encoder) style(i int32) {
	s, c := &e.t.styles[i], e.t.content(i)
	switch {
	case s.others():
		e.number(shapeOthers)
		e.number(uint64(s.k))
		e.number(uint64(s.n))
		return
	case s.hollow():
		e.number(shapeHollow)
		e.b = binary.LittleEndian.AppendUint64(e.b, s.seq)
		e.number(uint64(s.n))
		return
	}
	shape := shapeFull + 2*uint64(s.k)
	if c != nil {
		shape++
	}
	e.number(shape)
	e.number(uint64(s.n))
	for _, el := range e.t.elems[s.first : s.first+s.k] {
		e.number(e.kind[el.kind])
	}
	if c != nil {
		e.content(c)
	}
}

func (e *encoder) content(c *content) {
	e.number(uint64(len(c.features)))
	e.number(uint64(c.rest))
	var last uint32
	for _, f := range c.features {
		e.number(uint64(f.hash - last))
		last = f.hash
		e.b = f.Append(e.b)
	}
}
