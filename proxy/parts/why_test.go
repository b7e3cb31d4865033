package parts

import (
	"reflect"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// The evidence of a part is that of its blocks, by length: what speaks for its verdict, and what speaks against it.
func TestWhyOf(t *testing.T) {
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
	evidence := [][]model.Evidence{{{Words: "links", Weight: 9}, {Words: "place", Weight: .1}}, {{Words: "links", Weight: 1}, {Words: "prose", Weight: -.5}, {Words: "names", Weight: .4}}}
	want := &Why{For: []Reason{{"links", "strongly"}, {"names", "a little"}}, Against: []Reason{{"prose", "a little"}}}
	if got := WhyOf(p, evidence, &Part{Element: e, Gone: true}); !reflect.DeepEqual(got, want) {
		t.Errorf("for noise: %+v", got)
	}
	want = &Why{For: want.Against, Against: want.For}
	if got := WhyOf(p, evidence, &Part{Element: e}); !reflect.DeepEqual(got, want) {
		t.Errorf("for content: %+v", got)
	}
	if got := WhyOf(p, nil, &Part{Element: e}); got != nil {
		t.Errorf("without evidence: %+v", got)
	}
	if got := WhyOf(p, evidence, &Part{Element: e, Decided: true}); !got.Elsewhere {
		t.Errorf("what people decided rests on evidence: %+v", got)
	}
}
