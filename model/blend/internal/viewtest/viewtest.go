// Package viewtest reads pages for tests.
package viewtest

import (
	"fmt"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// fataler is a test.
type fataler interface{ Fatal(args ...any) }

// Parse parses a page.
func Parse(t fataler, src string) *page.Page {
	p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ViewOf reads a page.
func ViewOf(t fataler, src string) *view.Page { return ViewAt(t, src, "") }

// ViewAt reads a page that was fetched from url.
func ViewAt(t fataler, src, url string) *view.Page {
	return view.NewReader(nil).Read(Parse(t, src), model.Key{}.Hasher(), model.Visit{URL: url})
}

// GoldVerdicts are those of a page in which the elements with the attribute c are content and all others noise.
func GoldVerdicts(v *view.Page) []page.Verdict {
	verdicts := make([]page.Verdict, len(v.Doc.Blocks))
	for b := range verdicts {
		verdicts[b] = page.Verdict{Noise: true, Score: .9}
		for e := v.Doc.Blocks[b].Element; e != page.None; e = v.Doc.Elements[e].Parent {
			if _, ok := v.Doc.Attr(e, "c"); ok {
				verdicts[b] = page.Verdict{Score: .1}
			}
		}
	}
	return verdicts
}

// SitePage is page i of a little site: a template around an article.
func SitePage(i int) string {
	words := strings.Fields("river stone lamp harbour winter copper garden letter market engine island candle window forest bridge silver")
	var body strings.Builder
	for s := range 6 {
		body.WriteString("<p>")
		for w := range 24 {
			fmt.Fprintf(&body, "%s ", words[(i*7+s*5+w*(i+s+1))%len(words)])
		}
		fmt.Fprintf(&body, "number %d of %d.</p>", s, i)
	}
	return fmt.Sprintf(`<html><head><title>Story %d</title></head><body><div class="top"><a href="/">Start</a> <a href="/a">Stories</a>
		<a href="/b">About us</a></div><div class="story"><h1>Story %d</h1>%s</div><div class="end"><p>All stories on this site
		belong to the people who wrote them and may be read by everybody at any time.</p><a href="/c">Imprint</a></div></body></html>`,
		i, i, body.String())
}

// Without writes a page without its marks.
func Without(t fataler, p *page.Page, marks []page.Mark) string {
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Marks: marks}
	out, err := write.Page(p, m, page.ModeRemove)
	if err != nil {
		t.Fatal(err)
	}
	return string(out.Body)
}
