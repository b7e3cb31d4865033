package styletree

import (
	"math"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/codec"
	"github.com/winnow-proxy/winnow/model/internal/entropy"
)

// maxDepth is the depth of the deepest tree that is read. The parser limits pages to a depth of 512.
const maxDepth = 1024

// Decode reads what [Tree.Encode] wrote; for errors see [base.Load]. A tree beyond the budget in opts is shrunk to it.
func Decode(key model.Key, opts Options, b []byte) (*Tree, error) {
	t := New(key, opts)
	if err := t.Load(b); err != nil {
		return nil, err
	}
	return t, nil
}

// Load reads what Encode wrote; see [base.Load].
func (t *Tree) Load(b []byte) error { return base.Load(t, b) }

// ReadBody implements [base.State].
func (t *Tree) ReadBody(r *codec.Reader) {
	d := decoder{t: t, Reader: r}
	recent := d.sketches()
	t.sketches.Load(recent, d.sketches())
	d.kinds()
	d.elements()
}

// decoder reads one tree.
type decoder struct {
	*codec.Reader
	t *Tree

	table []kindEntry
	depth []uint16
}

type kindEntry struct {
	kind uint64
	tag  uint32
}

func (d *decoder) sketches() []sketch {
	n := d.Count(5)
	sketches := make([]sketch, 0, n)
	for range n {
		s := sketch{title: d.Uint32()}
		s.mins = codec.Ascending[uint32](d.Reader)
		if len(s.mins) > sketchSize || !s.usable() || len(sketches) > 0 && compareSketches(sketches[len(sketches)-1], s) >= 0 {
			d.Fail("bad sketch")
			return nil
		}
		sketches = append(sketches, s)
	}
	return sketches
}

func (d *decoder) kinds() {
	n := d.Count(9)
	d.table = make([]kindEntry, 0, n)
	for range n {
		e := kindEntry{kind: d.Uint64()}
		e.tag = uint32(d.Number(math.MaxUint32))
		if e.kind == 0 || len(d.table) > 0 && d.table[len(d.table)-1].kind >= e.kind {
			d.Fail("kinds out of order")
			return
		}
		d.table = append(d.table, e)
	}
}

// elements reads the element nodes that the style nodes announce.
func (d *decoder) elements() {
	d.depth = []uint16{0}
	for e := int32(0); int(e) < len(d.t.elems) && d.Err() == nil; e++ {
		last := int32(none)
		for range d.Count(2) {
			s := d.style(e)
			if d.Err() != nil {
				return
			}
			if last != none {
				if d.t.styles[last].seq >= d.t.styles[s].seq {
					d.Fail("style nodes out of order")
					return
				}
				d.t.styles[last].next = s
			} else {
				d.t.elems[e].styles = s
			}
			last = s
		}
	}
}

// style reads a style node below e and does not link it yet.
func (d *decoder) style(e int32) int32 {
	t := d.t
	i := int32(len(t.styles))
	s := style{next: none, first: none, content: none}
	shape := d.Number(math.MaxInt32)
	switch shape {
	case shapeOthers:
		s.k = int32(d.Number(math.MaxInt32))
	case shapeHollow:
		s.seq = max(d.Uint64(), othersSeq+1)
	}
	s.n = fixed(d.Number(math.MaxUint32))
	t.styles = append(t.styles, s)
	if shape >= shapeFull {
		d.nodes(e, i, (shape-shapeFull)/2)
		if shape&1 == 1 {
			d.content(i)
		}
	}
	return i
}

// nodes reads the k element nodes of style node s below e.
func (d *decoder) nodes(e, s int32, k uint64) {
	if k > uint64(d.Len()) || k > 0 && d.depth[e] >= maxDepth {
		d.Fail("style node too long or too deep")
		return
	}
	first := d.t.fill(s, int(k))
	kinds := make([]uint64, k)
	for j := range int32(k) {
		i := d.Number(uint64(len(d.table)))
		if i >= uint64(len(d.table)) {
			d.Fail("unknown kind")
			return
		}
		kinds[j] = d.table[i].kind
		d.t.elems[first+j].kind, d.t.elems[first+j].tag = d.table[i].kind, d.table[i].tag
		d.depth = append(d.depth, d.depth[e]+1)
	}
	d.t.styles[s].seq = sequence(d.t.Hasher(), nil, kinds...)
}

// content reads the content of style node s.
func (d *decoder) content(s int32) {
	n := d.Count(2)
	c := content{rest: uint32(d.Number(math.MaxUint32)), features: make([]feature, 0, n)}
	var last uint64
	for i := range n {
		diff := d.Number(math.MaxUint32 - last)
		if i > 0 && diff == 0 {
			d.Fail("features out of order")
			return
		}
		last += diff
		c.features = append(c.features, feature{uint32(last), entropy.Read(d.Reader)})
	}
	d.t.styles[s].content = int32(len(d.t.contents))
	d.t.contents = append(d.t.contents, c)
}
