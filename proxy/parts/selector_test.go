package parts

import (
	"testing"

	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
)

// A selector is made of the names that authors give, is valid, and matches its element.
func TestSelector(t *testing.T) {
	p, err := page.Parse([]byte(`<html><body><div id=top class="x y">a</div><div id="post-123456" class="post css-1a2b3c teaser"><p>b</p><p title=2>c</p></div>
<main><section>d</section></main><div class="1st"><span>e</span></div><div id="a:b">f</div><ul><li>g</ul></body></html>`), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "#top", "b": "div.post.teaser > p:nth-of-type(1)", "c": "div.post.teaser > p:nth-of-type(2)", "d": "main > section",
		"e": "body > div:nth-of-type(3) > span", "f": "body > div:nth-of-type(4)", "g": "body > ul > li"}
	matcher := override.NewMatcher(p)
	for b := range p.Blocks {
		text := string(p.BlockText(nil, page.BlockID(b)))
		e := p.Texts[p.Blocks[b].TextStart].Parent
		got := Selector(p, e)
		if got != want[text] {
			t.Errorf("%s: %s, want %s", text, got, want[text])
		}
		if n, err := matcher.Count(got); err != nil || n != 1 {
			t.Errorf("%s matches %d elements: %v", got, n, err)
		}
	}
}

// Whatever a page is made of, each of its elements has a selector that can be compiled and matches it.
func FuzzSelector(f *testing.F) {
	f.Add(`<body><div class="a b-c"><p id=x>y</p></div><my-tag>z</my-tag><svg><path/></svg>`)
	f.Add(`<a:b><p class="\">x</p></a:b>`)
	f.Fuzz(func(t *testing.T, src string) {
		p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
		if err != nil || len(p.Elements) > 300 {
			return
		}
		matcher := override.NewMatcher(p)
		for e := range p.Elements {
			s := Selector(p, page.ElementID(e))
			if n, err := matcher.Count(s); s != "" && (err != nil || n == 0) {
				t.Errorf("%q matches %d elements: %v", s, n, err)
			}
		}
	})
}
