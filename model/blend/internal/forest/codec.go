package forest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// EncodedForest is a forest in the form of a weights file.
type EncodedForest struct {
	base  float32
	trees []encodedTree
}

// DecodeForest reads the form that the fitting script writes: little-endian base score, number of trees, and for each
// tree the number of its nodes and the nodes in order, root first: feature int16, left and right uint16 within the
// tree, value float32. A negative feature means that the node is a leaf. width is the length of the rows. It returns
// the bytes after the forest.
func DecodeForest(b []byte, width int) (f EncodedForest, rest []byte, err error) {
	const head = 8
	if len(b) < head {
		return f, nil, fmt.Errorf("forest: %d bytes are too few", len(b))
	}
	f.base = Float32At(b)
	count := binary.LittleEndian.Uint32(b[4:])
	b = b[head:]
	for range count {
		t, rest, err := cutTree(b)
		if err == nil {
			err = t.check(width)
		}
		if err != nil {
			return f, nil, fmt.Errorf("forest: tree %d: %w", len(f.trees), err)
		}
		f.trees, b = append(f.trees, t), rest
	}
	return f, b, nil
}

// encodedTree has the nodes of a tree in the form of a weights file, nodeSize bytes each.
type encodedTree []byte

const nodeSize = 10

// cutTree cuts a tree off the front of b.
func cutTree(b []byte) (t encodedTree, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errors.New("it is missing")
	}
	count := int(binary.LittleEndian.Uint32(b))
	b = b[4:]
	if count == 0 || count > len(b)/nodeSize {
		return nil, nil, fmt.Errorf("it claims %d nodes", count)
	}
	return encodedTree(b[:count*nodeSize]), b[count*nodeSize:], nil
}

// node returns the i-th node. For a leaf, feature is negative and value is its weight; otherwise value is the
// threshold.
func (t encodedTree) node(i int) (feature, left, right int, value float32) {
	b := t[i*nodeSize:]
	return int(int16(binary.LittleEndian.Uint16(b))), int(binary.LittleEndian.Uint16(b[2:])), int(binary.LittleEndian.Uint16(b[4:])),
		Float32At(b[6:])
}

func (t encodedTree) size() int { return len(t) / nodeSize }

// check verifies that the nodes are a tree of bounded depth over rows of the given width, and that thresholds are
// ordered numbers. Children come after their parent, so every walk ends, and no node has two parents.
func (t encodedTree) check(width int) error {
	depths, placed := make([]int, t.size()), make([]bool, t.size())
	for i, depth := range depths {
		feature, left, right, value := t.node(i)
		switch {
		case math.IsNaN(float64(value)):
			return fmt.Errorf("node %d has no number", i)
		case feature < 0:
		case feature >= width || min(left, right) <= i || max(left, right) >= len(depths):
			return fmt.Errorf("node %d points outside", i)
		case depth == maxDepth:
			return fmt.Errorf("node %d is too deep", i)
		case placed[left] || placed[right] || left == right:
			return fmt.Errorf("node %d has a child of another", i)
		default:
			placed[left], placed[right] = true, true
			depths[left], depths[right] = max(depths[left], depth+1), max(depths[right], depth+1)
		}
	}
	return nil
}

// Float32At reads a number, little-endian.
func Float32At(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
