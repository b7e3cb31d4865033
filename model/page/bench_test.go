package page

import (
	"bytes"
	"fmt"
	"testing"
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

func BenchmarkParse(b *testing.B) {
	src := synthetic(100 << 10)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(src, "text/html; charset=utf-8"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	src := synthetic(100 << 10)
	p, err := Parse(src, "text/html; charset=utf-8")
	if err != nil {
		b.Fatal(err)
	}
	m := markNoise(p)
	for mode := ModeRemove; mode <= ModeJSON; mode++ {
		b.Run(mode.String(), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Write(p, m, mode); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
