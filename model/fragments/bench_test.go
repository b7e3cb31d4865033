package fragments

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/internal/modeltest"
	"github.com/winnow-proxy/winnow/model/page"
)

// largeSite generates pages of one site that are expensive to compare: templates of several kinds, a menu with the
// current page in it, boxes of related pages and latest comments that many pages share in part, and every tenth page
// twice.
func largeSite(tb testing.TB, pages int) []*page.Page {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	site := make([]*page.Page, pages)
	for i := range site {
		if i%10 == 9 {
			site[i] = site[i-1]
			continue
		}
		kind := i % 3
		var b strings.Builder
		fmt.Fprintf(&b, "<html><head><title>Page %d</title></head><body class=kind%d><ul class=menu>", i, kind)
		for m := range 60 {
			current := ""
			if m == i%60 {
				current = " class=current"
			}
			fmt.Fprintf(&b, "<li%s><a href='/section/%d'>Section %d</a></li>\n", current, m, m)
		}
		fmt.Fprintf(&b, "</ul><div class=main%d><h1>Title %x</h1>", kind, rng.Uint64())
		for range 10 + rng.IntN(40) {
			fmt.Fprintf(&b, "<p>Text %x <a href='/x/%x'>and a link</a> with %x.</p>\n", rng.Uint64(), rng.Uint64(), rng.Uint64())
		}
		b.WriteString("</div><div class=related>")
		for range 12 {
			r := rng.IntN(100)
			fmt.Fprintf(&b, "<div class=card><a href='/p/%d'><img src='/i/%d.jpg'></a><h3>Related %d</h3><p>About %d</p></div>", r, r, r, r)
		}
		b.WriteString("</div><div class=comments>")
		for c := range 10 {
			fmt.Fprintf(&b, "<p><b>Visitor</b> on <i>page %d</i></p>", i/40+c)
		}
		fmt.Fprintf(&b, "</div><div class=foot%d>%s</div></body></html>", kind, strings.Repeat("<p><a href='/legal'>Legal</a> notice</p>", 20))
		site[i] = modeltest.Parse(tb, b.String())
	}
	return site
}

// One operation clusters 1,000 pages of one site, cutting them into fragments included. The issue asks for less than 10
// s.
func BenchmarkCluster1000(b *testing.B) {
	site := largeSite(b, 1000)
	o := DefaultOptions()
	hash := modeltest.Key().Hasher()
	chains, found := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		chains = 0
		docs := make([]document, len(site))
		for i, p := range site {
			docs[i] = newDocument(read(p, hash).out.chains(hash, o.Chain))
			chains += len(docs[i])
		}
		found = len(find(docs, o))
	}
	b.ReportMetric(float64(chains)/float64(len(site)), "chains/page")
	b.ReportMetric(float64(found), "clusters")
}

// One operation learns a page of a site whose reservoir is full, at the rate at which clustering again is due.
func BenchmarkObserve(b *testing.B) {
	site := largeSite(b, 200)
	h := Detector{}.New(modeltest.Key())
	n := 0
	for ; n < len(site); n++ {
		h.Observe(site[n], modeltest.Visit(n))
	}
	for b.Loop() {
		h.Observe(site[n%len(site)], modeltest.Visit(n))
		n++
	}
}

// One operation marks a page.
func BenchmarkMark(b *testing.B) {
	site := largeSite(b, 100)
	h := Detector{}.New(modeltest.Key())
	for n, p := range site {
		h.Observe(p, modeltest.Visit(n))
	}
	for b.Loop() {
		h.Mark(site[50], modeltest.Visit(50))
	}
}

// One operation encodes a model whose reservoir is full.
func BenchmarkEncode(b *testing.B) {
	h := Detector{}.New(modeltest.Key())
	for n, p := range largeSite(b, 100) {
		h.Observe(p, modeltest.Visit(n))
	}
	size := 0
	for b.Loop() {
		size = len(modeltest.Encoded(b, h))
	}
	b.ReportMetric(float64(size), "bytes")
}
