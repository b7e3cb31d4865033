package styletree_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// bigPage is a page of about 100 KB as sites make them: head, nested menus, an article, lists of teasers, footer.
func bigPage(n int) []byte {
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><title>Story %d</title><style>%s</style></head><body class=p%d>", n,
		strings.Repeat(".a{color:red}", 300), n)
	b.WriteString(`<header><nav><ul class="menu">`)
	for i := range 80 {
		fmt.Fprintf(&b, `<li class="menu-item"><a href="/section/%d"><span class="label">Section %d</span></a></li>`, i, i)
	}
	b.WriteString(`</ul></nav></header><main><article>`)
	for range 80 + rng.IntN(20) {
		b.WriteString("<p>")
		for range 120 {
			fmt.Fprintf(&b, "w%x ", rng.IntN(20000))
		}
		b.WriteString("</p>")
	}
	b.WriteString(`</article></main><aside>`)
	for i := range 150 {
		fmt.Fprintf(&b, `<div class="teaser"><a href="/t/%d"><img src="/img/%d.jpg" alt=""><h3>Teaser %d of the day</h3></a>`+
			`<p class="by">By <b>somebody</b></p></div>`, i, i, i)
	}
	b.WriteString(`</aside><footer><p>All rights reserved</p></footer></body></html>`)
	return []byte(b.String())
}

// trained returns a tree that has learned some big pages, and one more page.
func trained(b *testing.B) (*styletree.Tree, *page.Page) {
	tree := styletree.New(testKey(), styletree.Options{})
	for n := range 20 {
		tree.Observe(parseDocument(b, string(bigPage(n))), visit(n))
	}
	return tree, parseDocument(b, string(bigPage(99)))
}

// BenchmarkParse is the reference for the others.
func BenchmarkParse(b *testing.B) {
	src := bigPage(99)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := page.Parse(src, "text/html; charset=utf-8"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPartners(b *testing.B) {
	tree, p := trained(b)
	var partners []styletree.Partner
	b.ReportAllocs()
	for b.Loop() {
		partners = tree.Partners(p, partners)
	}
}

func BenchmarkMark(b *testing.B) {
	tree, p := trained(b)
	b.ReportAllocs()
	for b.Loop() {
		tree.Mark(p, model.Visit{})
	}
}

// BenchmarkLearn learns a new page and then computes the verdicts, as on a host that is alternately read and learned.
func BenchmarkLearn(b *testing.B) {
	var pages []*page.Page
	for n := range 64 {
		pages = append(pages, parseDocument(b, string(bigPage(100+n))))
	}
	opts := styletree.Options{DuplicateShare: -1}
	tree := styletree.New(testKey(), opts)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		tree.Observe(pages[n%len(pages)], model.Visit{URL: fmt.Sprint(n)})
		tree.Root()
		n++
	}
	b.ReportMetric(float64(tree.Stats().Bytes), "tree-B")
}

func BenchmarkEncode(b *testing.B) {
	tree, _ := trained(b)
	n := 0
	for b.Loop() {
		e, err := tree.Encode()
		if err != nil {
			b.Fatal(err)
		}
		n = len(e)
	}
	b.ReportMetric(float64(n), "B")
}
