package blend

import (
	"encoding/binary"
	"fmt"
	"math"
)

// forest is an ensemble of boosted regression trees over rows of features; its output is a log-odds.
type forest struct {
	base  float32
	width int // of the rows
	trees []tree
	nodes []node
}

// tree is the index of a tree's root in nodes, and the most steps from there to a leaf.
type tree struct{ root, depth int32 }

// node is an inner node: left where the value of feature is below the threshold, else right; or a leaf, whose children
// are the leaf itself. value is the threshold or the leaf's weight.
type node struct {
	feature     int16
	left, right int32
	value       float32
}

const (
	// chunk is how many rows are made at a time, few enough for them and a tree to stay in the cache.
	chunk = 64
	// together is how many rows walk down a tree at once, so that their steps don't wait for each other.
	together = 8
)

// logOdds returns the sum of the trees' answers for each of n rows. row appends the i-th to an empty slice.
func (f *forest) logOdds(n int, row func(dst []float32, i int) []float32) []float32 {
	odds := make([]float32, 0, n+together)
	rows := make([]float32, min(chunk, n+together)*f.width)
	for len(odds) < n {
		start := len(odds)
		for i := start; i < min(n, start+chunk); i++ {
			at := (i - start) * f.width
			row(rows[at:at:at+f.width], i)
			odds = append(odds, f.base)
		}
		f.add(odds[start:cap(odds)], rows, len(odds)-start)
	}
	return odds[:n]
}

// add adds the trees' answers for the first n rows to odds, which has room for a whole last group.
func (f *forest) add(odds, rows []float32, n int) {
	for _, t := range f.trees {
		for i := 0; i < n; i += together {
			f.walk(t, odds[i:i+together], rows[i*f.width:])
		}
	}
}

// walk takes a group of rows down one tree. There is no branch in it, for no processor could guess which way it goes.
func (f *forest) walk(t tree, odds, rows []float32) {
	var at [together]int32
	for k := range at {
		at[k] = t.root
	}
	for range t.depth {
		for k := range at {
			n := &f.nodes[at[k]]
			below := int32(math.Float32bits(rows[k*f.width+int(n.feature)]-n.value)) >> 31 // all ones if below, else none
			at[k] = n.right ^ (n.left^n.right)&below
		}
	}
	for k, leaf := range at {
		odds[k] += f.nodes[leaf].value
	}
}

// probability turns a log-odds into a probability.
func probability(logOdds float32) float32 { return float32(1 / (1 + math.Exp(-float64(logOdds)))) }

// decodeForest reads the form that the fitting script writes: little-endian base score, number of trees, and for each
// tree the number of its nodes and the nodes in order, root first: feature int16, left and right uint16 within the
// tree, value float32. width is the length of the rows that will be asked about. It returns the bytes behind the forest.
func decodeForest(b []byte, width int) (*forest, []byte, error) {
	const head = 8
	if len(b) < head {
		return nil, nil, fmt.Errorf("forest: %d bytes are too few", len(b))
	}
	f := &forest{base: float32At(b), width: width}
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
		t, err := f.decodeTree(b, count)
		if err != nil {
			return nil, nil, fmt.Errorf("forest: tree %d: %w", len(f.trees), err)
		}
		f.trees = append(f.trees, t)
		b = b[count*nodeSize:]
	}
	return f, b, nil
}

// nodeSize is the size of an encoded node.
const nodeSize = 10

// decodeTree reads a tree of count nodes.
func (f *forest) decodeTree(b []byte, count int) (t tree, err error) {
	t.root = int32(len(f.nodes))
	depths := make([]int32, count)
	for i := range int32(count) {
		n := node{feature: int16(binary.LittleEndian.Uint16(b)), left: int32(binary.LittleEndian.Uint16(b[2:])),
			right: int32(binary.LittleEndian.Uint16(b[4:])), value: float32At(b[6:])}
		switch {
		case n.feature < 0:
			n.feature, n.left, n.right = 0, i, i
			t.depth = max(t.depth, depths[i])
		case int(n.feature) >= f.width, min(n.left, n.right) <= i, int(max(n.left, n.right)) >= count:
			// Children come after their parent, so that every walk ends.
			return t, fmt.Errorf("node %d points outside", i)
		default:
			depths[n.left], depths[n.right] = depths[i]+1, depths[i]+1
		}
		n.left += t.root
		n.right += t.root
		f.nodes = append(f.nodes, n)
		b = b[nodeSize:]
	}
	return t, nil
}

func float32At(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
