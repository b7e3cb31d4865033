package parts

import (
	"reflect"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
)

// The search of a site is found in what was removed, with an absolute address; forms for letters, logins and what stays
// are none.
func TestSearches(t *testing.T) {
	const src = `<body><nav id=menu><form action="/find?x=1#y" role=search><input type=hidden name=in value=all><input type=search name=q><button>Go</button></form>
<form method=post action=/send><input name=q></form><form><input name=user><input type=password name=word></form><form action="javascript:x()"><input name=q></form></nav>
<main><p>A story.</p><form action=/within><input name=s></form></main></body>`
	p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
	for e := range p.Elements {
		if p.Elements[e].Name == "nav" {
			m.Marks = append(m.Marks, page.Mark{Element: page.ElementID(e), Kind: page.KindNav})
		}
	}
	got := Searches(p, m, "https://a.example/story?page=1")
	if want := []Search{{"https://a.example/find", "q", []Field{{"in", "all"}}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
