package active_test

import (
	"bytes"
	"errors"
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/active"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/page/write/source"
)

// liveIn returns the scripts, handlers and frames that run in a document, as x/net/html reads it with scripting on or
// off. Without scripting, the contents of noscript are markup.
func liveIn(src []byte, scripting bool) map[string]bool {
	doc, err := html.ParseWithOptions(bytes.NewReader(src), html.ParseOptionEnableScripting(scripting))
	if err != nil {
		return nil
	}
	live := map[string]bool{}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.DataAtom == atom.Template && n.Namespace == "" {
			return
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") && len(a.Key) > 2 || strings.HasPrefix(strings.TrimSpace(a.Val), "javascript:") {
				live[a.Key+"="+a.Val] = true
			}
		}
		switch n.Data {
		case "script", "iframe", "object", "embed", "frame":
			what := n.Data
			for _, a := range n.Attr {
				if a.Key == "src" || a.Key == "srcdoc" || a.Key == "data" || a.Key == "href" {
					what += " " + a.Key + "=" + a.Val
				}
			}
			if n.Data == "script" {
				what += " " + textOf(n)
			}
			if what != "script " { // nothing runs in an empty script
				live[what] = true
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	return live
}

// textOf is the text of a script: that of its child nodes, without elements (HTML, child text content).
func textOf(n *html.Node) (text string) {
	for c := range n.ChildNodes() {
		if c.Type == html.TextNode {
			text += c.Data
		}
	}
	return text
}

// inert is a page and its live parts, read with scripting on and off.
type inert struct {
	p           *page.Page
	on, off     map[string]bool
	hasNoscript bool
}

func newInert(p *page.Page) inert {
	i := inert{p: p, on: liveIn(p.UTF8(), true), hasNoscript: hasNoscript(p.UTF8())}
	i.off = i.on
	if i.hasNoscript {
		i.off = liveIn(p.UTF8(), false)
	}
	return i
}

// hasNoscript reports whether scripting changes how a page is read.
func hasNoscript(text []byte) bool {
	return bytes.Contains(bytes.ToLower(text), []byte("<noscript"))
}

// stays fails if the page without its noise has something live that the page does not have. It returns the number of
// outputs that it has checked.
func (i inert) stays(t testing.TB, m *page.Marking) int {
	t.Helper()
	p := i.p
	var seen [][]byte
	for _, mode := range []page.Mode{page.ModeRemove, page.ModeTag, page.ModeAuto, page.ModeHide} {
		out, err := write.Page(p, m, mode)
		if err != nil && !errors.Is(err, source.ErrUnplaced) {
			continue
		}
		if bytes.Equal(out.Body, p.Source) || slices.ContainsFunc(seen, func(b []byte) bool { return bytes.Equal(b, out.Body) }) {
			continue // it has nothing that was not checked
		}
		seen = append(seen, out.Body)
		body, err := pagetest.Decoded(p, out.Body)
		if err != nil {
			t.Fatal(err)
		}
		i.added(t, mode, body, "", i.on, liveIn(body, true))
		if i.hasNoscript || hasNoscript(body) {
			i.added(t, mode, body, "without scripting ", i.off, liveIn(body, false))
		}
	}
	return len(seen)
}

// added fails for parts that are live after and were not before.
func (i inert) added(t testing.TB, mode page.Mode, body []byte, how string, before, after map[string]bool) {
	t.Helper()
	for what := range after {
		if !before[what] {
			t.Errorf("%s%s of %q brings %q to life: %q", how, mode, i.p.UTF8(), what, body)
		}
	}
}

// traps are pages in which a script is text as long as nothing is removed.
func traps() map[string]string {
	const evil = "<script>evil()</script>"
	const frame = "<iframe src=//evil></iframe>"
	return map[string]string{
		"template across an end":         "<p>a<div class=noise><template>" + evil + "<div></template>menu</div></div><p>b",
		"template left open":             "<p>a<nav class=noise>menu<template>" + evil + "</nav><p>b",
		"template moved from table":      "<p>a<table class=noise><tr><template>" + evil + "<b></template><div>menu</div></tr></table><p>b",
		"template in misnested link":     "<p>a<a class=noise><template>" + evil + "<p></template><div>menu</a>n</div><p>b",
		"style in svg":                   "<p>a<svg><desc class=noise></desc><style><!--</style>" + evil + "--></svg><p>b",
		"svg closed by noise":            "<p>a<svg><title><div class=noise></svg></div></title><style><img title='</style>" + evil + "'></style></svg><p>b",
		"title in svg":                   "<p>a<svg class=noise><title><p></svg>n<textarea>" + evil + "</textarea><p>b",
		"math text":                      "<p>a<math><mtext><table class=noise><mglyph><style><!--</style>" + evil + "--></style></mglyph></table></mtext></math><p>b",
		"frameset behind text":           "<p class=noise>a</p><frameset onload='evil()'><frame src=evil></frameset>",
		"second frameset":                "<br class=noise><frameset onload='evil()'>",
		"select":                         "<p>a<select class=noise><option>n</select><select><textarea class=noise></select>" + evil + "</textarea><p>b",
		"comment cut open":               "<p>a<!--<p class=noise>--><p class=noise>n</p><!--" + evil + "--><p>b",
		"escaped script":                 "<p>a<script><!--<script></script><p class=noise>n</p>--></script><p>b",
		"script escaped by a cut":        "<p>a</p><script>x='<!--'</script><p class=noise><script>y='<script'</script>n</p><script>z='" + "</script><p>b",
		"textarea left open":             "<p>a<div class=noise><textarea></div>" + evil + "<p>b",
		"noscript":                       `<p>a<noscript><p title="</noscript><b class=noise>n</b><noscript>">` + evil + "</noscript><p>b",
		"value behind a noscript":        `<p>a<noscript><p title="</noscript><b class=noise>k</b>` + frame + `<i title=">"></i><p>b`,
		"quote behind a noscript":        `<p>a<noscript><p title="</noscript><b class=noise>n"></b><p id=">` + frame + `">b`,
		"comment behind a noscript":      `<p>a<noscript><!--</noscript><b class=noise title="--><p id='">n</b>-->` + frame + "'><p>b",
		"textarea behind a noscript":     `<p>a<noscript><textarea></noscript><b class=noise title="</textarea><p id='">n</b></textarea>` + frame + "'><p>b",
		"xmp in svg in a noscript":       `<p>a<noscript><svg><xmp><p title="</xmp></svg></noscript><b class=noise>k</b>` + frame + `<i title=">"></i><p>b`,
		"style in svg in a noscript":     "<p>a<noscript><svg><style><!--</style></svg></noscript><b class=noise title='--><p id=\"'>n</b>-->" + frame + `"><p>b`,
		"noscript in a noscript":         "<p>a<noscript><noscript><!--</noscript><b class=noise title='--><p id=\"'>n</b>-->" + frame + `"><p>b`,
		"select in a noscript":           `<p>a<noscript><select><textarea></select></noscript><b class=noise title="</textarea><p id='">n</b></textarea>` + frame + "'><p>b",
		"style in a select":              "<p>a<select class=noise><option>n</select><select><style></select>" + evil + "</style><p>b",
		"foreign in a select":            "<p>a<select class=noise><option>n</select><select><option><svg><style></select>" + evil + "</style></svg><p>b",
		"object in a select":             "<p>a<select class=noise><option><object data=evil></object>n</select><select><span><object data=evil></select><p>b",
		"html in svg in a noscript":      `<p>a<noscript><svg><foreignObject><p title="</noscript><b class=noise>k</b>` + frame + `<i title=">"></i></svg><p>b`,
		"paragraph in svg in a noscript": `<p>a<noscript><svg><p><textarea></svg></noscript><b class=noise title="</textarea><p id='">n</b></textarea>` + frame + "'><p>b",
		"title in svg in a noscript":     `<p>a<noscript><svg><title><p title="</title></svg></noscript><b class=noise>k</b>` + frame + `<i title=">"></i><p>b`,
		"escaped script in a noscript":   `<p>a<noscript><script><!--< <script></script></noscript><b class=noise title="</script><p id='">n</b></script>` + frame + "'><p>b",
		"object open in a select":        "<p>a<select class=noise><option><object data=x></select><p>k<embed src=evil></object><p>b",
		"svg left open in a noscript":    `<p>a<noscript><svg><path></noscript><b class=noise>k</b><style><!--</style>` + frame + `--></style><p>b`,
		"quote in a cut":                 `<p>a<b class=noise>n<i title="x></b>` + evil + `"></i><p>b`,
		"cdata":                          "<p>a<svg><g class=noise><![CDATA[</g></svg>" + evil + "]]></g></svg><p>b",
		"annotation":                     `<p>a<math><annotation-xml encoding=text/html><div class=noise></math><style></annotation-xml>` + evil + "</style></div></math><p>b",
		"text runs into a tag":           "<p>a<<b class=noise>n</b>script>evil()<<b class=noise>n</b>/script><p>b",
		"text runs into an attribute":    "<p>a<<b class=noise>n</b>img src=x onerror=evil()><p>b",
		"shadow root":                    "<p>a<div class=noise><template shadowrootmode=open>" + evil + "<div></template>n</div><p>b",
		"plaintext":                      "<p>a<div class=noise><plaintext></div>" + evil,
		"xmp":                            "<p>a<xmp class=noise>" + evil + "</xmp>x</xmp>" + evil + "<p>b",
		"handler in a clone":             "<p>a<p class=noise><b onclick=evil()>n<p class=noise>x</b><p>b",
	}
}

func TestNothingComesToLife(t *testing.T) {
	for name, src := range traps() {
		t.Run(name, func(t *testing.T) {
			p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
			newInert(p).stays(t, pagetest.MarkNoise(p))
		})
	}
}

// A flag for longer runs:
//
//	go test ./model/page -run TestNothingComesToLifeInMixtures -live.outputs 10000000 -timeout 0 -v
var liveOutputs = flag.Int("live.outputs", 10_000, "how many outputs of mixtures are looked at") //nolint:gochecknoglobals // a flag of go test

// Outputs of mixtures of the parts of traps and of malformed pages.
func TestNothingComesToLifeInMixtures(t *testing.T) {
	draw, parts := pagetest.Xorshift(20), trapParts()
	const often = 500_000
	looked, pages := 0, 0
	for ; looked < *liveOutputs && !t.Failed(); pages++ {
		p, err := page.Parse([]byte(mixture(draw, parts)), "text/html; charset=utf-8")
		if err != nil {
			continue
		}
		i, before, markings := newInert(p), looked, 8
		if p.Fragile() != 0 {
			markings = 1 // all of them are refused
		}
		for range markings {
			looked += i.stays(t, pagetest.RandomMarking(p, draw))
		}
		if looked/often > before/often {
			t.Logf("%d outputs of %d pages", looked, pages)
		}
	}
	t.Logf("%d outputs of %d pages", looked, pages)
}

// trapParts are the parts of mixtures.
func trapParts() (parts []string) {
	for _, pages := range []map[string]string{traps(), pagetest.Malformed()} {
		for _, name := range slices.Sorted(maps.Keys(pages)) {
			parts = append(parts, strings.SplitAfter(pages[name], ">")...)
		}
	}
	return parts
}

// mixture draws a page made of parts.
func mixture(draw func(int) int, parts []string) string {
	src := "<p>a"
	for range 4 + draw(20) {
		src += parts[draw(len(parts))]
	}
	return src
}

// The check by itself, without the cutter, whose output may be right by chance.
func TestCheckLive(t *testing.T) {
	for _, c := range []struct {
		src, out string
		safe     bool
	}{
		{"<p>a<script>x()</script><p>b", "<p>a<script>x()</script>", true},
		{"<p>a<script>x()</script><p>b", "<p>a", true},
		{"<p>a<template><script>x()</script></template>", "<p>a<script>x()</script>", false},
		{"<p>a<textarea><img src=x onerror=x()></textarea>", "<p>a<img src=x onerror=x()>", false},
		{"<p>a<!--<a href='javascript:x()'>-->", "<p>a<a href='javascript:x()'>", false},
		{"<p>a<!--<a href=' java\nscript:x()'>-->", "<p>a<a href=' java\nscript:x()'>", false},
		{"<p>a<xmp><iframe src=//x></iframe></xmp>", "<p>a<iframe src=//x></iframe>", false},
		{"<p>a<title><base href=//x></title>", "<p>a<base href=//x>", false},
		{"<p>a<script src=a></script><script>b</script>", "<p>a<script src=b></script>", false},
		{"<p onclick=a()>a", "<p onclick=b()>a", false},
		{"<p>a<p>b", "<p>a<frameset>", false},
		{"<p>a<p>b", "<p>a<style>", false},
	} {
		p := pagetest.MustParse(t, []byte(c.src), "text/html; charset=utf-8")
		if err := active.Check(p, []byte(c.out), active.Own{}); (err == nil) != c.safe {
			t.Errorf("%q from %q: %v", c.out, c.src, err)
		}
	}
}

// What the check of tags lets through, the check of trees does too, also for outputs that no writer would make.
func TestTagCheckAgreesWithTreeCheck(t *testing.T) {
	draw, parts := pagetest.Xorshift(7), append(trapParts(), "<svg>", "</svg>", "<select>", "</select>", "<template>", "</template>", "<option>", "<table>",
		"<td>", "<b>", "</b>", "<a>", "</a>", "<div>", "</div>", "<g>", "</g>", "<title>", "</title>", "<style>", "</style>", "<colgroup>", "<caption>")
	passed := 0
	for range 20_000 {
		src, out := mixture(draw, parts), mixture(draw, parts)
		if draw(2) == 0 {
			out = src
		}
		p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
		if err == nil && active.ChecksAgree(t, p, out) {
			passed++
		}
	}
	if passed < 100 {
		t.Errorf("only %d outputs pass the check of tags", passed)
	}
}

func FuzzTagCheck(f *testing.F) {
	for _, src := range slices.Concat(slices.Collect(maps.Values(traps())), slices.Collect(maps.Values(pagetest.Malformed()))) {
		f.Add([]byte(src), src)
	}
	f.Fuzz(func(t *testing.T, src []byte, out string) {
		if p, err := page.Parse(src, "text/html; charset=utf-8"); err == nil {
			active.ChecksAgree(t, p, out)
		}
	})
}

func FuzzLive(f *testing.F) {
	for _, src := range slices.Concat(slices.Collect(maps.Values(traps())), slices.Collect(maps.Values(pagetest.Malformed()))) {
		f.Add([]byte(src), int64(3))
	}
	f.Fuzz(func(t *testing.T, src []byte, seed int64) {
		p, err := page.Parse(src, "text/html; charset=utf-8")
		if err == nil {
			newInert(p).stays(t, pagetest.RandomMarking(p, pagetest.Xorshift(uint64(seed))))
		}
	})
}

// What mode auto adds needs no tree: the bar with its template, and attributes.
func TestOutputsPassByTheirTags(t *testing.T) {
	p := pagetest.MustParse(t, []byte(`<title>a</title><body><svg><path d=x /></svg><nav class=noise onclick="a()">n</nav><script src=a.js></script><p>b</body>`),
		"text/html; charset=utf-8")
	out, err := write.Form{Mode: page.ModeAuto, Bar: "https://winnow.example/?a&b"}.Write(p, pagetest.MarkNoise(p))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out.Body), "<winnow-bar") || !active.PassesTags(p, string(out.Body)) {
		t.Errorf("the tags of %s do not suffice", out.Body)
	}
}

// TestCommonPagesAreNotFragile: what shops and forums have on every page is no reason to pass it.
func TestCommonPagesAreNotFragile(t *testing.T) {
	for name, part := range map[string]string{
		"drawing in a noscript": `<noscript><div><svg viewBox="0 0 9 9"><title>A cart</title><path d="M1 1"/><g><circle r=2></circle></g></svg></div></noscript>`,
		"prices in a select":    "<select><option>12 <span class=price><b>9</b> EUR</span></option></select>",
		"script writes scripts": `<script><!--` + "\n" + `document.write('<script src="x.js"></scr'+'ipt>'); //--></script>`,
		"script ends a script":  `<script><!--` + "\n" + `document.write("<script src='x.js'></script>"); //--></script>`,
	} {
		p, err := page.Parse([]byte("<p>a<b class=noise>n</b>"+part+"<p>b"), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := write.Page(p, pagetest.MarkNoise(p), page.ModeRemove); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
