package policy_test

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// What people act with in the content stays, although its words look like those of menus: links that turn the pages of
// a manual, however it writes them, the tabs of an example, the only heading that says the title. The same outside of
// the content goes.
func TestPartsOfTheContentStay(t *testing.T) {
	const text = `<p>A long story of the river and the garden behind the house, where the path begins and the wall ends.</p>`
	for name, tc := range map[string]struct {
		head, body  string
		stays, goes []string
	}{
		"declared": {`<link rel=prev href="a.html"><link rel=next href="c.html">`,
			`<nav class=noise><a href="a.html">before</a> <a href="c.html">after</a> <a href="x.html">other</a></nav>` + text +
				`<footer class=noise>Previous: <a href="a.html">Rivers</a> Next: <a href="c.html">Walls</a> <p><a href="y.html">imprint</a></p></footer>`,
			[]string{"Rivers", "Walls"}, []string{"before", "other", "imprint"}},
		"said first": {"", text + `<nav class=noise><a href=/1><span>Previous page</span><b>Rivers</b></a><a href=/2><span>Next page</span><b>Walls</b></a><p><a href=/3>Menu of all</a></p></nav>`,
			[]string{"Rivers", "Walls"}, []string{"Menu of all"}},
		"one": {"", text + `<div class=noise><a href="/p/2">Older posts</a></div><div class=noise><a href=/z>Newsletter</a></div>`, []string{"Older posts"}, []string{"Newsletter"}},
		"tabs": {"", `<div>` + text + `<div class=noise><ul role=tablist><li><a role=tab href="#t1">npm</a><li><a role=tab href="#t2">yarn</a></ul><div id=t1 role=tabpanel><pre>npm add kettle</pre></div><div id=t2 role=tabpanel><pre>yarn add kettle</pre></div></div>` +
			text + `</div>`, []string{"npm add kettle", "yarn add kettle"}, nil},
		"tabs of the menu": {"", `<nav class=noise><ul role=tablist><li><a role=tab href="#t1">Top</a></ul><div id=t1 role=tabpanel><a href=/x>Most read</a></div></nav><main>` + text + `</main>`,
			nil, []string{"Most read"}},
		"title": {`<title>Rivers of the north - Garden Post</title>`, `<header class=noise><a href=/>Garden Post</a><h1><a href=/r>Rivers of the north</a></h1></header>` + text,
			[]string{"Rivers of the north"}, []string{"Garden Post"}},
		"title twice": {`<title>Rivers of the north - Garden Post</title>`, `<header class=noise><h1>Rivers of the north</h1></header><h2>Rivers of the north</h2>` + text,
			nil, []string{"<h1>"}},
	} {
		p := pagetest.MustParse(t, []byte(`<html><head>`+tc.head+`</head><body>`+tc.body+`</body></html>`), "text/html; charset=utf-8")
		out, err := write.Form{Mode: page.ModeRemove}.Write(p, policy.Default().Apply(p, pagetest.MarkNoise(p)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, body, _ := strings.Cut(string(out.Body), "<body>")
		for _, s := range tc.stays {
			if !strings.Contains(body, s) {
				t.Errorf("%s: %q went: %s", name, s, body)
			}
		}
		for _, s := range tc.goes {
			if strings.Contains(body, s) {
				t.Errorf("%s: %q stayed: %s", name, s, body)
			}
		}
	}
}
