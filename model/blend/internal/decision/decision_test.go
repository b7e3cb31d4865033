package decision

import (
	"math"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/page"
	"pgregory.net/rapid"
)

// noiseOf returns which blocks are noise.
func noiseOf(d Parameters, v *view.Page, odds []float32) []bool {
	noisy := make([]bool, len(odds))
	d.labels(treeOf(d, v), odds, noisy)
	return noisy
}

// treeOf returns the tree of a page.
func treeOf(d Parameters, v *view.Page) *Tree {
	t := d.NewTree()
	t.Read(v.Doc, func(block int) int32 { return v.Blocks[block].Words })
	return t
}

func TestLabelsFollowTheSurroundings(t *testing.T) {
	v := viewtest.ViewOf(t, `<body><article><p>one two three four five</p><p>label</p><p>six seven eight nine ten</p></article>
		<nav><p>home</p><p>news</p><p>about the company and its people</p></nav></body>`)
	d := Parameters{Price: 1, Power: .5}
	// The label leans to noise a little, the last entry of the menu to content a little.
	got := noiseOf(d, v, []float32{-3, .3, -3, 3, 3, -.2})
	want := []bool{false, false, false, true, true, true}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("block %d: noise %v, want %v", i, got[i], want[i])
		}
	}
	// Without a price every block decides alone.
	d.Price = 0
	for i, noisy := range noiseOf(d, v, []float32{-3, .3, -3, 3, 3, -.2}) {
		if want := [...]bool{false, true, false, true, true, false}[i]; noisy != want {
			t.Errorf("block %d without a price: noise %v, want %v", i, noisy, want)
		}
	}
}

// cost is the cost of the best labelling, found by trying all labels of every element.
func cost(d Parameters, v *view.Page, odds []float32, noisy []bool) float64 {
	blocks := make([][2]float32, len(odds))
	d.blockCosts(blocks, odds, treeOf(d, v).weights)
	best := math.Inf(1)
	n := len(v.Elements)
	for labels := range 1 << n {
		sum := 0.0
		label := func(e page.ElementID) int { return labels >> e & 1 }
		for e := 1; e < n; e++ {
			if label(page.ElementID(e)) != label(v.Doc.Elements[e].Parent) {
				sum += float64(d.Price)
			}
		}
		for i, x := range noisy {
			own := content
			if x {
				own = noise
			}
			sum += float64(blocks[i][own])
			if label(v.Doc.Blocks[i].Element) != own {
				sum += float64(d.Price)
			}
		}
		best = min(best, sum)
	}
	return best
}

func TestLabelsAreTheCheapest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := "<body>" + rapid.SampledFrom([]string{
			"<div><p>a b</p><p>c</p></div><p>d e f</p>", "<p>a</p><div>b<p>c</p>d</div>", "<div><div><p>a</p></div></div><p>b</p>",
		}).Draw(t, "page")
		v := viewtest.ViewOf(t, src)
		odds := rapid.SliceOfN(rapid.Float32Range(-4, 4), len(v.Blocks), len(v.Blocks)).Draw(t, "odds")
		d := Parameters{Price: rapid.Float32Range(0, 3).Draw(t, "price"), Power: .5}
		got := cost(d, v, odds, noiseOf(d, v, odds))
		for other := range 1 << len(odds) {
			noisy := make([]bool, len(odds))
			for i := range noisy {
				noisy[i] = other>>i&1 == 1
			}
			if c := cost(d, v, odds, noisy); c < got-1e-3 {
				t.Fatalf("labels cost %.4f, %v cost %.4f", got, noisy, c)
			}
		}
	})
}
