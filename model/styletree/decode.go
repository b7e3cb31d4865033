package styletree

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/winnow-proxy/winnow/model"
)

// maxEncoded is the most bytes that Decode looks at, unless the caller's own limit is higher: what they decode to does
// no harm before it is shrunk to the budget.
const maxEncoded = 4 << 20

// maxDepth is the deepest tree that is read. Pages nest to 512 (the parser's own limit).
const maxDepth = 1024

// Decode reads what [Tree.Encode] wrote. It returns [model.ErrFormat] (wrapped) for damaged, foreign or newer input,
// with [model.ErrMismatch] for a tree of another key. A tree beyond the budget in opts is shrunk to it.
func Decode(key model.Key, opts Options, b []byte) (*Tree, error) {
	t := New(key, opts)
	body, err := t.open(b)
	if err != nil {
		return nil, err
	}
	d := decoder{t: t, b: body}
	d.seen()
	d.kinds()
	d.elements()
	if d.err == nil && len(d.b) > 0 {
		d.fail("%d bytes too many", len(d.b))
	}
	if d.err != nil {
		return nil, d.err
	}
	t.settle()
	return t, nil
}

// open checks the frame of an encoding and returns what it holds.
func (t *Tree) open(b []byte) ([]byte, error) {
	switch {
	case len(b) < headerBytes+checksumBytes || string(b[:len(magic)]) != magic:
		return nil, errFormat("no style tree")
	case len(b) > max(maxEncoded, t.opts.Limits.Encoded):
		return nil, errFormat("%d bytes, more than a model may have", len(b))
	case b[len(magic)] != formatVersion:
		return nil, errFormat("version %d, want %d", b[len(magic)], formatVersion)
	case binary.LittleEndian.Uint64(b[len(magic)+1:]) != t.key.ID():
		return nil, errKey()
	}
	end := len(b) - checksumBytes
	if binary.LittleEndian.Uint64(b[end:]) != t.hash.Bytes(b[:end]) {
		return nil, errFormat("damaged: the checksum does not match")
	}
	return b[headerBytes:end], nil
}

// decoder reads one tree. The checksum is keyed, but the key may have signed nonsense, so nothing is believed: every
// count is held against the bytes that are left, of which each item needs one at least.
type decoder struct {
	t   *Tree
	b   []byte
	err error

	table []kindEntry
	depth []uint16
}

type kindEntry struct {
	kind uint64
	tag  uint32
}

func (d *decoder) fail(what string, args ...any) {
	if d.err == nil {
		d.err = errFormat(what, args...)
	}
	d.b = nil
}

// number reads a number of at most limit.
func (d *decoder) number(limit uint64) uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 || v > limit {
		d.fail("bad number")
		return 0
	}
	d.b = d.b[n:]
	return v
}

// count reads the number of items that follow, each of at least size bytes.
func (d *decoder) count(size int) int { return int(d.number(uint64(len(d.b) / size))) }

func (d *decoder) bytes(n int) []byte {
	if len(d.b) < n {
		d.fail("cut short")
		return make([]byte, n)
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) seen() {
	s := &d.t.seen
	at, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail("bad time")
		return
	}
	if d.b = d.b[n:]; at != 0 {
		d.t.lastSeen = time.Unix(at, 0).UTC()
	}
	s.forgotten = int(d.number(math.MaxInt32))
	recent, older := readAscending[uint64](d, math.MaxUint64), readAscending[uint64](d, math.MaxUint64)
	s.forgotten += s.urls.load(recent, older)
	sketches := d.sketches()
	s.sketches.load(sketches, d.sketches())
}

// readAscending reads what ascending wrote: values of at most limit, each greater than the last.
func readAscending[T uint32 | uint64](d *decoder, limit uint64) []T {
	n := d.count(1)
	values := make([]T, 0, n)
	var last uint64
	for i := range n {
		diff := d.number(limit - last)
		if i > 0 && diff == 0 {
			d.fail("values out of order")
		}
		last += diff
		values = append(values, T(last))
	}
	return values
}

func (d *decoder) sketches() []sketch {
	n := d.count(5)
	sketches := make([]sketch, 0, n)
	for range n {
		s := sketch{title: binary.LittleEndian.Uint32(d.bytes(4))}
		s.mins = readAscending[uint32](d, math.MaxUint32)
		if len(s.mins) > sketchSize || !s.usable() || len(sketches) > 0 && compareSketches(sketches[len(sketches)-1], s) >= 0 {
			d.fail("bad sketch")
			return nil
		}
		sketches = append(sketches, s)
	}
	return sketches
}

func (d *decoder) kinds() {
	n := d.count(9)
	d.table = make([]kindEntry, 0, n)
	for range n {
		e := kindEntry{kind: binary.LittleEndian.Uint64(d.bytes(8))}
		e.tag = uint32(d.number(math.MaxUint32))
		if e.kind == 0 || len(d.table) > 0 && d.table[len(d.table)-1].kind >= e.kind {
			d.fail("kinds out of order")
			return
		}
		d.table = append(d.table, e)
	}
}

// elements reads the element nodes: as many as the style nodes on the way announce.
func (d *decoder) elements() {
	d.depth = []uint16{0}
	for e := int32(0); int(e) < len(d.t.elems) && d.err == nil; e++ {
		last := int32(none)
		for range d.count(2) {
			s := d.style(e)
			if d.err != nil {
				return
			}
			if last != none {
				if d.t.styles[last].seq >= d.t.styles[s].seq {
					d.fail("style nodes out of order")
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

// style reads a style node below e, unlinked as yet.
func (d *decoder) style(e int32) int32 {
	t := d.t
	i := int32(len(t.styles))
	s := style{next: none, first: none, content: none}
	shape := d.number(math.MaxInt32)
	switch shape {
	case shapeOthers:
		s.k = int32(d.number(math.MaxInt32))
	case shapeHollow:
		s.seq = max(binary.LittleEndian.Uint64(d.bytes(8)), othersSeq+1)
	}
	s.n = fixed(d.number(math.MaxUint32))
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
	if k > uint64(len(d.b)) || k > 0 && d.depth[e] >= maxDepth {
		d.fail("style node too long or too deep")
		return
	}
	first := d.t.fill(s, int(k))
	kinds := make([]uint64, k)
	for j := range int32(k) {
		i := d.number(uint64(len(d.table)))
		if i >= uint64(len(d.table)) {
			d.fail("unknown kind")
			return
		}
		kinds[j] = d.table[i].kind
		d.t.elems[first+j].kind, d.t.elems[first+j].tag = d.table[i].kind, d.table[i].tag
		d.depth = append(d.depth, d.depth[e]+1)
	}
	d.t.styles[s].seq = sequence(d.t.hash, nil, kinds...)
}

// content reads the content of style node s.
func (d *decoder) content(s int32) {
	n := d.count(2)
	c := content{rest: uint32(d.number(math.MaxUint32)), features: make([]feature, 0, n)}
	var last uint64
	for i := range n {
		diff := d.number(math.MaxUint32 - last)
		if i > 0 && diff == 0 {
			d.fail("features out of order")
			return
		}
		last += diff
		total := d.number(2*math.MaxUint32 + 1)
		f := feature{hash: uint32(last), total: fixed(total / 2)}
		if total&1 == 1 {
			f.clogc = uint32(d.number(math.MaxUint32))
		}
		c.features = append(c.features, f)
	}
	d.t.styles[s].content = int32(len(d.t.contents))
	d.t.contents = append(d.t.contents, c)
}
