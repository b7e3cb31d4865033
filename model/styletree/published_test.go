package styletree_test

import (
	"math"
	"slices"
	"strings"
	"testing"

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
	withClass := slices.Concat(styletree.DefaultOptions().Attrs, []string{"class", "id"})
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
