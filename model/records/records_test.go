package records

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/modeltest"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/active"
	"github.com/winnow-proxy/winnow/model/page/write"
)

func TestContract(t *testing.T) {
	modeltest.Check(t, Detector{Options: Options{Primary: true}}, model.DefaultLimits())
}

// found returns the regions of a page in page order.
func found(t testing.TB, doc string, o Options) *finder {
	t.Helper()
	o = base.OrDefault(o, DefaultOptions())
	f := findRegions(modeltest.Parse(t, doc), &o)
	slices.SortFunc(f.regions, func(a, b region) int { return int(a.nodes[0] - b.nodes[0]) })
	return f
}

// records writes the regions of a page as the text of their records.
func records(t testing.TB, doc string, o Options) (out []string) {
	t.Helper()
	f := found(t, doc, o)
	for _, r := range f.regions {
		var list []string
		for record := range slices.Chunk(r.nodes, r.size) {
			var b strings.Builder
			for _, text := range f.p.Texts[f.p.Elements[record[0]].TextStart:f.p.Elements[record[len(record)-1]].TextEnd] {
				if text.Block != page.None {
					b.WriteString(text.Data + " ")
				}
			}
			list = append(list, strings.Join(strings.Fields(b.String()), " "))
		}
		out = append(out, strings.Join(list, "|"))
	}
	return out
}

func TestRegions(t *testing.T) {
	for name, tt := range map[string]struct {
		doc  string
		o    Options
		want []string
	}{
		"a list":              {`<h1>x</h1><ul><li><a>a</a><li><a>b</a><li><a>c</a></ul>`, Options{}, []string{"a|b|c"}},
		"too shallow":         {`<ul><li>a<li>b<li>c</ul>`, Options{}, nil},
		"as shallow as asked": {`<ul><li>a<li>b<li>c</ul>`, Options{MinDepth: 2}, []string{"a|b|c"}},
		"pairs":               {`<dl><dt><b>a</b><dd>1<dt><b>b</b><dd>2<dt><b>c</b><dd>3</dl>`, Options{}, []string{"a 1|b 2|c 3"}},
		"pairs, K = 1":        {`<dl><dt><b>a</b><dd>1<dt><b>b</b><dd>2</dl>`, Options{MaxNodes: 1}, nil},
		// Twelve tags and thirteen: 1/13. Twelve and seven: 5/12, which is too much.
		"alike enough":     {"<main>" + item("a", 10) + item("b", 11) + "</main>", Options{}, []string{"a|b"}},
		"not alike":        {"<main>" + item("a", 10) + item("b", 5) + "</main>", Options{}, nil},
		"after other tags": {`<main><h1>x</h1><p><i>y</i><div><a>a</a></div><div><a>b</a></div><footer>z</footer></main>`, Options{}, []string{"a|b"}},
		"two on one level": {`<main><p><i>a</i><p><i>b</i><h2>x</h2><div><a>c</a></div><div><a>d</a></div></main>`, Options{}, []string{"a|b", "c|d"}},
		"not in a record, but beside one": {`<main><div><ul><li><a>a</a><li><a>b</a></ul></div><div><ul><li><a>c</a><li><a>d</a></ul></div><section><h2></h2><p></p><p></p><ul><li><a>e</a><li><a>f</a></ul></section></main>`,
			Options{}, []string{"a b|c d", "e|f"}},
		"scripts between":     {`<ul><li><a>a</a><script>x</script><li><a>b</a></ul>`, Options{}, []string{"a|b"}},
		"nothing visible":     {`<div><p><i></i><p><i></i><p><i></i></div><p>x`, Options{}, nil},
		"tags nobody knows":   {`<div><x-a><i>a</i></x-a><x-b><i>b</i></x-b><x-b><i>c</i></x-b></div>`, Options{MaxDistance: 0.1}, []string{"b|c"}},
		"an empty page":       {``, Options{}, nil},
		"a page of one block": {`text`, Options{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, records(t, tt.doc, tt.o)); diff != "" {
				t.Errorf("regions (-want +got):\n%s", diff)
			}
		})
	}
}

// item is a section of n more tags. The last of them has the text.
func item(text string, n int) string {
	return "<section><p>" + strings.Repeat("<b></b>", n-1) + text + "</p></section>"
}

// By hand: LI A B twice and then LI A B I: e₁ = 0, e₂ = 1/4, so RPgroup = 1 − (0 + 1/4)/2 = 0.875.
func TestSimilarity(t *testing.T) {
	f := found(t, `<ul><li><a>a</a><b>b</b><li><a>a</a><b>b</b><li><a>a</a><b>b</b><i>i</i></ul>`, Options{})
	if len(f.regions) != 1 || f.regions[0].similarity() != 0.875 {
		t.Fatalf("regions %+v, want one of similarity 0.875", f.regions)
	}
}

// By hand: the records have 2·4 characters and a picture of 12; their parent has 20 more.
func TestCoverage(t *testing.T) {
	f := found(t, `<main><h1>aaaaa bbbbb ccccc ddddd</h1><div><i>eeee</i></div> <div><i>ffff</i></div><div><img></div></main>`, Options{PictureArea: 12, MaxDistance: 0.5})
	if len(f.regions) != 1 || len(f.regions[0].nodes) != 3 || f.coverage(f.regions[0]) != 0.5 {
		t.Fatalf("regions %+v, want one of three nodes and coverage 0.5", f.regions)
	}
}

// The slides' record: ten items, of which IS_9 and IS_10 are of one style. EN is log₁₀ 2 = 0.3010 for these and 0 for
// the rest, so that W = 8·(1 − 0) + 2·(1 − 0.3010) = 9.3979.
func TestDiversityOfTheSlides(t *testing.T) {
	const record = `<tbody><tr><td></td><td><a><img src=x></a></td><td><b><a>3</a></b></td><td><form><input></form></td><td><p>5</p></td>
<td><b><font>6</font></b></td><td><font><b>7</b></font></td><td><b>8</b></td><td><center><a>9</a></center></td><td><center><a>10</a></center></td></tr></tbody>`
	f := found(t, "<table>"+record+record+"</table>", Options{})
	if len(f.regions) != 1 || len(f.regions[0].nodes) != 2 {
		t.Fatalf("regions %+v, want one of two bodies", f.regions)
	}
	styles := f.itemStyles(f.regions[0].nodes[:1])
	if len(styles) != 9 {
		t.Errorf("%d styles, want 9", len(styles))
	}
	if got := f.diversity(f.regions[0]); math.Abs(got-9.3979) > 1e-4 {
		t.Errorf("diversity %.4f, want 9.3979", got)
	}
}

func TestStyleWeight(t *testing.T) {
	for _, tt := range []struct {
		styles map[uint64]int
		want   float64
	}{
		{map[uint64]int{1: 1}, 1},       // a single item: a plain link
		{map[uint64]int{1: 4}, 0},       // four alike: log₄ 4 = 1
		{map[uint64]int{1: 2, 2: 2}, 2}, // two and two: log₄ 2 = ½, four times ½
		{map[uint64]int{1: 1, 2: 1, 3: 1}, 3},
	} {
		if got := styleWeight(tt.styles); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%v: W = %v, want %v", tt.styles, got, tt.want)
		}
	}
}

// A list of rich records precedes a menu. Both cover their parents and are regular, but the records of the menu have
// one item.
func TestMostImportantFirst(t *testing.T) {
	const doc = `<nav><ul><li><a>home</a><li><a>news</a><li><a>help</a></ul></nav>
<main><div><img src=1><h3><a>first</a></h3><p>10 <i>pounds</i></p></div><div><img src=2><h3><a>second</a></h3><p>20 <i>pounds</i></p></div></main>`
	parts := Find(modeltest.Parse(t, doc), Options{})
	if len(parts) != 2 || len(parts[0].Records) != 2 || len(parts[1].Records) != 3 {
		t.Fatalf("parts %+v, want the goods and then the menu", parts)
	}
	// By hand: the goods weigh 1·1·3 (an image, a link, an i), the menu 1·1·1.
	if parts[0].Weight != 0.75 || parts[1].Weight != 0.25 {
		t.Errorf("weights %v and %v, want 0.75 and 0.25", parts[0].Weight, parts[1].Weight)
	}
}

func TestMark(t *testing.T) {
	p := modeltest.Parse(t, `<h1>x</h1><ul><li><a>a</a><li><a>b</a></ul><footer>z</footer>`)
	kinds := func(o Options) []page.Kind {
		return Detector{Options: o}.New(modeltest.Key()).Mark(p, modeltest.Visit(0)).Kinds()
	}
	if got := kinds(Options{}); !slices.Equal(got, []page.Kind{page.KindContent, page.KindRecord, page.KindRecord, page.KindContent}) {
		t.Errorf("kinds %v", got)
	}
	if got := kinds(Options{Primary: true}); !slices.Equal(got, []page.Kind{page.KindOther, page.KindRecord, page.KindRecord, page.KindOther}) {
		t.Errorf("kinds with all but the most important region as noise: %v", got)
	}
}

// The banded distance equals the plain one within the limit.
func TestDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []tag {
			return rapid.SliceOfN(rapid.Map(rapid.Uint32Range(1, 4), func(v uint32) tag { return tag(v) }), 1, 40).Draw(t, name)
		}
		a := draw("a")
		b := slices.Clone(a)
		if rapid.Bool().Draw(t, "unrelated") {
			b = draw("b")
		}
		for range rapid.IntRange(0, 6).Draw(t, "edits") {
			i := rapid.IntRange(0, len(b)-1).Draw(t, "at")
			if b[i]++; rapid.Bool().Draw(t, "insert") {
				b = slices.Insert(b, i, 9)
			}
		}
		c := comparer{maxDistance: rapid.Float64Range(0.05, 0.9).Draw(t, "limit"), maxTags: 100, left: 1 << 20}
		want := float64(plain(a, b)) / float64(max(len(a), len(b)))
		got, similar := c.distance(a, b)
		if similar != (want <= c.maxDistance) || similar && got != want {
			t.Fatalf("distance of %v and %v: %v, %v, want %v of at most %v", a, b, got, similar, want, c.maxDistance)
		}
	})
}

// plain is the textbook edit distance.
func plain(a, b []tag) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// The cost of edit distances is bounded. When it is used up, equal records are still found.
func TestCostIsBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range 500 {
		b.WriteString("<div>")
		for range 50 {
			fmt.Fprintf(&b, "<%s></%[1]s>", []string{"b", "i", "u", "em"}[rng.IntN(4)])
		}
		b.WriteString("</div>")
	}
	b.WriteString("<ul><li><a>a</a><li><a>b</a></ul>")
	f := found(t, b.String(), Options{MaxCost: 1 << 18})
	if f.cmp.left < 0 || f.cmp.left > 1<<14 {
		t.Errorf("%d steps are left of %d", f.cmp.left, 1<<18)
	}
	if n := len(f.regions); n == 0 || len(f.regions[n-1].nodes) != 2 {
		t.Errorf("the list at the end is not found: %d regions", n)
	}
}

// For any page, regions are disjoint, records are inside their region and in page order, and weights are shares.
func FuzzFind(f *testing.F) {
	for _, doc := range append(modeltest.Site(1), `<dl><dt><b>a</b><dd>1<dt><b>b</b><dd>2</dl>`, `<table><p>x<tr><td><a>1</a><tr><td><a>2</a>`) {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := page.Parse(src, "text/html; charset=utf-8")
		if err != nil {
			return
		}
		parts := Find(p, Options{})
		sum := float32(0)
		for _, part := range parts {
			sum += part.Weight
			if part.Weight < 0 || len(part.Records) < 2 || part.Records[0].First != part.First || part.Records[len(part.Records)-1].End != part.End {
				t.Fatalf("part %+v", part)
			}
			for i := range part.Records[1:] {
				if part.Records[i].End > part.Records[i+1].First || part.Records[i].BlockEnd > part.Records[i+1].BlockStart {
					t.Fatalf("records %d of %+v overlap", i, part)
				}
			}
		}
		if sum > 1.001 || math.IsNaN(float64(sum)) {
			t.Fatalf("weights sum up to %v", sum)
		}
		slices.SortFunc(parts, func(a, b page.Part) int { return int(a.First - b.First) })
		for i := 1; i < len(parts); i++ {
			if parts[i].First < parts[i-1].End {
				t.Fatalf("regions overlap: %+v and %+v", parts[i-1], parts[i])
			}
		}
		m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Parts: parts}
		for _, mode := range []page.Mode{page.ModeTag, page.ModeJSON} {
			if _, err := write.Page(p, m, mode); err != nil && !errors.Is(err, active.ErrUnsafe) {
				t.Fatalf("%s: %v", mode, err)
			}
		}
	})
}
