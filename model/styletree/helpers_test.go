package styletree_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// testKey is any key; the same one everywhere keeps failures repeatable.
func testKey() model.Key { return model.Key{1, 2, 3, 4, 5, 6, 7, 8} }

// exact are the options of the published system, with the online form's additions off.
func exact() styletree.Options {
	return styletree.Options{DecayEvery: -1, DuplicateShare: -1, MaxStyles: -1, MaxFeatures: -1,
		Limits: model.Limits{Memory: 1 << 30, Encoded: 1 << 30}}
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// parse parses the inside of a body.
func parse(t fataler, body string) *page.Page {
	t.Helper()
	return parseDocument(t, "<!DOCTYPE html><html><head><title>T</title></head><body>"+body+"</body></html>")
}

func parseDocument(t fataler, doc string) *page.Page {
	t.Helper()
	p, err := page.Parse([]byte(doc), "text/html; charset=utf-8")
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return p
}

// visit returns a visit to the n-th page of a site.
func visit(n int) model.Visit {
	return model.Visit{URL: fmt.Sprintf("https://site.example/%d", n), At: time.Unix(1e9+int64(n), 0)}
}

// learned returns a tree that has learned the bodies.
func learned(t fataler, opts styletree.Options, bodies ...string) *styletree.Tree {
	t.Helper()
	tree := styletree.New(testKey(), opts)
	for i, body := range bodies {
		tree.Observe(parse(t, body), visit(i))
	}
	return tree
}

// body returns the element node of BODY in a tree that has one.
func body(t fataler, tree *styletree.Tree) styletree.Node {
	t.Helper()
	for s := range tree.Root().Styles() {
		for n := range s.Nodes() {
			return n
		}
	}
	t.Fatalf("the tree has no BODY")
	return styletree.Node{}
}

// outline prints the tree: each element node as tag, verdict and importances, each style node as its pages.
func outline(n styletree.Node) string {
	var b strings.Builder
	writeNode(&b, n, 0)
	return b.String()
}

func writeNode(b *strings.Builder, n styletree.Node, depth int) {
	fmt.Fprintf(b, "%*s%s m=%g node=%.9f comp=%.9f %v features=%d\n", 2*depth, "", n.Tag, n.Pages, n.NodeImp, n.CompImp,
		n.Verdict, n.Features)
	for s := range n.Styles() {
		fmt.Fprintf(b, "%*s- n=%g k=%d count=%d hollow=%v\n", 2*depth+1, "", s.Pages, s.Len, s.Count, s.Hollow)
		for c := range s.Nodes() {
			writeNode(b, c, depth+1)
		}
	}
}

func encoded(t testing.TB, tree *styletree.Tree) []byte {
	t.Helper()
	b, err := tree.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// bodies generates the bodies of the pages of one site. There are few tags, classes and words, so that positions and
// content coincide often and differ often.
func bodies(least, most int) *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		genChildren(t, &b, 3)
		return b.String()
	}), least, most)
}

func genChildren(t *rapid.T, b *strings.Builder, depth int) {
	for range rapid.IntRange(0, 3).Draw(t, "children") {
		switch rapid.IntRange(0, 5).Draw(t, "what") {
		case 0:
			b.WriteString(`<img src="/i/` + genWord(t) + `.png">`)
		case 1:
			b.WriteString(`<a href="/` + genWord(t) + `">` + genWord(t) + `</a>`)
		case 2:
			b.WriteString(genWord(t) + " " + genWord(t) + " ")
		default:
			if depth == 0 {
				continue
			}
			tag := rapid.SampledFrom([]string{"div", "section", "span"}).Draw(t, "tag")
			b.WriteString("<" + tag + rapid.SampledFrom([]string{"", ` align="left"`}).Draw(t, "align") + ">")
			genChildren(t, b, depth-1)
			b.WriteString("</" + tag + ">")
		}
	}
}

func genWord(t *rapid.T) string {
	return rapid.SampledFrom([]string{"one", "two", "three", "four"}).Draw(t, "word")
}
