package styletree_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// near compares with a value computed by hand. Sums of c·log c are kept to 1/256, hence the tolerance.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.002 {
		t.Errorf("%s = %.4f, want %.4f", what, got, want)
	}
}

// children returns the element nodes below n, style node by style node.
func children(n styletree.Node) (nodes [][]styletree.Node) {
	for s := range n.Styles() {
		nodes = append(nodes, slices.Collect(s.Nodes()))
	}
	return nodes
}

// The tree of the paper's figure 3, with DIV for TABLE (which HTML does not allow to stand like that): both pages have
// DIV-IMG-DIV below BODY, one node with n = 2, and in the last DIV they part.
func TestBuild(t *testing.T) {
	tree := learned(t, exact(),
		`<div>t</div><img src=a><div><p>x</p><img src=b><p>y</p><a>z</a></div>`,
		`<div>t</div><img src=a><div><p>x</p><img src=b><a>z</a></div>`)
	below := children(body(t, tree))
	if len(below) != 1 || len(below[0]) != 3 {
		t.Fatalf("below BODY: %d style nodes, want one of 3 elements\n%s", len(below), outline(tree.Root()))
	}
	last := below[0][2]
	if last.Tag != "div" || last.Pages != 2 {
		t.Errorf("last node: %s on %g pages, want div on 2", last.Tag, last.Pages)
	}
	var sequences []string
	for s := range last.Styles() {
		var tags []string
		for n := range s.Nodes() {
			tags = append(tags, n.Tag)
		}
		sequences = append(sequences, strings.Join(tags, "-"))
		if s.Pages != 1 {
			t.Errorf("%v: n = %g, want 1", tags, s.Pages)
		}
	}
	slices.Sort(sequences)
	if !slices.Equal(sequences, []string{"p-img-a", "p-img-p-a"}) {
		t.Errorf("style nodes below the last div: %v", sequences)
	}
}

func TestElementNodesDifferByDisplayAttributes(t *testing.T) {
	withClass := append(styletree.DefaultOptions().Attrs, "class", "id")
	tests := []struct {
		name, a, b string
		attrs      []string
		same       bool
	}{
		{"the paper's own examples", `<p bgcolor=red>`, `<p bgcolor=blue>`, nil, false},
		{"sizes", `<p width=100>`, `<p width=200>`, nil, false},
		{"class is not of HTML 4's presentation", `<p class=lead>`, `<p class=note>`, nil, true},
		{"unless it is asked for", `<p class=lead>`, `<p class=note>`, withClass, false},
		{"numbers in class and id are the page's", `<p class="post-12" id=p1>`, `<p class="post-7" id=p2>`, withClass, true},
		{"order of attributes", `<p class=x align=left>`, `<p align=left class=x>`, withClass, true},
		{"what is not shown", `<p title=a data-n=1>`, `<p title=b data-n=2>`, nil, true},
		{"tags alone", `<p bgcolor=red>`, `<p bgcolor=blue>`, []string{}, true},
		{"tags", `<p>`, `<div>`, []string{}, false},
		{"scripts are left out", `<p>`, `<script>1</script><p>`, nil, true},
		{"line breaks are left out", `<p>a b`, `<p>a<br>b`, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := exact()
			opts.Attrs = tt.attrs
			tree := learned(t, opts, tt.a, tt.b)
			if got := len(children(body(t, tree))) == 1; got != tt.same {
				t.Errorf("%s and %s are the same: %v, want %v", tt.a, tt.b, got, tt.same)
			}
		})
	}
}

func TestBodyIsOnePlaceWhateverItsAttributes(t *testing.T) {
	tree := styletree.New(testKey(), exact())
	tree.Observe(parseDocument(t, `<body class="home page"><p>x</body>`), visit(1))
	tree.Observe(parseDocument(t, `<body class="single about-us"><p>y</body>`), visit(2))
	if got := body(t, tree).Pages; got != 2 {
		t.Errorf("BODY is on %g pages, want 2", got)
	}
}

// The paper's example: 100 pages use four styles with the shares 0.35, 0.25, 0.25 and 0.15.
//
//	NodeImp = −(0.35·ln 0.35 + 2·0.25·ln 0.25 + 0.15·ln 0.15) / ln 100
//	        = (0.3674 + 0.6931 + 0.2846) / 4.6052 = 0.2921
func TestNodeImpOfFourStyles(t *testing.T) {
	var bodies []string
	for style, pages := range []int{35, 25, 25, 15} {
		for range pages {
			bodies = append(bodies, "<div>"+strings.Repeat("<p></p>", style+1)+"</div>")
		}
	}
	div := children(body(t, learned(t, exact(), bodies...)))[0][0]
	near(t, "NodeImp", div.NodeImp, 0.2921)
	near(t, "NodeImp of BODY, which has one style", body(t, learned(t, exact(), bodies...)).NodeImp, 0)
}

// With m = 1 all importances are 1 by definition: for BODY (1 − 0.9)·1 + 0.9·(1+1)/2 = 1.
func TestOnePageIsAllImportant(t *testing.T) {
	tree := learned(t, exact(), `<p>a</p><div><img src=x></div>`)
	b := body(t, tree)
	near(t, "NodeImp", b.NodeImp, 1)
	near(t, "CompImp", b.CompImp, 1)
	near(t, "CompImp of the leaf", children(b)[0][0].CompImp, 1)
	near(t, "CompImp of the virtual root", tree.Root().CompImp, 1)
}

func TestLeafImportance(t *testing.T) {
	tests := []struct {
		name  string
		pages []string
		want  float64
	}{
		// home: p = ¼ on each of 4 pages, H = −4·¼·log₄ ¼ = 1. The other four words: one page each, H = 0.
		// 1 − (1+0+0+0+0)/5 = 0.8.
		{"one word of five on every page", []string{"home a", "home b", "home c", "home d"}, 0.8},
		// Both words alike on both pages: H = 1 and 1; 1 − 2/2 = 0. Case doesn't matter.
		{"a menu", []string{"home News", "Home news"}, 0},
		// x: T = 3, p = 2/3 and 1/3; H = −(2/3·log₂ 2/3 + 1/3·log₂ 1/3) = 0.9183; 1 − 0.9183 = 0.0817.
		{"a word twice on one page of two", []string{"x x", "x"}, 0.0817},
		// x: T = 9, Σ c·ln c = 5·ln 5 + 3·ln 3 + 0 = 8.0472 + 3.2958 = 11.3430;
		// H = (ln 9 − 11.3430/9) / ln 3 = (2.1972 − 1.2603) / 1.0986 = 0.8528. 1 − 0.8528 = 0.1472.
		{"five, three and one", []string{"x x x x x", "x x x", "x"}, 0.1472},
		// Two of four pages: H = −2·½·log₄ ½ = 0.5.
		{"a word on half of the pages", []string{"x", "x", "", ""}, 0.5},
		// Nothing to tell the pages apart.
		{"empty", []string{"", ""}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var bodies []string
			for _, text := range tt.pages {
				bodies = append(bodies, "<p>"+text+"</p>")
			}
			leaf := children(body(t, learned(t, exact(), bodies...)))[0][0]
			near(t, "CompImp", leaf.CompImp, tt.want)
		})
	}
}

// Features are words, the file names of images, and targets of links; a word and a link of one spelling are two.
func TestLeafFeatures(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       float64
	}{
		{"same image from two servers", `<img src="/i/x.png">`, `<img src="//cdn.example/x.png?v=2">`, 0},
		{"two images", `<img src="/i/x.png">`, `<img src="/i/y.png">`, 1},
		// The word is on both pages (H = 1), each link on one (H = 0): 1 − (1+0+0)/3 = 2/3.
		{"same word, other link", `<a href="/a">more</a>`, `<a href="/b">more</a>`, 2.0 / 3},
		{"fragments don't tell links apart", `<a href="/a#x">more</a>`, `<a href="/a#y">more</a>`, 0},
		{"unless they are all there is", `<a href="#x">more</a>`, `<a href="#y">more</a>`, 2.0 / 3},
		// "a" the word and "a" the link are each on one page.
		{"a word and a link", `<a>a</a>`, `<a href="a"></a>`, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			near(t, "CompImp", children(body(t, learned(t, exact(), tt.a, tt.b)))[0][0].CompImp, tt.want)
		})
	}
}

// Four pages; in the DIV three have P (the same word) and one has P-P (words of its own).
//
//	l = 2, p = ¾ and ¼, m = 4
//	NodeImp  = −(¾·log₄ ¾ + ¼·log₄ ¼) = (0.2158 + 0.3466)/1.3863 = 0.4056
//	S₁ = P:   the word is on all of its m = 3 pages: CompImp = 0
//	S₂ = P-P: one page: CompImp = (1+1)/2 = 1
//	CompImp(DIV)  = (1 − 0.9²)·0.4056 + 0.9²·(¾·0 + ¼·1) = 0.0771 + 0.2025 = 0.2796
//	CompImp(BODY) = (1 − 0.9)·0 + 0.9·0.2796 = 0.2516
func TestCompositeImportance(t *testing.T) {
	same := `<div><p>menu</p></div>`
	b := body(t, learned(t, exact(), same, same, same, `<div><p>un</p><p>deux</p></div>`))
	div := children(b)[0][0]
	near(t, "NodeImp(DIV)", div.NodeImp, 0.4056)
	near(t, "CompImp(DIV)", div.CompImp, 0.2796)
	near(t, "CompImp(BODY)", b.CompImp, 0.2516)
}

// γ is an option: with ½, CompImp(DIV) = (1 − ½²)·0.4056 + ½²·¼ = 0.3042 + 0.0625 = 0.3667 on the pages above.
func TestGamma(t *testing.T) {
	opts, same := exact(), `<div><p>menu</p></div>`
	opts.Gamma = 0.5
	b := body(t, learned(t, opts, same, same, same, `<div><p>un</p><p>deux</p></div>`))
	near(t, "CompImp(DIV)", children(b)[0][0].CompImp, 0.3667)
}

// Text beside child elements is one leaf more (ours): on two pages P holds the word "by" and a link that is new on
// each. The link: its word and its target on one page each, importance 1. "by": on both, importance 0.
// CompImp(P) = (1 − 0.9)·0 + 0.9·(1 + 0)/2 = 0.45.
func TestTextBesideElements(t *testing.T) {
	b := body(t, learned(t, exact(), `<p>by <a href="/u">un</a></p>`, `<p>by <a href="/d">deux</a></p>`))
	near(t, "CompImp(P)", children(b)[0][0].CompImp, 0.45)
}

// site is a site of four pages: a menu and a footer that are the same on all, an article that never is.
func site() []string {
	var pages []string
	for _, text := range []string{"alpha beta", "gamma delta", "epsilon zeta", "eta theta"} {
		pages = append(pages, `<ul class=menu><li><a href="/">Home</a><li><a href="/n">News</a></ul>`+
			`<div class=main><h1>About</h1><p>`+text+`</p></div>`+`<p class=foot>All rights reserved</p>`)
	}
	return pages
}

func TestMarkNoiseAndMeaningful(t *testing.T) {
	tree := learned(t, exact(), site()...)
	b := body(t, tree)
	below := children(b)[0]
	main := children(below[1])[0]
	for _, tt := range []struct {
		what string
		node styletree.Node
		want styletree.Verdict
	}{
		{"virtual root", tree.Root(), styletree.Mixed},
		{"body", b, styletree.Mixed},
		{"menu", below[0], styletree.Noisy},
		{"menu entry", children(below[0])[0][1], styletree.Noisy},
		{"main", below[1], styletree.Mixed},
		{"heading that never changes", main[0], styletree.Noisy},
		{"article", main[1], styletree.Meaningful},
		{"footer", below[2], styletree.Noisy},
	} {
		if tt.node.Verdict != tt.want {
			t.Errorf("%s: %v, want %v", tt.what, tt.node.Verdict, tt.want)
		}
	}
}

// An element node of low importance is not noisy when something in it is important. Six pages, of which the DIV has
// one P on five (the same word) and on one a P beside an empty P: importance 1 there.
//
//	NodeImp(DIV) = −(5/6·ln 5/6 + 1/6·ln 1/6)/ln 6 = (0.1519 + 0.2986)/1.7918 = 0.2515
//	CompImp(DIV) = 0.19·0.2515 + 0.81·(5/6·0 + 1/6·1) = 0.0478 + 0.1350 = 0.1828 ≤ 0.3
func TestImportantDescendantSpoilsNoise(t *testing.T) {
	same := `<div><p>menu</p></div>`
	tree := learned(t, exact(), same, same, same, same, same, `<div><p>menu</p><p></p></div>`)
	div := children(body(t, tree))[0][0]
	near(t, "CompImp(DIV)", div.CompImp, 0.1828)
	if div.Verdict != styletree.Mixed {
		t.Errorf("DIV is %v, want mixed: one of its descendants has importance 1", div.Verdict)
	}
}

// marks returns the texts of the noisy and of the other blocks.
func marks(p *page.Page, m *page.Marking) (noise, content []string) {
	for i, b := range p.Blocks {
		var text strings.Builder
		for _, s := range p.Texts[b.TextStart:b.TextEnd] {
			text.WriteString(s.Data)
		}
		if s := strings.TrimSpace(text.String()); m.Verdicts[i].Noise {
			noise = append(noise, s)
		} else {
			content = append(content, s)
		}
	}
	return noise, content
}

func TestMapPage(t *testing.T) {
	menu := `<ul class=menu><li><a href="/">Home</a><li><a href="/n">News</a></ul>`
	foot := `<p class=foot>All rights reserved</p>`
	tests := []struct {
		name, body     string
		noise, content []string
	}{
		{"new article", menu + `<div class=main><h1>About</h1><p>iota</p></div>` + foot,
			[]string{"Home", "News", "About", "All rights reserved"}, []string{"iota"}},
		{"noise is noise whatever stands in it now", menu + `<div class=main><h1>New</h1><p>iota</p></div>` + foot,
			[]string{"Home", "News", "New", "All rights reserved"}, []string{"iota"}},
		{"an unseen sequence is content", menu + `<div class=main><h1>About</h1><p>iota</p><p>kappa</p></div>` + foot,
			[]string{"Home", "News", "All rights reserved"}, []string{"About", "iota", "kappa"}},
		{"so is an unseen page", `<div><p>Home</p></div>`, nil, []string{"Home"}},
	}
	tree := learned(t, exact(), site()...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := parse(t, tt.body)
			noise, content := marks(p, tree.Mark(p, model.Visit{}))
			if !slices.Equal(noise, tt.noise) || !slices.Equal(content, tt.content) {
				t.Errorf("noise %q, content %q; want %q, %q", noise, content, tt.noise, tt.content)
			}
		})
	}
}

func TestMarksAreMaximal(t *testing.T) {
	tree := learned(t, exact(), site()...)
	p := parse(t, site()[0])
	var tags []string
	for _, m := range tree.Mark(p, model.Visit{}).Marks {
		tags = append(tags, p.Elements[m.Element].Name)
		if m.Kind != page.KindOther || m.Score < 0.5 || m.Score > 1 {
			t.Errorf("mark on %s: kind %v, score %v", p.Elements[m.Element].Name, m.Kind, m.Score)
		}
	}
	if !slices.Equal(tags, []string{"ul", "h1", "p"}) {
		t.Errorf("marks on %v, want ul, h1, p", tags)
	}
}

func TestUntilTwoPagesAllIsContent(t *testing.T) {
	p := parse(t, site()[0])
	for pages := range 2 {
		m := learned(t, exact(), site()[:pages]...).Mark(p, model.Visit{})
		if len(m.Marks) > 0 || m.Pages != pages {
			t.Errorf("after %d pages: %d marks on %d pages, want none", pages, len(m.Marks), m.Pages)
		}
		for i, v := range m.Verdicts {
			if v.Noise || v.Score >= 0.5 {
				t.Errorf("after %d pages block %d is %+v, want content", pages, i, v)
			}
		}
	}
}

func TestNoSentenceLosesWords(t *testing.T) {
	var bodies []string
	for _, w := range []string{"un", "deux", "trois"} {
		bodies = append(bodies, `<p>`+w+` `+w+w+` says <b>Reuters</b></p>`)
	}
	p := parse(t, bodies[0])
	tree := learned(t, exact(), bodies...)
	if b := children(children(body(t, tree))[0][0])[0][0]; b.Tag != "b" || b.Verdict != styletree.Noisy {
		t.Fatalf("%s is %v: the test wants a noisy b", b.Tag, b.Verdict)
	}
	m := tree.Mark(p, model.Visit{})
	if len(m.Marks) > 0 {
		t.Errorf("%s is marked, which holds a part of a sentence", p.Elements[m.Marks[0].Element].Name)
	}
}

// The span holds the end of one block and the whole of another; the other way round in the second case.
func TestPartsOfBlocksAreNotMarked(t *testing.T) {
	for _, form := range []string{
		`<section>%s %s<span>menu<div>menu</div></span></section>`,
		`<section><span><div>menu</div>menu</span>%s %s</section>`,
	} {
		var bodies []string
		for _, w := range []string{"un", "deux", "trois"} {
			bodies = append(bodies, fmt.Sprintf(form, w, w+w))
		}
		p := parse(t, bodies[0])
		m := learned(t, exact(), bodies...).Mark(p, model.Visit{})
		if len(m.Marks) != 1 || p.Elements[m.Marks[0].Element].Name != "div" {
			t.Errorf("%s: marks %+v, want one on the div", form, m.Marks)
		}
	}
}

func TestBannerWithoutTextIsMarkedAndSpacerIsNot(t *testing.T) {
	var bodies []string
	for _, w := range []string{"un", "deux", "trois"} {
		bodies = append(bodies, `<div><img src=/ad.png></div><hr><p>`+w)
	}
	p := parse(t, bodies[0])
	m := learned(t, exact(), bodies...).Mark(p, model.Visit{})
	if len(m.Marks) != 1 || p.Elements[m.Marks[0].Element].Name != "div" {
		t.Errorf("marks %+v, want one on the div of the banner", m.Marks)
	}
}

// Whatever has been learned and whatever is marked, the marking is one: scores on the verdict's side of one half, marks
// disjoint and in order, and noise just where the marks are.
func TestMarkingsAreConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := bodies(2, 8).Draw(t, "pages")
		p := parse(t, pages[0])
		m := learned(t, exact(), pages[rapid.IntRange(0, 1).Draw(t, "from"):]...).Mark(p, model.Visit{})
		marked, end := make([]bool, len(p.Blocks)), page.ElementID(0)
		for _, mark := range m.Marks {
			if mark.Element < end {
				t.Fatalf("mark on element %d, within or before the last, which ends at %d", mark.Element, end)
			}
			end = p.Elements[mark.Element].Sub
			for b := mark.BlockStart; b < mark.BlockEnd; b++ {
				marked[b] = true
			}
		}
		for b, v := range m.Verdicts {
			if v.Noise != marked[b] || v.Noise && !(0.5 <= v.Score && v.Score <= 1) ||
				!v.Noise && !(0 <= v.Score && v.Score <= 0.5) {
				t.Fatalf("block %d: %+v, in a mark: %v", b, v, marked[b])
			}
		}
	})
}

func TestPageOfNoiseAlonePasses(t *testing.T) {
	same := `<p>Sign in to go on</p>`
	if m := learned(t, exact(), same, same).Mark(parse(t, same), model.Visit{}); m.Pass != "no-content" {
		t.Errorf("Pass = %q, want no-content", m.Pass)
	}
}

func TestPageWithoutBody(t *testing.T) {
	tree := learned(t, exact(), site()...)
	p := &page.Page{Body: page.None}
	if tree.Learn(p, visit(99)) {
		t.Error("a page without body was learned")
	}
	if m := tree.Mark(p, model.Visit{}); len(m.Marks) > 0 || len(m.Verdicts) > 0 || m.Pass == "" {
		t.Errorf("marking %+v of a page without body, want it passed", m)
	}
}

func TestPageOfPicturesAlonePasses(t *testing.T) {
	same := `<img src=a.png>`
	if m := learned(t, exact(), same, same).Mark(parse(t, same), model.Visit{}); m.Pass != "no-content" || len(m.Marks) > 0 {
		t.Errorf("marking %+v of a page without text, want it passed", m)
	}
}
