package cascade

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// flat is a document as a [Tree].
type flat struct {
	nodes  []*html.Node
	parent []int
	quirks bool
}

func parsed(t testing.TB, src string) *flat {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	f := &flat{}
	var walk func(n *html.Node, up int)
	walk = func(n *html.Node, up int) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			at := up
			if c.Type == html.ElementNode {
				at = len(f.nodes)
				f.nodes, f.parent = append(f.nodes, c), append(f.parent, up)
			}
			walk(c, at)
		}
	}
	walk(doc, -1)
	return f
}

func (f *flat) Len() int          { return len(f.nodes) }
func (f *flat) Name(e int) string { return f.nodes[e].Data }
func (f *flat) Parent(e int) int  { return f.parent[e] }
func (f *flat) Quirks() bool      { return f.quirks }

func (f *flat) Attr(e int, key string) (string, bool) {
	for _, a := range f.nodes[e].Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

func (f *flat) Attrs(e int) int { return len(f.nodes[e].Attr) }

func (f *flat) Text(e int) string {
	var b strings.Builder
	for c := f.nodes[e].FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// sightOf returns how the element with the id x is seen, with all that is around it.
func sightOf(t testing.TB, src string) Sight {
	t.Helper()
	f := parsed(t, src)
	v := Look(f)
	for e := range f.Len() {
		if id, _ := f.Attr(e, "id"); id == "x" {
			worst := v.Text[e]
			for ; e >= 0; e = f.Parent(e) {
				worst = max(worst, v.Box[e])
			}
			return worst
		}
	}
	t.Fatal("no x")
	return Seen
}

func TestSight(t *testing.T) {
	for css, want := range map[string]Sight{
		"#x{display:none}":                                                     Hidden,
		"#x{display:none} body #x{display:block}":                              Seen,
		"@media (max-width:600px){#x{display:none}}":                           Seen,
		"@media (min-width:600px){#x{display:none}}":                           Unresolved, // it is shown on a phone
		"@media (min-width:600px){#x{color:#fff}}":                             Unresolved,
		"@media (made-up){#x{display:none}}":                                   Unresolved,
		"@container (width > 1px){#x{display:none}}":                           Unresolved,
		"@layer b,a;@layer a{#x{display:none}}":                                Hidden,
		"@layer a{@layer b{#x{display:none}}#x{display:block}}":                Seen,
		"#x{display:none}@layer a{#x{display:block!important}}":                Seen,
		"#x{display:none;display:revert-layer}":                                Seen,
		"#x{visibility:hidden}main{visibility:hidden}":                         Hidden,
		"main{visibility:hidden}#x{visibility:visible}":                        Seen,
		"main{opacity:.3}#x{opacity:.3}":                                       Hidden,
		"main{background:#000}#x{color:#000}":                                  Hidden,
		"main{background:#000}#x{color:#fff}":                                  Seen,
		"main{background:url(/sky.jpg)}#x{color:#fff}":                         Unresolved,
		"main{--c:#fff}#x{color:var(--c)}":                                     Hidden,
		"main{--c:var(--c)}#x{color:var(--c,#fff)}":                            Hidden,
		"#x{color:oklch(0.99 0.01 100)}":                                       Hidden,
		"#x{color:hsl(0 0% 20%)}":                                              Seen,
		"#x{color:#eee0}":                                                      Hidden,
		"html{font-size:62.5%}#x{font-size:1.6rem}":                            Seen,
		"#x{font-size:.01rem}":                                                 Hidden,
		"#x{transform:translate(-50%,-50%) scale(1)}":                          Seen,
		"#x{transform:scale(.5) rotate3d(0,1,0,90deg)}":                        Hidden,
		"#x{transform:made-up(1)}":                                             Unresolved,
		"#x{position:absolute;left:calc(-1px * 9999)}":                         Hidden,
		"#x{left:min(-9999px,1px);position:relative}":                          Hidden,
		"#x{height:0;overflow:hidden;padding-top:56.25%}":                      Seen,
		"#x{clip-path:polygon(0 0,100% 0,100% 100%,0 100%)}":                   Seen,
		"@keyframes a{to{opacity:0}}#x{animation:a 1s infinite}":               Unresolved,
		"main:has(#x):not(:has(table)) :nth-last-child(1 of #x){display:none}": Hidden,
		"#x:valid{display:none}":                                               Unresolved,
	} {
		if got := sightOf(t, "<!DOCTYPE html><style>"+css+"</style><main><p id=x>text</p></main>"); got != want {
			t.Errorf("%s: %d, want %d", css, got, want)
		}
	}
}

// Style sheets elsewhere may set the background, unless the page sets it where it sets the colour.
func TestColoursOfOtherSheets(t *testing.T) {
	const link = `<!DOCTYPE html><link rel="stylesheet" href="/site.css">`
	if got := sightOf(t, link+`<p id=x style="color:white">text`); got != Unresolved {
		t.Errorf("white where the background may come from elsewhere: %d", got)
	}
	if got := sightOf(t, link+`<body style="background:red"><main><p id=x style="color:red">text`); got != Unresolved {
		t.Errorf("the colour of the page where that of main may come from elsewhere: %d", got)
	}
	if got := sightOf(t, link+`<div style="background:white"><p id=x style="color:white;background:rgba(0,0,0,0)">text`); got != Unresolved {
		t.Errorf("no background on a white one: %d", got)
	}
	if got := sightOf(t, link+`<div><p id=x style="color:white;background:white">text`); got != Hidden {
		t.Errorf("white on white: %d", got)
	}
}

// A page whose styles take too much work is not seen, as far as is known.
func TestTooMuchWork(t *testing.T) {
	src := "<!DOCTYPE html><style>" + strings.Repeat("a b c>d~e *{color:red}", 2000) + "</style>" + strings.Repeat("<a><b><c><d></d><e>", 80) +
		strings.Repeat("<i>x</i>", 20000)
	f := parsed(t, src)
	v := Look(f)
	if !v.Spent {
		t.Fatal("there was work for more")
	}
	for e := range v.Box {
		if v.Box[e] == Seen || v.Text[e] == Seen {
			t.Fatalf("element %d of %d is seen", e, f.Len())
		}
	}
}

func FuzzLook(f *testing.F) {
	f.Add("#x{display:none}@media (width>1px){a{color:var(--a,rgb(1 2 3/calc(1 + 2)))}}", "left:-9999px;transform:matrix3d(1,2)")
	f.Add(`@import "data:,a{}";@scope(a)to(b){:scope{& c{d:e}}}@layer a.b,c;a:is(:not(b,:has(+c)),*|d):nth-child(2n+1 of e){}`, `\75rl(`)
	f.Add("@keyframes a{from{}50%{opacity:0}}p::first-line{animation:a 1s 2s both paused,b}", "clip-path:polygon(1px 2%);background:url(x),linear-gradient(red,blue)")
	f.Fuzz(func(t *testing.T, css, style string) {
		doc := parsed(t, "<style>"+css+"</style><p id=x class=a style='"+style+"'>x<b>y")
		for _, doc.quirks = range []bool{false, true} {
			if v := Look(doc); len(v.Box) != doc.Len() || len(v.Text) != doc.Len() {
				t.Error("not all elements are seen or not")
			}
		}
	})
}

// Opacity multiplies from html down, and only ASCII white space is between classes.
func TestSightOfPageOpacityAndOddClasses(t *testing.T) {
	for name, c := range map[string]struct {
		css, class string
	}{
		"opacity of body":           {"body{opacity:.11}.s{opacity:.11}", "s"},
		"opacity of html and body":  {"html{opacity:.2}body{opacity:.2}.s{opacity:.2}", "s"},
		"a hard space in a class":   {".a\u00a0b{display:none}", "a\u00a0b"},
		"a hard space around":       {".c\u00a0d .s{display:none}", "s"},
		"a line separator in class": {".a\u0085b{display:none}", "a\u0085b"},
	} {
		src := "<!DOCTYPE html><style>" + c.css + "</style><body><div class=\"c\u00a0d\"><p id=x class=\"" + c.class + "\">text</p></div>"
		if got := sightOf(t, src); got != Hidden {
			t.Errorf("%s: %v, want hidden", name, got)
		}
	}
}

// A value whose variables stand for more than is followed here may hide what is in it: browsers go on.
func TestLongVariablesAreUnresolved(t *testing.T) {
	for name, style := range map[string]string{
		"many tokens":    "b{--a:" + strings.Repeat("0px + ", 60) + "0px;--b:" + strings.Repeat("var(--a) + ", 60) + "0px;font-size:calc(var(--b))}",
		"many variables": "b{--v0:0px;" + manySteps(40) + "font-size:var(--v40)}",
	} {
		v := Look(parsed(t, "<!DOCTYPE html><style>"+style+"</style><p>Seen<b>Not seen</b>"))
		if at := len(v.Text) - 1; v.Text[at] == Seen {
			t.Errorf("%s: a text whose font has no size counts as seen", name)
		}
	}
}

// manySteps sets variables that each stand for the one before.
func manySteps(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "--v%d:var(--v%d);", i+1, i)
	}
	return b.String()
}
