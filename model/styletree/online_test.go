package styletree_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// checkSame fails unless the trees have the same importances everywhere and the same encoding.
func checkSame(t *rapid.T, what string, a, b *styletree.Tree) {
	if diff := cmp.Diff(outline(a.Root()), outline(b.Root())); diff != "" {
		t.Fatalf("%s: importances differ:\n%s", what, diff)
	}
	x, errX := a.Encode()
	y, errY := b.Encode()
	if errX != nil || errY != nil {
		t.Fatalf("%s: Encode: %v, %v", what, errX, errY)
	}
	if !bytes.Equal(x, y) {
		t.Fatalf("%s: encodings differ", what)
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := bodies(1, 6).Draw(t, "pages")
		order := rapid.Permutation(indices(len(pages))).Draw(t, "order")
		shuffled := styletree.New(testKey(), exact())
		for _, i := range order {
			shuffled.Observe(parse(t, pages[i]), visit(i))
		}
		checkSame(t, "another order", learned(t, exact(), pages...), shuffled)
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// drawTree draws a tree that learned some pages of one site, with URLs from a number on.
func drawTree(t *rapid.T, opts styletree.Options, name string, first int) *styletree.Tree {
	pages := bodies(0, 4).Draw(t, name)
	tree := styletree.New(testKey(), opts)
	for i, b := range pages {
		tree.Observe(parse(t, b), visit(first+i))
	}
	return tree
}

func copyOf(t fataler, tree *styletree.Tree, opts styletree.Options) *styletree.Tree {
	t.Helper()
	b, err := tree.Encode()
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	c, err := styletree.Decode(testKey(), opts, b)
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	return c
}

func merged(t fataler, opts styletree.Options, trees ...*styletree.Tree) *styletree.Tree {
	t.Helper()
	out := copyOf(t, trees[0], opts)
	for _, o := range trees[1:] {
		if err := out.Merge(o); err != nil {
			t.Fatalf("Merge: %v", err)
		}
	}
	return out
}

func TestMergeIsAssociativeAndCommutative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opts := exact()
		a, b, c := drawTree(t, opts, "a", 0), drawTree(t, opts, "b", 10), drawTree(t, opts, "c", 20)
		checkSame(t, "a+b = b+a", merged(t, opts, a, b), merged(t, opts, b, a))
		checkSame(t, "(a+b)+c = a+(b+c)", merged(t, opts, a, b, c), merged(t, opts, a, merged(t, opts, b, c)))
		checkSame(t, "a+nothing = a", merged(t, opts, a, styletree.New(testKey(), opts)), a)
	})
}

// Two merged replicas that learned different pages of a site know what one that saw all pages knows.
func TestMergeEqualsLearningAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := bodies(2, 6).Draw(t, "pages")
		cut := rapid.IntRange(1, len(pages)-1).Draw(t, "cut")
		first := learned(t, exact(), pages[:cut]...)
		second := styletree.New(testKey(), exact())
		for i, b := range pages[cut:] {
			second.Observe(parse(t, b), visit(cut+i))
		}
		checkSame(t, "merged", merged(t, exact(), first, second), learned(t, exact(), pages...))
	})
}

func TestMergeLeavesTheOtherAlone(t *testing.T) {
	a, b := learned(t, exact(), site()[:2]...), learned(t, exact(), site()...)
	before := encoded(t, b)
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	a.Observe(parse(t, site()[0]), visit(77))
	if !bytes.Equal(before, encoded(t, b)) {
		t.Error("the tree that was merged from has changed")
	}
}

func TestMergeWithItself(t *testing.T) {
	a := learned(t, exact(), site()...)
	want := merged(t, exact(), a, a)
	if err := a.Merge(a); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded(t, a), encoded(t, want)) {
		t.Error("merging a tree with itself differs from merging it with a copy")
	}
}

func TestMergeCountsACommonPageOnce(t *testing.T) {
	a, b := learned(t, exact(), site()[:3]...), learned(t, exact(), site()...)
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	if a.Pages() != 4 {
		t.Errorf("3 and 4 pages of which 3 are the same: %d, want 4", a.Pages())
	}
}

type otherHost struct{ model.Host }

func TestMergeRefusesWhatDoesNotGoTogether(t *testing.T) {
	tree := styletree.New(testKey(), exact())
	for name, other := range map[string]model.Host{
		"another detector": otherHost{},
		"another key":      styletree.New(model.Key{9}, exact()),
	} {
		if err := tree.Merge(other); !errors.Is(err, model.ErrMismatch) {
			t.Errorf("%s: error %v, want ErrMismatch", name, err)
		}
	}
}

func TestOnePagePerURL(t *testing.T) {
	tree := styletree.New(testKey(), exact())
	for i := range 5 {
		got := tree.Learn(parse(t, site()[i%4]), visit(1))
		if want := i == 0; got != want {
			t.Errorf("fetch %d of one URL: learned = %v, want %v", i+1, got, want)
		}
	}
	if tree.Pages() != 1 || body(t, tree).Pages != 1 {
		t.Errorf("%d pages, BODY on %g, want 1 and 1", tree.Pages(), body(t, tree).Pages)
	}
	if got := tree.Stats().LastSeen; !got.Equal(visit(1).At) {
		t.Errorf("LastSeen = %v, want %v", got, visit(1).At)
	}
}

// article returns a whole page: twelve blocks of the article's own text between a template of long blocks. In any form
// but "" it lacks the menu.
func article(title, form string) string {
	var b strings.Builder
	b.WriteString("<title>" + title + "</title><body>")
	if form == "" {
		for i := range 8 {
			fmt.Fprintf(&b, "<p>Section number %c of the menu</p>", 'a'+i)
		}
	}
	for i := range 12 {
		fmt.Fprintf(&b, "<p>%s paragraph %c says something of its own</p>", title, 'a'+i)
	}
	b.WriteString("<p>All rights are reserved by somebody</p>")
	return b.String()
}

func TestNearDuplicates(t *testing.T) {
	original := article("Winter", "") + "<p>seen 16 times so far</p>"
	tests := []struct {
		name, doc string
		duplicate bool
	}{
		{"the same page under another URL", original, true},
		{"with another word in every block", strings.ReplaceAll(original, "<p>", `<p><a href="?sid=1">x</a>`), false},
		{"with a counter that moved", strings.Replace(original, "16", "17", 1), true},
		{"with a clock in every block", strings.ReplaceAll(original, "</p>", " 12:30</p>"), true},
		{"its print view", article("Winter", "print"), true},
		{"another article", article("Summer", ""), false},
		{"an article of the same title", strings.ReplaceAll(original, "Winter paragraph", "Other words"), false},
		{"the same text under another title", strings.Replace(original, "Winter", "Spring", 1), false},
		{"a page of too little text", "<title>Winter</title><body><p>Section number a of the menu", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := styletree.New(testKey(), styletree.Options{})
			tree.Learn(parseDocument(t, original), visit(1))
			if got := !tree.Learn(parseDocument(t, tt.doc), visit(2)); got != tt.duplicate {
				t.Errorf("taken for a duplicate: %v, want %v", got, tt.duplicate)
			}
		})
	}
}

// Known template blocks say nothing about the identity of a page. Here all pages have the same title and differ in one
// block of 41.
func TestTemplateIsNoEvidenceForADuplicate(t *testing.T) {
	tree := styletree.New(testKey(), styletree.Options{})
	var menu strings.Builder
	for i := range 40 {
		fmt.Fprintf(&menu, "<p>Entry %c%c of the menu</p>", 'a'+i%26, 'a'+i/26)
	}
	for n := range 40 {
		word := string(rune('a'+n%26)) + string(rune('a'+n/26))
		tree.Learn(parse(t, menu.String()+"<p>Product "+word), visit(n))
	}
	if got := tree.Pages(); got < 37 {
		t.Errorf("%d of 40 pages learned, want all but a few of the first", got)
	}
}

// A page with few but long paragraphs is recognised by them, once the template around them is known. Here each page has
// one paragraph and a heading that differs only in its number.
func TestFewLongParagraphsMakeADuplicate(t *testing.T) {
	doc := func(paragraph string) string {
		return article("", "") + "<h1>Report 7</h1><p>" + paragraph + "</p>"
	}
	long := func(n int) string { return strings.Repeat(fmt.Sprintf("word%c of%c ", 'a'+n, 'a'+n), 12) }
	tree := styletree.New(testKey(), styletree.Options{})
	for n := range 10 {
		if !tree.Learn(parseDocument(t, doc(long(n))), visit(n)) && n > 2 {
			t.Errorf("page %d was taken for another", n)
		}
	}
	if tree.Learn(parseDocument(t, doc(long(5))), visit(100)) {
		t.Error("the sixth page was learned under another URL")
	}
	short := doc("word of its own")
	if !tree.Learn(parseDocument(t, short), visit(101)) || !tree.Learn(parseDocument(t, short), visit(102)) {
		t.Error("a short text, which two pages may well share, was taken for a sign that they are one")
	}
}

func TestSessionIDsInLinksDoNotHideADuplicate(t *testing.T) {
	doc := func(sid string) string {
		return strings.ReplaceAll(article("Winter", ""), "</p>", `<a href="/x?sid=`+sid+`">more</a></p>`)
	}
	tree := styletree.New(testKey(), styletree.Options{})
	tree.Learn(parseDocument(t, doc("1")), visit(1))
	if tree.Learn(parseDocument(t, doc("2")), visit(2)) {
		t.Error("the same page with another session id was learned")
	}
}

// redesign is a page of one of two designs. They have the same structure but different texts in menu and footer. This
// is the hard case: a new structure would meet an empty part of the tree.
func redesign(design string, n int) string {
	return `<ul><li>` + design + ` home</ul><div><p>` + fmt.Sprintf("story%d told%d once%d", n, n, n) +
		`</p></div><p>` + design + ` rights reserved</p>`
}

func TestRedesignIsLearnedWithinTensOfPages(t *testing.T) {
	opts := styletree.Options{DuplicateShare: -1}
	tree := styletree.New(testKey(), opts)
	n := 0
	for ; n < 500; n++ {
		tree.Observe(parse(t, redesign("old", n)), visit(n))
	}
	for range 60 {
		tree.Observe(parse(t, redesign("new", n)), visit(n))
		n++
	}
	p := parse(t, redesign("new", n))
	noise, content := marks(p, tree.Mark(p, model.Visit{}))
	if len(noise) != 2 || len(content) != 1 {
		t.Errorf("60 pages after a redesign, noise %q, content %q", noise, content)
	}
	if got := tree.Pages(); got != 560 {
		t.Errorf("%d pages, want 560: decay does not count", got)
	}
	if got := body(t, tree).Pages; got > 128 {
		t.Errorf("the sums stand for %g pages, want at most 128", got)
	}
}

// Halving keeps importances: shares do not change, and entropies lose what log m loses.
func TestDecayKeepsImportances(t *testing.T) {
	opts := exact()
	opts.DecayEvery = 4 // halved at 8 pages
	var pages []string
	for i := range 8 {
		pages = append(pages, redesign("same", i))
	}
	decayed, full := learned(t, opts, pages...), learned(t, exact(), pages...)
	if got := body(t, decayed).Pages; got != 4 {
		t.Fatalf("BODY on %g pages after 8 with decay, want 4", got)
	}
	p := parse(t, pages[0])
	a, b := decayed.Mark(p, model.Visit{}), full.Mark(p, model.Visit{})
	if diff := cmp.Diff(b.Marks, a.Marks); diff != "" {
		t.Errorf("marks changed with decay:\n%s", diff)
	}
}

func TestWhatIsGoneIsForgotten(t *testing.T) {
	opts := exact()
	opts.DecayEvery = 4
	tree := styletree.New(testKey(), opts)
	tree.Observe(parse(t, `<section><p>once</p></section>`), visit(0))
	for i := 1; i < 40; i++ {
		tree.Observe(parse(t, redesign("x", i)), visit(i))
	}
	if n := len(children(body(t, tree))); n != 1 {
		t.Errorf("%d styles below BODY, want 1: the other was seen on one page 40 pages ago", n)
	}
}

func TestDiversePlaceKeepsCountsAndDropsSubtrees(t *testing.T) {
	opts := exact()
	opts.MaxStyles = 3
	var pages []string
	for i := range 6 {
		pages = append(pages, "<div>"+strings.Repeat("<p>x</p>", i+1)+"</div>")
	}
	// The first is the only sequence that two pages have; the last comes when the place is known to be diverse.
	pages = append(pages, pages[0], "<div>"+strings.Repeat("<p>x</p>", 9)+"</div>")
	div := children(body(t, learned(t, opts, pages...)))[0][0]
	near(t, "NodeImp", div.NodeImp, children(body(t, learned(t, exact(), pages...)))[0][0].NodeImp)
	for s := range div.Styles() {
		if want := s.Pages < 2; s.Hollow != want {
			t.Errorf("style node on %g pages: hollow %v, want %v", s.Pages, s.Hollow, want)
		}
	}
}

// Of ten pages nine have P in the DIV and one P-P, of which only the count is kept.
//
//	NodeImp(DIV) = −(0.9·ln 0.9 + 0.1·ln 0.1)/ln 10 = (0.0948 + 0.2303)/2.3026 = 0.1412
//	CompImp(DIV) = 0.19·0.1412 + 0.81·(0.9·0 + 0.1·0.1412) = 0.0268 + 0.0114 = 0.0383
//
// That is little, but the contents of the tenth page are unknown there.
func TestHollowStyleNode(t *testing.T) {
	opts := exact()
	opts.MaxStyles = 1
	var pages []string
	for range 9 {
		pages = append(pages, "<div><p>menu</p></div>")
	}
	div := children(body(t, learned(t, opts, append(pages, "<div><p>menu</p><p>menu</p></div>")...)))[0][0]
	near(t, "CompImp", div.CompImp, 0.0383)
	if div.Verdict != styletree.Mixed {
		t.Errorf("DIV is %v, want mixed", div.Verdict)
	}
}

// A position with a different sequence on each of 300 pages: the tree keeps a bounded list, in which one node stands
// for the rest. The importance stays 1, from 300 shares of 1/300.
func TestCrowdedPlaceSumsUpTheRarest(t *testing.T) {
	opts := exact()
	opts.MaxStyles = 10
	crowded := func(first int) *styletree.Tree {
		tree := styletree.New(testKey(), opts)
		for n := range 300 {
			sequence := strings.NewReplacer("0", "<p></p>", "1", "<hr>").Replace(fmt.Sprintf("%b", n))
			tree.Observe(parse(t, "<div>"+sequence+"</div>"), visit(first+n))
		}
		return tree
	}
	tree := crowded(0)
	div := children(body(t, tree))[0][0]
	near(t, "NodeImp", div.NodeImp, 1)
	nodes, sequences, pages := 0, 0, 0.0
	for s := range div.Styles() {
		nodes, sequences, pages = nodes+1, sequences+s.Count, pages+s.Pages
	}
	if nodes > 130 || sequences != 300 || pages != 300 {
		t.Errorf("%d style nodes for %d sequences on %g pages, want at most 130 for 300 on 300", nodes, sequences, pages)
	}
	if back := copyOf(t, tree, opts); outline(back.Root()) != outline(tree.Root()) {
		t.Error("decoded, the tree is another")
	}
	if err := tree.Merge(crowded(300)); err != nil || body(t, tree).Pages != 600 {
		t.Errorf("merged with the same pages under other URLs (%v): %g pages, want 600", err, body(t, tree).Pages)
	}
}

func TestStatsOfANewTree(t *testing.T) {
	s := styletree.New(testKey(), styletree.Options{}).Stats()
	if s.Pages != 0 || s.LastSeen != (time.Time{}) || s.Bytes <= 0 {
		t.Errorf("Stats of a new tree: %+v", s)
	}
}
