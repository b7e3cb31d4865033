package blend

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// viewOf parses a page for tests.
func viewOf(t interface{ Fatal(...any) }, src string) *view {
	p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return newReader(nil).view(p, model.Key{}.Hasher(), "")
}

// noiseOf returns which blocks are noise.
func noiseOf(d decision, v *view, odds []float32) []bool {
	noisy := make([]bool, len(odds))
	d.labels(d.newLabelTree(v.p, v.words()), odds, noisy)
	return noisy
}

func TestLabelsFollowTheSurroundings(t *testing.T) {
	v := viewOf(t, `<body><article><p>one two three four five</p><p>label</p><p>six seven eight nine ten</p></article>
		<nav><p>home</p><p>news</p><p>about the company and its people</p></nav></body>`)
	d := decision{price: 1, power: .5}
	// The label leans to noise a little, the last entry of the menu to content a little.
	got := noiseOf(d, v, []float32{-3, .3, -3, 3, 3, -.2})
	want := []bool{false, false, false, true, true, true}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("block %d: noise %v, want %v", i, got[i], want[i])
		}
	}
	// Without a price every block decides alone.
	d.price = 0
	for i, noisy := range noiseOf(d, v, []float32{-3, .3, -3, 3, 3, -.2}) {
		if want := [...]bool{false, true, false, true, true, false}[i]; noisy != want {
			t.Errorf("block %d without a price: noise %v, want %v", i, noisy, want)
		}
	}
}

// cost is the cost of the best labelling, found by trying all labels of every element.
func cost(d decision, v *view, odds []float32, noisy []bool) float64 {
	blocks := make([][2]float32, len(odds))
	d.blockCosts(blocks, odds, d.weights(v.words()))
	best := math.Inf(1)
	n := len(v.elems)
	for labels := range 1 << n {
		sum := 0.0
		label := func(e page.ElementID) int { return labels >> e & 1 }
		for e := 1; e < n; e++ {
			if label(page.ElementID(e)) != label(v.p.Elements[e].Parent) {
				sum += float64(d.price)
			}
		}
		for i, x := range noisy {
			own := content
			if x {
				own = noise
			}
			sum += float64(blocks[i][own])
			if label(v.p.Blocks[i].Element) != own {
				sum += float64(d.price)
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
		v := viewOf(t, src)
		odds := rapid.SliceOfN(rapid.Float32Range(-4, 4), len(v.blocks), len(v.blocks)).Draw(t, "odds")
		d := decision{price: rapid.Float32Range(0, 3).Draw(t, "price"), power: .5}
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

func TestMarksAreMaximalAndDisjoint(t *testing.T) {
	v := viewOf(t, `<body><div><ul><li>a</li><li>b</li></ul></div><main>c<br><br>d<p>e</p></main></body>`)
	verdicts := []page.Verdict{{Noise: true, Score: 1}, {Noise: true, Score: 1}, {}, {Noise: true, Score: .5}, {}}
	marks := newOutline(v).findMarks(verdicts, page.None)
	if len(marks) != 2 {
		t.Fatalf("%d marks, want the div and the run d: %+v", len(marks), marks)
	}
	if e := marks[0].Element; v.p.Elements[e].Name != "div" || marks[0].Score != 1 {
		t.Errorf("first mark %+v is not the div", marks[0])
	}
	if m := marks[1]; m.Element != page.None || m.BlockStart != 3 || m.BlockEnd != 4 || m.Score != .5 {
		t.Errorf("second mark %+v is not the run of block 3", m)
	}
}

// The softplus of the table is to the last bit that of its definition.
func TestSoftplusIsExact(t *testing.T) {
	computed := 0
	const step = 1.0 / 40_000
	for x := float32(-maxOdds - 1); x < maxOdds+1; x += step {
		want := float32(math.Log1p(math.Exp(float64(x))))
		if got := softplus(x); got != want {
			t.Fatalf("softplus(%v) = %v, want %v", x, got, want)
		}
		computed++
	}
	if computed < 700_000 {
		t.Errorf("only %d numbers", computed)
	}
	for _, x := range []float32{-maxOdds, 0, maxOdds, float32(math.Inf(1)), float32(math.Inf(-1))} {
		if got, want := softplus(x), float32(math.Log1p(math.Exp(float64(x)))); got != want {
			t.Errorf("softplus(%v) = %v, want %v", x, got, want)
		}
	}
}
