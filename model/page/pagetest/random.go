package pagetest

import (
	"fmt"
	"regexp"
	"strings"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/page"
)

// RandomMarking marks elements and runs of blocks at random, disjoint and in document order, with matching verdicts.
func RandomMarking(p *page.Page, draw func(n int) int) *page.Marking {
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
	rate := 2 + draw(8)
	for e := max(p.Body, 0); int(e) < len(p.Elements); {
		el := &p.Elements[e]
		if e <= p.Body || draw(rate) != 0 || el.Tag == 0 && draw(2) == 0 {
			if b, ok := looseBlock(p, e); ok && draw(rate) == 0 {
				m.Marks = append(m.Marks, page.Mark{Element: page.None, BlockStart: b, BlockEnd: b + 1, Kind: page.KindOther})
				m.Verdicts[b] = page.Verdict{Noise: true, Score: 1}
			}
			e++
			continue
		}
		m.Marks = append(m.Marks, page.Mark{Element: e, BlockStart: el.BlockStart, BlockEnd: el.BlockEnd, Kind: page.Kind(1 + draw(14)), Score: 1})
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			m.Verdicts[b] = page.Verdict{Noise: true, Score: 1}
		}
		e = el.Sub
	}
	return m
}

// looseBlock returns a block directly in e, without anything inside that could be marked.
func looseBlock(p *page.Page, e page.ElementID) (page.BlockID, bool) {
	el := &p.Elements[e]
	for b := el.BlockStart; b < el.BlockEnd; b++ {
		bl := p.Blocks[b]
		loose := bl.Element == e && bl.TextEnd-bl.TextStart == 1 && p.Texts[bl.TextStart].Parent == e
		if loose && (el.BlockEnd-el.BlockStart > 1) && el.TextEnd-el.TextStart > 1 {
			return b, true
		}
	}
	return page.None, false
}

// WellFormed draws an HTML fragment in which everything is closed and nested as the standard requires.
func WellFormed(t *rapid.T) string {
	var b strings.Builder
	n := 0
	text := func() { n++; fmt.Fprintf(&b, " w%d ", n) }
	var flow func(depth int)
	phrase := func() {
		switch rapid.IntRange(0, 5).Draw(t, "phrase") {
		case 0:
			b.WriteString(`<a href="/x?a=1&amp;b=2">`)
			text()
			b.WriteString("</a>")
		case 1:
			b.WriteString("<em>")
			text()
			b.WriteString("</em>")
		case 2:
			b.WriteString(`<img src="a.png" alt="x">`)
		case 3:
			b.WriteString("<!-- > comment -->")
		default:
			text()
		}
	}
	flow = func(depth int) {
		for range rapid.IntRange(1, 4).Draw(t, "siblings") {
			kind := rapid.IntRange(0, 9).Draw(t, "flow")
			switch {
			case kind <= 2 || depth == 0:
				phrase()
			case kind == 3:
				b.WriteString("<p>")
				phrase()
				phrase()
				b.WriteString("</p>")
			case kind == 4:
				b.WriteString("<ul>")
				for range 2 {
					b.WriteString("<li>")
					flow(depth - 1)
					b.WriteString("</li>")
				}
				b.WriteString("</ul>")
			case kind == 5:
				b.WriteString("<table><tbody>")
				for range 2 {
					b.WriteString("<tr><td>")
					flow(depth - 1)
					b.WriteString("</td><td>")
					text()
					b.WriteString("</td></tr>")
				}
				b.WriteString("</tbody></table>")
			case kind == 6:
				b.WriteString("<script>if (a<b) document.write('</p>')</script>")
			case kind == 7:
				b.WriteString("<h2>")
				phrase()
				b.WriteString("</h2>")
			default:
				b.WriteString(`<div class="c">`)
				flow(depth - 1)
				b.WriteString("</div>")
			}
		}
	}
	flow(3)
	return "<!DOCTYPE html><html><head><title>t</title></head><body>" + b.String() + "</body></html>"
}

// Implied draws HTML without the end tags that the standard lets authors omit. Other elements are closed.
func Implied(t *rapid.T) string {
	src := WellFormed(t)
	optional := regexp.MustCompile(`</(p|li|td|tr|tbody|body|html)>`)
	return optional.ReplaceAllStringFunc(src, func(tag string) string {
		if rapid.Bool().Draw(t, "leave out") {
			return ""
		}
		return tag
	})
}

// Soup draws tags and texts without any order.
func Soup(t *rapid.T) string {
	parts := []string{"<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<a href=x>", "</a>", "<table>", "</table>", "<tr>", "<td>",
		"</td>", "<ul>", "<li>", "</ul>", "<i>", "</i>", "<br>", "<h1>", "</h1>", "<span>", "</span>", "<!-- c -->", "<font size=1>",
		"<script>x<y</script>", "<style>p{}</style>", "<svg><style>x</style><path/></svg>", "&amp;", "&am", "p;", "<", " ", "é", "<b",
		"<form>", "</form>", "<th>", "<caption>", "<select><option>", "</select>", "<button>", "<textarea>", "</textarea>"}
	var b strings.Builder
	for i, n := range rapid.SliceOfN(rapid.IntRange(0, 2*len(parts)-1), 0, 40).Draw(t, "soup") {
		if n < len(parts) {
			b.WriteString(parts[n])
		} else {
			fmt.Fprintf(&b, " w%d ", i)
		}
	}
	return b.String()
}

// Drawer draws numbers below n.
func Drawer(t *rapid.T) func(n int) int {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "mark") }
}

// Xorshift draws pseudorandom numbers for a fuzz target, which must be reproducible.
func Xorshift(s uint64) func(n int) int {
	s |= 1
	return func(n int) int {
		s ^= s << 13
		s ^= s >> 7
		s ^= s << 17
		return int(s % uint64(n))
	}
}

// Malformed are pages that browsers repair in different ways.
func Malformed() map[string]string {
	return map[string]string{
		"plain":              "<!doctype html><html><head><title>a &amp; b</title></head><body><p>one<p>two</body></html>",
		"no html":            "just text <b>bold</b>",
		"foster parented":    "<table>stray<tr><td>cell</td></tr>&#32;<p>moved</table>after",
		"implied tbody":      "<table><tr><td>a<td>b<tr><td>c</table>",
		"adoption agency":    "<p>1<b>2<i>3</b>4</i>5</p><b><p>x</b>y</p>",
		"reconstructed":      "<div><font color=red><p>a<p>b</div><p>c",
		"comment then space": "<p>one</p><script></script></body><!-- end -->\n</html>\n",
		"comment in a link":  "<a href=/>one</body><!-- end --> ",
		"space by number":    "&#32l&#x20;&#x9m",
		"entities in text":   "<p>&lt;not a tag&gt; &nbsp; &copy;</p>",
		"raw text":           "<script>if (a<b) '<p>';</script><style>p>a{}</style><textarea><b></textarea><noscript><p>n</p></noscript>",
		"svg":                `<p>a<svg viewBox="0 0 1 1"><title>t</title><style>x<y</style><g/><path/></svg>b<math><mi>x</mi></math>`,
		"cdata":              "<svg><![CDATA[ <b>x</b> ]]></svg>tail",
		"select":             "<select><option>a<option>b<p>c</select>d",
		"second body":        "<body class=a><p>x<body class=b id=c><p>y",
		"frameset":           "<frameset cols=1><frame src=a><noframes>n</noframes></frameset>",
		"late head":          "<p>x<title>late</title><link rel=a>",
		"pre newline":        "<pre>\n\nx</pre><textarea>\ny</textarea>",
		"nul bytes":          "<p>a\x00b</p>\x00<table>\x00<tr><td>x",
		"comments":           "a<!-- x > y -->b<!--->c<?php ?>d</>e",
		"unfinished tag":     "<p>a<b class=",
		"quotes":             `<a href="a>b" title='c"d' x=y/z>t</a><br/><img src=a/>`,
		"template":           "<template><p>in</p></template>out",
		"mark in page":       "<p winnow-at=5>\uFDD07\uFDD1x</p>",
		"own attribute":      "<p winnow-at=5 winnow-at=6>x</p><p winnow-at>y",
		"stray ends":         "</p></div>a</b></table><li>b</ul>c",
		"nested forms":       "<form><form><input></form>x</form>y",
		"body after body":    "<body>a</body></html><!-- c -->b",
		"leading space":      " \n<p> a </p> \n",
		"heading in button":  "<button><h1>a<button>b</h1>",
		"empty":              "",
	}
}
