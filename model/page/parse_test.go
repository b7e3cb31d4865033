package page_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// outline renders a tree of x/net/html as one string: tags, attributes and joined texts, in document order.
func outline(n *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch n.Type {
		case html.ElementNode:
			b.WriteString("<" + n.Data)
			for _, a := range n.Attr {
				b.WriteString(" " + strings.TrimPrefix(a.Namespace+":"+a.Key, ":") + "=" + a.Val)
			}
			b.WriteString(">")
		case html.TextNode:
			b.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if n.Type == html.ElementNode {
			b.WriteString("</" + n.Data + ">")
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			walk(c)
		}
	}
	return b.String()
}

// pageOutline renders a Page in the same way.
func pageOutline(p *page.Page) string {
	var b strings.Builder
	var walk func(e page.ElementID)
	walk = func(e page.ElementID) {
		el := &p.Elements[e]
		b.WriteString("<" + el.Name)
		for _, a := range p.Attrs(e) {
			b.WriteString(" " + a.Key + "=" + a.Val)
		}
		b.WriteString(">")
		next := el.TextStart
		for c := range p.Children(e) {
			for ; next < p.Elements[c].TextStart; next++ {
				b.WriteString(p.Texts[next].Data)
			}
			walk(c)
			next = p.Elements[c].TextEnd
		}
		for ; next < el.TextEnd; next++ {
			b.WriteString(p.Texts[next].Data)
		}
		b.WriteString("</" + el.Name + ">")
	}
	if len(p.Elements) > 0 {
		walk(0)
	}
	return b.String()
}

func TestParseMakesTheParsersTree(t *testing.T) {
	for name, src := range pagetest.Malformed() {
		t.Run(name, func(t *testing.T) { sameTree(t, []byte(src)) })
	}
}

// sameTree fails unless Parse gives the same tree as x/net/html, and spans with the right contents.
func sameTree(t *testing.T, src []byte) {
	t.Helper()
	p, err := page.Parse(src, "text/html; charset=utf-8")
	if err != nil {
		if _, alone := html.Parse(bytes.NewReader(src)); alone == nil && !errors.Is(err, page.ErrTooMany) {
			t.Fatalf("Parse: %v, but x/net/html reads the page", err)
		}
		return
	}
	doc, err := html.Parse(bytes.NewReader(p.UTF8()))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := pageOutline(p), outline(doc); got != want {
		t.Errorf("tree differs\n got %q\nwant %q", got, want)
	}
	checkSpans(t, p)
}

// checkSpans fails if a span contradicts the tree: start tags that are none, outer spans that do not nest.
func checkSpans(t *testing.T, p *page.Page) {
	t.Helper()
	for e := range p.Elements {
		el := &p.Elements[e]
		if s := el.StartTag; s.Known() {
			tag := strings.ToLower(string(p.Source[s.Start:s.End]))
			if !strings.HasPrefix(tag, "<") || !strings.HasSuffix(tag, ">") {
				t.Errorf("start tag of %s is %q", el.Name, tag)
			}
		}
		if !el.Outer.Known() {
			continue
		}
		for d := page.ElementID(e) + 1; d < el.Sub; d++ {
			if o := p.Elements[d].Outer; o.End > el.Outer.End {
				t.Errorf("%s at %v ends behind its ancestor %s at %v", p.Elements[d].Name, o, el.Name, el.Outer)
			}
			if o := p.Elements[d].StartTag; o.Known() && (o.Start < el.Outer.Start || o.End > el.Outer.End) {
				t.Errorf("%s at %v lies outside of its ancestor %s at %v", p.Elements[d].Name, o, el.Name, el.Outer)
			}
		}
	}
}

func TestParsePlaces(t *testing.T) {
	src := `<html><body><div id=a>one <b>two</b></div><p>three<p>four</body></html>`
	p, err := page.Parse([]byte(src), "")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"div": `<div id=a>one <b>two</b></div>`, "b": "<b>two</b>", "p": "<p>four"}
	got := map[string]string{}
	for _, e := range p.Elements {
		if _, ok := want[e.Name]; ok {
			got[e.Name] = src[e.Outer.Start:e.Outer.End]
		}
	}
	for name, s := range want {
		if got[name] != s {
			t.Errorf("%s stands at %q, want %q", name, got[name], s)
		}
	}
}

func TestParseRefusesDeepPages(t *testing.T) {
	_, err := page.Parse([]byte(strings.Repeat("<div>", 100_000)), "")
	if !errors.Is(err, page.ErrTooDeep) {
		t.Fatalf("100,000 open elements: %v, want ErrTooDeep", err)
	}
}

func TestBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want []string
	}{
		"inline flows":   {"<p>a <b>b</b> <a href=x>c</a></p>", []string{"a b c"}},
		"mixed":          {"<div>a<p>b</p>c</div>", []string{"a", "b", "c"}},
		"one br":         {"<p>a<br>b</p>", []string{"ab"}},
		"two br":         {"<p>a<br> <br>b</p>", []string{"a", "b"}},
		"hidden":         {"<p hidden>a</p><script>b</script><noscript>c</noscript><p>d", []string{"d"}},
		"list and table": {"<ul><li>a<li>b</ul><table><tr><td>c<td>d</table>", []string{"a", "b", "c", "d"}},
		"script inside":  {"<p>a<script>x()</script>b<style>y</style></p>", []string{"ab"}},
		"title":          {"<title>t</title><h1>h</h1>", []string{"h"}},
	} {
		p, err := page.Parse([]byte(c.src), "")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range p.Blocks {
			var s string
			for _, x := range p.Texts[b.TextStart:b.TextEnd] {
				if x.Block != page.None {
					s += x.Data
				}
			}
			got = append(got, s)
			if !p.Contains(b.Element, p.Texts[b.TextStart].Parent) {
				t.Errorf("%s: block %q is not in its element", name, s)
			}
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: blocks %q, want %q", name, got, c.want)
		}
	}
}

func TestCharsets(t *testing.T) {
	late := "<html><head>" + strings.Repeat("<!-- filler -->", 100) + `<meta charset="gbk"></head><body>`
	for name, c := range map[string]struct{ src, contentType, charset, want string }{
		"header":         {"<p>\xc4\xe3\xba\xc3", "text/html; charset=gb2312", "gbk", "你好"},
		"header first":   {"<meta charset=koi8-r><p>\xe9", "text/html; charset=iso-8859-1", "windows-1252", "é"},
		"late meta":      {late + "\xc4\xe3\xba\xc3", "", "gbk", "你好"},
		"http-equiv":     {`<meta http-equiv="Content-Type" content="text/html; charset=shift_jis"><p>` + "\x83\x65\x83\x58\x83\x67", "", "shift_jis", "テスト"},
		"bom":            {"\xef\xbb\xbf<meta charset=gbk><p>é", "", "utf-8", "é"},
		"utf-16":         {"\xff\xfe<\x00p\x00>\x00\xe9\x00", "", "utf-16le", "é"},
		"meta utf-16":    {"<meta charset=utf-16><p>é", "", "utf-8", "é"},
		"euc-kr":         {"<p>\xbe\xc8\xb3\xe7", "text/html; charset=euc-kr", "euc-kr", "안녕"},
		"windows-1251":   {"<p>\xef\xf0\xe8\xe2\xe5\xf2", "text/html; charset=windows-1251", "windows-1251", "привет"},
		"nothing, utf-8": {"<p>naïve", "", "utf-8", "naïve"},
		"nothing, latin": {"<p>na\xefve caf\xe9 d\xe9j\xe0 vu, o\xf9 \xeates-vous all\xe9s cet \xe9t\xe9?", "", "windows-1252", "naïve café déjà vu, où êtes-vous allés cet été?"},
		"declared latin": {"<meta charset=iso-8859-1><p>d\u00e9j\u00e0 \u00e9t\u00e9", "text/html; charset=windows-1252", "utf-8", "d\u00e9j\u00e0 \u00e9t\u00e9"},
		"stray bytes":    {"<meta charset=utf-8><p>\u00e9t\u00e9 and \x93caf\xe9 noir\x94 \xe4\xbd<b>x</b>", "", "utf-8", "\u00e9t\u00e9 and “caf\u00e9 noir” \ufffdx"},
		"unknown label":  {"<meta charset=klingon><p>é", "text/html; charset=nope", "utf-8", "é"},
	} {
		p, err := page.Parse([]byte(c.src), c.contentType)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.Charset != c.charset {
			t.Errorf("%s: read as %s, want %s", name, p.Charset, c.charset)
		}
		var b strings.Builder
		for _, x := range p.Texts {
			b.WriteString(x.Data)
		}
		if got := strings.TrimSpace(b.String()); got != c.want {
			t.Errorf("%s: text %q, want %q", name, got, c.want)
		}
		checkSpans(t, p)
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range pagetest.Malformed() {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) { sameTree(t, src) })
}

func TestParseCorpus(t *testing.T) {
	for _, file := range pagetest.CorpusPages(t, 3) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := page.Parse(src, "")
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		doc, err := html.Parse(bytes.NewReader(p.UTF8()))
		if err != nil {
			t.Fatal(err)
		}
		if pageOutline(p) != outline(doc) {
			a, b := pageOutline(p), outline(doc)
			i := 0
			for i < min(len(a), len(b)) && a[i] == b[i] {
				i++
			}
			t.Errorf("%s: tree differs from the parser's: %.90q, want %.90q", file, a[max(0, i-50):], b[max(0, i-50):])
		}
		checkSpans(t, p)
	}
}

// A page may have any contents, also those that a parser might use internally, and is still cleaned.
func TestNoTextSwitchesCleaningOff(t *testing.T) {
	for _, src := range []string{"<p winnow-at=1>a</p>", "<!-- winnow-at --><p>a</p>", "<p>\uFDD0a\uFDD1</p>", "<p>&#xFDD0;a&#64977;</p>"} {
		p := pagetest.MustParse(t, []byte(src+"<p class=noise>n</p>"), "")
		out, err := write.Page(p, pagetest.MarkNoise(p), page.ModeRemove)
		if err != nil || string(out.Body) != src {
			t.Errorf("without its noise %q is %q (%v)", src, out.Body, err)
		}
	}
}

func TestParseBoundsItsCost(t *testing.T) {
	var fonts, bodies strings.Builder
	for i := range 400 {
		fmt.Fprintf(&fonts, "<font size=%d>", i)
	}
	for i := range 20_000 {
		fmt.Fprintf(&bodies, "<body a%d=1>", i)
	}
	for name, src := range map[string]string{
		"reopened fonts": "<p>" + fonts.String() + strings.Repeat("<p>x", 20_000),
		"merged bodies":  bodies.String(),
		"short items":    strings.Repeat("<dt>a<dd>b", 100_000),
		"paragraphs":     strings.Repeat("<p>x", 200_000),
		"stray ends":     strings.Repeat("</x>", 700_000),
		"attributes":     "<p" + strings.Repeat(" a", 10) + strings.Repeat("><p a b c d e", 130_000),
	} {
		if _, err := page.Parse([]byte(src), ""); !errors.Is(err, page.ErrTooMany) {
			t.Errorf("%s: %v, want ErrTooMany", name, err)
		}
	}
	for name, src := range map[string]string{
		"closed fonts":        strings.Repeat("<p><font size=2><b>x</b></font>", 8_000),
		"cells without ends":  "<table>" + strings.Repeat("<tr><td>x<td>y", 8_000),
		"fonts open in cells": "<table>" + strings.Repeat("<tr><td><font size=2>x<td>y", 8_000),
		"table after table":   strings.Repeat("<table><tr><td><font size=2>x</table>", 8_000),
		"fonts around tables": strings.Repeat("<font size=1><table><tr><td>x</table></font>", 8_000),
		"one font left open":  "<font size=2>" + strings.Repeat("<p>x", 8_000),
	} {
		if _, err := page.Parse([]byte(src), ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseStopsWhenGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := page.ParseContext(ctx, []byte(strings.Repeat("<p>x", 10_000)), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}
