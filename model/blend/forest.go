package blend

import (
	"encoding/binary"
	"fmt"
	"math"
)

// forest is an ensemble of boosted regression trees over rows of features; its output is a log-odds.
type forest struct {
	base  float32
	trees []int32 // index of each tree's root in nodes
	nodes []node
}

// node is an inner node (feature >= 0): left where the value is below the threshold, which stands in value, else
// right; or a leaf (feature < 0), whose weight stands in value.
type node struct {
	feature     int16
	left, right int32
	value       float32
}

// logOdds sums the trees' answers for one row.
func (f *forest) logOdds(row []float32) float32 {
	sum := f.base
	for _, at := range f.trees {
		n := &f.nodes[at]
		for n.feature >= 0 {
			if row[n.feature] < n.value {
				n = &f.nodes[n.left]
			} else {
				n = &f.nodes[n.right]
			}
		}
		sum += n.value
	}
	return sum
}

// probability turns a log-odds into a probability.
func probability(logOdds float32) float32 { return float32(1 / (1 + math.Exp(-float64(logOdds)))) }

// decodeForest reads the form that the fitting script writes: little-endian base score, number of trees, and for each
// tree the number of its nodes and the nodes in order, root first: feature int16, left and right uint16 within the
// tree, value float32. width is the length of the rows that will be asked about. It returns the bytes behind the forest.
func decodeForest(b []byte, width int) (*forest, []byte, error) {
	const head, nodeSize = 8, 10
	if len(b) < head {
		return nil, nil, fmt.Errorf("forest: %d bytes are too few", len(b))
	}
	f := &forest{base: float32At(b)}
	trees := binary.LittleEndian.Uint32(b[4:])
	b = b[head:]
	for range trees {
		if len(b) < 4 {
			return nil, nil, fmt.Errorf("forest: cut off after %d trees", len(f.trees))
		}
		count := int(binary.LittleEndian.Uint32(b))
		b = b[4:]
		if count == 0 || count > len(b)/nodeSize {
			return nil, nil, fmt.Errorf("forest: tree %d claims %d nodes", len(f.trees), count)
		}
		root := int32(len(f.nodes))
		f.trees = append(f.trees, root)
		for i := range count {
			n := node{feature: int16(binary.LittleEndian.Uint16(b)), left: root + int32(binary.LittleEndian.Uint16(b[2:])),
				right: root + int32(binary.LittleEndian.Uint16(b[4:])), value: float32At(b[6:])}
			// Children come after their parent, so that every walk ends.
			self, end := root+int32(i), root+int32(count)
			if n.feature >= 0 && (int(n.feature) >= width || n.left <= self || n.right <= self || n.left >= end || n.right >= end) {
				return nil, nil, fmt.Errorf("forest: node %d of tree %d points outside", i, len(f.trees)-1)
			}
			f.nodes = append(f.nodes, n)
			b = b[nodeSize:]
		}
	}
	return f, b, nil
}

func float32At(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
