package blend

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
)

// encodeTree writes one tree as fit.py does.
func encodeTree(b []byte, nodes ...node) []byte {
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

func TestForest(t *testing.T) {
	b := encodeTree(forestHead(2), node{feature: 1, left: 1, right: 2, value: .5}, node{feature: -1, value: -1}, node{feature: -1, value: 2})
	b = encodeTree(b, node{feature: -1, value: .25})
	f, rest, err := decodeForest(append(b, "rest"...), 2)
	if err != nil || string(rest) != "rest" {
		t.Fatalf("rest %q, %v", rest, err)
	}
	for _, c := range []struct{ x, want float32 }{{.4, -.75}, {.5, 2.25}} {
		row := func(dst []float32, _ int) []float32 { return append(dst, 0, c.x) }
		if got := f.logOdds(1, row)[0]; got != c.want {
			t.Errorf("log-odds at %v: %v, want %v", c.x, got, c.want)
		}
	}
}

func TestDecodeForestRefuses(t *testing.T) {
	leaf := node{feature: -1}
	for name, b := range map[string][]byte{
		"nothing":          nil,
		"cut off":          forestHead(1),
		"too many nodes":   append(forestHead(1), 255, 255, 255, 255),
		"no nodes":         encodeTree(forestHead(1)),
		"unknown feature":  encodeTree(forestHead(1), node{feature: 2, left: 1, right: 2}, leaf, leaf),
		"child outside":    encodeTree(forestHead(1), node{feature: 0, left: 1, right: 3}, leaf, leaf),
		"child of itself":  encodeTree(forestHead(1), node{feature: 0, left: 0, right: 1}, leaf),
		"child goes back":  encodeTree(forestHead(1), node{feature: 0, left: 1, right: 2}, node{feature: 0, left: 0, right: 2}, leaf),
		"second is absent": encodeTree(forestHead(2), leaf),
	} {
		if _, _, err := decodeForest(b, 2); err == nil || !strings.HasPrefix(err.Error(), "forest: ") {
			t.Errorf("%s: %v, want an error", name, err)
		}
	}
}

// The embedded weights are packed, and say what they say unpacked; a damaged file is refused.
func TestEmbeddedWeightsArePacked(t *testing.T) {
	plain := unpacked(t)
	if len(embedded) > len(plain)*3/4 {
		t.Errorf("the embedded weights take %d bytes of %d: gzip -9n them, see fit/fit.sh", len(embedded), len(plain))
	}
	want, err := decodeWeights(plain)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"packed": embedded, "plain": plain} {
		if got, err := readWeights(b); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: other weights, or %v", name, err)
		}
	}
	damaged := bytes.Clone(embedded)
	damaged[len(damaged)/2] ^= 1
	if _, err := readWeights(damaged); err == nil {
		t.Error("damaged weights are taken")
	}
}

// unpacked returns the embedded weights as fit.py wrote them.
func unpacked(t testing.TB) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(embedded))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func FuzzDecodeWeights(f *testing.F) {
	f.Add(unpacked(f))
	f.Add(Header())
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := decodeWeights(b)
		if err != nil {
			return
		}
		// What is accepted must answer without a panic.
		v := viewOf(t, "<body><p>a<p>b")
		w.pageOdds(v.pageRows())
	})
}
