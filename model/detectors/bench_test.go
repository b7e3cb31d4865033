package detectors

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// largePage is a page of about 200 kB: a menu, an article, a list of teasers, a table.
func largePage(n int) string {
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><title>Story %d</title></head><body><nav><ul>", n)
	for i := range 80 {
		fmt.Fprintf(&b, `<li><a href="/section/%d">Section %d</a></li>`, i, i)
	}
	b.WriteString(`</ul></nav><main>`)
	for range 80 {
		b.WriteString("<p>")
		for range 120 {
			fmt.Fprintf(&b, "w%x ", rng.IntN(20000))
		}
		b.WriteString("</p>")
	}
	b.WriteString(`</main><aside>`)
	for i := range 500 {
		fmt.Fprintf(&b, `<div class="teaser"><a href="/t/%d"><h3>Teaser %d of the day</h3></a><p>By <b>somebody</b></p></div>`, i, i)
	}
	b.WriteString(`</aside><table>`)
	for i := range 500 {
		fmt.Fprintf(&b, `<tr><td>%d<td><a href="/n/%d">Name %d</a><td>%d`, i, i, i, rng.IntN(1000))
	}
	b.WriteString(`</table><footer><p>All rights reserved</p></footer></body></html>`)
	return b.String()
}

// BenchmarkMark marks a large page after 20 of its site, by every detector.
func BenchmarkMark(b *testing.B) {
	pages := make([]*page.Page, 21)
	for i := range pages {
		p, err := page.Parse([]byte(largePage(i)), "text/html; charset=utf-8")
		if err != nil {
			b.Fatal(err)
		}
		pages[i] = p
	}
	for _, name := range Names() {
		d, err := ByName(name, Options{})
		if err != nil {
			b.Fatal(err)
		}
		h := d.New(model.Key{1})
		visit := func(i int) model.Visit { return model.Visit{URL: fmt.Sprintf("http://site.example/%d", i)} }
		for i, p := range pages[:20] {
			h.Observe(p, visit(i))
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				h.Mark(pages[20], visit(20))
			}
		})
	}
}
