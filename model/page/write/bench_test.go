package write_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/net/html"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/active"
	"github.com/winnow-proxy/winnow/model/page/charset"
	"github.com/winnow-proxy/winnow/model/page/htmltree"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// synthetic returns a page of about n bytes: a navigation, articles with tables and scripts, and a footer.
func synthetic(n int) []byte {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Synthetic</title></head><body><ul class=noise id=nav>")
	for i := range 40 {
		fmt.Fprintf(&b, `<li class="item level-%d"><a href="/section/%d?ref=nav&amp;x=%d">Section %d</a></li>`, i%3, i, i, i)
	}
	b.WriteString("</ul><main>")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `<article id="a%d"><h2>Heading %d</h2><div class="body"><p>Some <em>words</em> of prose, number %d, that go on for a
while &ndash; with <a href="/page/%d">a link</a>, and then they end.</p><script>track("%d");</script></div><aside class="noise" id="ad"><img
src="/ad/%d.gif" alt=""><a href="//ads.example/%d">Buy this now</a></aside><table><tr><td>cell %d<td>value<tr><td>x<td>y</table></article>`,
			i, i, i, i, i, i, i, i)
	}
	b.WriteString("</main><footer class=noise id=footer><p>Imprint <a href=/legal>Legal</a></footer></body></html>")
	return b.Bytes()
}

// benchPages are the pages for measuring stages: a generated one of 31 kB, and those of the corpus if it is available.
func benchPages(b *testing.B) map[string][][]byte {
	b.Helper()
	pages := map[string][][]byte{"generated": {synthetic(31 << 10)}}
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpus", "sites", "*", "pages", "000[135].html"))
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		pages["corpus"] = append(pages["corpus"], src)
	}
	return pages
}

// BenchmarkStages measures the way of a page from bytes to [page.Page] and back, stage by stage. parser is x/net/html
// for comparison. One operation is one page, with a Content-Type that names the charset.
func BenchmarkStages(b *testing.B) {
	const contentType = "text/html; charset=utf-8"
	for name, pages := range benchPages(b) {
		measure := func(stage string, do func(src []byte, p *page.Page)) {
			b.Run(name+"/"+stage, func(b *testing.B) {
				parsed := make([]*page.Page, len(pages))
				size := 0
				for i, src := range pages {
					parsed[i] = pagetest.MustParse(b, src, contentType)
					size += len(src)
				}
				b.SetBytes(int64(size / len(pages)))
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					do(pages[i%len(pages)], parsed[i%len(pages)])
					i++
				}
			})
		}
		build := func(src []byte, use func(*htmltree.Tree) error) {
			if err := htmltree.Parse(string(src), nil, use); err != nil {
				b.Fatal(err)
			}
		}
		measure("parser", func(src []byte, _ *page.Page) { _, _ = html.Parse(bytes.NewReader(src)) })
		measure("charset", func(src []byte, _ *page.Page) { charset.Detect(src, contentType) })
		measure("charset without header", func(src []byte, _ *page.Page) { charset.Detect(src, "") })
		measure("tree", func(src []byte, _ *page.Page) { build(src, func(*htmltree.Tree) error { return nil }) })
		measure("tree and flat", func(src []byte, _ *page.Page) { _ = page.WithTree(string(src), func(*page.Page) error { return nil }) })
		measure("parse", func(src []byte, _ *page.Page) { _, _ = page.Parse(src, contentType) })
		measure("remove", func(_ []byte, p *page.Page) { _, _ = write.Page(p, pagetest.MarkNoise(p), page.ModeRemove) })
		measure("check", func(src []byte, p *page.Page) { _ = active.Check(p, src, active.Own{}) })
	}
}

func BenchmarkWrite(b *testing.B) {
	src := synthetic(100 << 10)
	p, err := page.Parse(src, "text/html; charset=utf-8")
	if err != nil {
		b.Fatal(err)
	}
	m := pagetest.MarkNoise(p)
	for mode := page.ModeRemove; mode <= page.ModeJSON; mode++ {
		b.Run(mode.String(), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := write.Page(p, m, mode); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
