package parts

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// The evidence of a part is that of its blocks, by length. What people are told speaks for the verdict, at most twice.
func TestWhy(t *testing.T) {
	p, err := page.Parse([]byte(`<body><div id=a><p>four</p><p>a longer one, by far</p></div></body>`), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	var e page.ElementID
	for at := range p.Elements {
		if id, _ := p.Attr(page.ElementID(at), "id"); id == "a" {
			e = page.ElementID(at)
		}
	}
	evidence := [][]model.Evidence{{{Name: "links", Weight: 9}, {Name: "heading", Weight: .1}}, {{Name: "links", Weight: 1}, {Name: "prose", Weight: -.5}, {Name: "names", Weight: .3}, {Name: "label", Weight: .3}}}
	for want, part := range map[string]*Part{
		"why.links.goes why.names.goes": {Element: e, Gone: true}, "why.text.stays": {Element: e}, "why.set": {Element: e, Decided: true},
	} {
		if got := strings.Join(Why(p, evidence, part), " "); got != want {
			t.Errorf("%+v: %s, want %s", part, got, want)
		}
	}
	if got := Why(p, nil, &Part{Element: e}); got != nil {
		t.Errorf("without evidence: %q", got)
	}
}
