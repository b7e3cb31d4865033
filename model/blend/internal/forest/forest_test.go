package forest

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fitted is a node as fit.py knows it: feature is below 0 for a leaf.
type fitted struct {
	feature     int16
	left, right int
	value       float32
}

// encodeTree writes one tree as fit.py does.
func encodeTree(b []byte, nodes ...fitted) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(nodes)))
	for _, n := range nodes {
		b = binary.LittleEndian.AppendUint16(b, uint16(n.feature))
		b = binary.LittleEndian.AppendUint16(b, uint16(n.left))
		b = binary.LittleEndian.AppendUint16(b, uint16(n.right))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(n.value))
	}
	return b
}

func forestHead(trees uint32) []byte {
	return binary.LittleEndian.AppendUint32(make([]byte, 4), trees)
}

// judge returns the results of encoded trees for rows, both by sets of rows and by walking each tree for each row.
func judge(t *testing.T, b []byte, rows [][]float32) (got, want []float32) {
	t.Helper()
	width := len(rows[0])
	e, rest, err := DecodeForest(append(b, "rest"...), width)
	if err != nil || string(rest) != "rest" {
		t.Fatalf("rest %q, %v", rest, err)
	}
	table := NewCutTable(width, e)
	c := table.NewComparison(len(rows))
	g := Group[[][]float32]{Names: make([]string, width), Fill: func(rows [][]float32, dst []float32, i int) []float32 {
		return append(dst, rows[i]...)
	}}
	g.Compare(c, rows)
	for _, row := range rows {
		odds := e.base
		for _, tree := range e.trees {
			feature, left, right, value := tree.node(0)
			for feature >= 0 {
				next := right
				if row[feature] < value {
					next = left
				}
				feature, left, right, value = tree.node(next)
			}
			odds += value
		}
		want = append(want, odds)
	}
	return table.Grow(e).LogOdds(c), want
}

func TestForest(t *testing.T) {
	b := encodeTree(forestHead(2), fitted{feature: 1, left: 1, right: 2, value: .5}, fitted{feature: -1, value: -1}, fitted{feature: -1, value: 2})
	b = encodeTree(b, fitted{feature: -1, value: .25})
	got, _ := judge(t, b, [][]float32{{0, .4}, {0, .5}})
	if want := []float32{-.75, 2.25}; !slices.Equal(got, want) {
		t.Errorf("log-odds %v, want %v", got, want)
	}
}

// Sets of rows give, to the last bit, the same as walking each tree, for any number of rows.
func TestForestsAnswerAsTheirTreesDo(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const width = 4
		number := rapid.Float32Range(-2, 2)
		trees := rapid.IntRange(1, 6).Draw(rt, "trees")
		b := forestHead(uint32(trees))
		for range trees {
			b = encodeTree(b, drawTree(rt, width, number)...)
		}
		values := rapid.SliceOfN(number, 1, 8).Draw(rt, "values") // few, so that neighbours and thresholds are often equal
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(values), width, width), 1, 150).Draw(rt, "rows")
		if got, want := judge(t, b, rows); !slices.Equal(got, want) {
			rt.Fatalf("%v, want %v", got, want)
		}
	})
}

// drawTree draws a tree in the order that fit.py writes: children after their parents.
func drawTree(t *rapid.T, width int, number *rapid.Generator[float32]) (nodes []fitted) {
	nodes = []fitted{{}}
	for i := 0; i < len(nodes); i++ {
		nodes[i].value = number.Draw(t, "value")
		if len(nodes) > 28 || i > 0 && rapid.Bool().Draw(t, "leaf") {
			nodes[i].feature = -1
			continue
		}
		nodes[i].feature = int16(rapid.IntRange(0, width-1).Draw(t, "feature"))
		nodes[i].left, nodes[i].right = len(nodes), len(nodes)+1
		nodes = append(nodes, fitted{}, fitted{})
	}
	return nodes
}

// chain returns a tree of the given depth, whose left children are leaves.
func chain(depth int) (nodes []fitted) {
	for i := range depth {
		nodes = append(nodes, fitted{left: 2*i + 1, right: 2*i + 2}, fitted{feature: -1}) // inner nodes stand at even indices
	}
	return append(nodes, fitted{feature: -1})
}

func TestDecodeForestRefuses(t *testing.T) {
	leaf := fitted{feature: -1}
	for name, b := range map[string][]byte{
		"nothing":          nil,
		"cut off":          forestHead(1),
		"too many nodes":   append(forestHead(1), 255, 255, 255, 255),
		"no nodes":         encodeTree(forestHead(1)),
		"unknown feature":  encodeTree(forestHead(1), fitted{feature: 2, left: 1, right: 2}, leaf, leaf),
		"child outside":    encodeTree(forestHead(1), fitted{feature: 0, left: 1, right: 3}, leaf, leaf),
		"child of itself":  encodeTree(forestHead(1), fitted{feature: 0, left: 0, right: 1}, leaf),
		"child goes back":  encodeTree(forestHead(1), fitted{feature: 0, left: 1, right: 2}, fitted{feature: 0, left: 0, right: 2}, leaf),
		"too deep":         encodeTree(forestHead(1), chain(maxDepth+1)...),
		"no number":        encodeTree(forestHead(1), fitted{feature: -1, value: float32(math.NaN())}),
		"second is absent": encodeTree(forestHead(2), leaf),
	} {
		if _, _, err := DecodeForest(b, 2); err == nil || !strings.HasPrefix(err.Error(), "forest: ") {
			t.Errorf("%s: %v, want an error", name, err)
		}
	}
}
