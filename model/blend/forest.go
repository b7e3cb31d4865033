package blend

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// forest is an ensemble of boosted regression trees over rows of features. Its output is a log-odds.
//
// It scores 64 rows at once. A tree takes the set of all rows down from its root. Each node divides the set by its
// threshold, and branches without rows are skipped. That is QuickScorer (Lucchese et al. 2015) with rows instead of
// leaves: there a bit is a leaf, here it is a row.
type forest struct {
	base float32
	// roots are the indices of the trees' roots in nodes.
	roots []int32
	nodes []node
}

// node is an inner node, which goes to the next node if the value of a feature is below the threshold with the index
// cut, otherwise to the node right. If cut is negative, it is a leaf, and right has the bits of its weight.
type node struct{ cut, right int32 }

// weight returns the weight of a leaf.
func (n node) weight() float32 { return math.Float32frombits(uint32(n.right)) }

// logOdds returns the sum of the trees' results for each compared row.
func (f *forest) logOdds(c *comparison) []float32 {
	odds := make([]float32, c.rows)
	for i := range odds {
		odds[i] = f.base
	}
	var waiting [maxDepth]branch
	for start := 0; start < c.rows; start += together {
		group, over := odds[start:min(c.rows, start+together)], c.group(start)
		for _, root := range f.roots {
			f.add(group, root, over, &waiting)
		}
	}
	return odds
}

// branch is a node with the rows that come to it.
type branch struct {
	node int32
	rows rowSet
}

// add adds a tree's results to the odds of up to 64 rows. waiting is working memory.
func (f *forest) add(odds []float32, root int32, over []rowSet, waiting *[maxDepth]branch) {
	depth, nodes := 0, f.nodes
	at, rows := root, ^rowSet(0)>>(together-len(odds))
	for {
		n := nodes[at]
		if n.cut >= 0 {
			right := rows & over[n.cut]
			if right == rows {
				at = n.right
				continue
			}
			if right != 0 {
				waiting[depth&(maxDepth-1)] = branch{n.right, right}
				depth++
			}
			rows &^= right
			at++
			continue
		}
		weight := n.weight()
		for ; rows != 0; rows &= rows - 1 {
			odds[bits.TrailingZeros64(rows)] += weight
		}
		if depth == 0 {
			return
		}
		depth--
		next := waiting[depth&(maxDepth-1)]
		at, rows = next.node, next.rows
	}
}

// probability turns a log-odds into a probability.
func probability(logOdds float32) float32 { return float32(1 / (1 + math.Exp(-float64(logOdds)))) }

// maxDepth is the most steps from the root of a tree to a leaf.
const maxDepth = 16

// encodedForest is a forest in the form of a weights file.
type encodedForest struct {
	base  float32
	trees []encodedTree
}

// decodeForest reads the form that the fitting script writes: little-endian base score, number of trees, and for each
// tree the number of its nodes and the nodes in order, root first: feature int16, left and right uint16 within the
// tree, value float32. A negative feature means that the node is a leaf. width is the length of the rows. It returns
// the bytes after the forest.
func decodeForest(b []byte, width int) (f encodedForest, rest []byte, err error) {
	const head = 8
	if len(b) < head {
		return f, nil, fmt.Errorf("forest: %d bytes are too few", len(b))
	}
	f.base = float32At(b)
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

// grow makes a forest from an encoded one whose thresholds are in the table.
func (t *cutTable) grow(e encodedForest) *forest {
	f := &forest{base: e.base}
	for _, tree := range e.trees {
		f.roots = append(f.roots, int32(len(f.nodes)))
		t.plant(f, tree, 0)
	}
	return f
}

// plant adds the i-th node of a tree and all below it. The left child follows its parent.
func (t *cutTable) plant(f *forest, tree encodedTree, i int) {
	feature, left, right, value := tree.node(i)
	if feature < 0 {
		f.nodes = append(f.nodes, node{-1, int32(math.Float32bits(value))})
		return
	}
	at := len(f.nodes)
	f.nodes = append(f.nodes, node{cut: t.index(feature, value)})
	t.plant(f, tree, left)
	f.nodes[at].right = int32(len(f.nodes))
	t.plant(f, tree, right)
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
		float32At(b[6:])
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

func float32At(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
