//go:build unix && full && !race

package attack_test

import "strings"

// shape is a shape of page that may cost more than its length.
type shape struct {
	name string
	// once stands at the start of the page, and unit fills the rest. A third of the page is long, repeated where once has
	// a "@".
	once, unit, long string
}

// page returns a page of the shape, of n bytes or a few less.
func (s shape) page(n int) []byte {
	out := "<!DOCTYPE html><title>Log</title>" + s.once
	if s.long != "" {
		out = strings.Replace(out, "@", strings.Repeat(s.long, n/3/len(s.long)), 1)
	}
	if s.unit != "" {
		out += strings.Repeat(s.unit, max(1, (n-len(out))/len(s.unit)))
	}
	return []byte(out)
}

// sentence is a text that is content.
const sentence = "The tide came in again, and the boats were let in one by one, as had been told. "

// shapes are the shapes that have cost the most, and those that may.
func shapes() []shape {
	var all []shape
	for _, some := range [][]shape{nestedShapes(), attributeShapes(), listShapes(), addressShapes(), textShapes(), machineShapes()} {
		all = append(all, some...)
	}
	return all
}

// nestedShapes stand in each other, or in nothing.
func nestedShapes() []shape {
	return []shape{
		{name: "paragraphs", unit: "<p>x"},
		{name: "void elements", unit: "<br>"},
		{name: "closed elements", unit: "<i></i>"},
		{name: "open elements", unit: "<div>"},
		{name: "formatting", unit: "<b><i><u>"},
		{name: "formatting in paragraphs", unit: "<p><font size=1><font size=2>"},
		{name: "stray ends", unit: "</b></p></div>"},
		{name: "headings in buttons", unit: "<button><h1>"},
		{name: "quotations", once: strings.Repeat("<blockquote>", 400), unit: "<p>" + sentence},
		{name: "boxes around all text", once: strings.Repeat("<div>", 400), unit: sentence + "<br>"},
		{name: "inline boxes around all text", once: strings.Repeat("<span>", 400), unit: "<b>x</b> "},
		{name: "links around all text", once: strings.Repeat("<section>", 400), unit: "<a href=#x>y</a> "},
		{name: "deep and wide", unit: strings.Repeat("<div>", 100) + "x" + strings.Repeat("</div>", 100)},
		{name: "articles", unit: "<article><h2>x</h2><p>y</article>"},
		{name: "names", unit: "<aa><ab><ac><ad>"},
		{name: "selects", unit: "<select><option>"},
		{name: "bodies", unit: "<body a><body b>"},
	}
}

// attributeShapes have much in their tags.
func attributeShapes() []shape {
	return []shape{
		{name: "attributes of one tag", once: "<p ", unit: "a=1 "},
		{name: "different attributes of one tag", once: "<p " + manyNames(" ", "=1"), unit: ">x<p "},
		{name: "attributes of many tags", unit: "<p a b c d e f g h i j>"},
		{name: "one long attribute", once: `<p title="`, unit: "x"},
		{name: "long attributes", unit: `<p title="` + strings.Repeat("word ", 400) + `">x`},
		{name: "classes", once: `<div class="`, unit: "a b-c "},
		{name: "a class list that all have", once: "", unit: `<p class="` + manyNames("c", " ") + `">x`},
		{name: "identifiers", unit: "<p id=a>x<p id=b>y"},
		{name: "places and links to them", unit: `<a name=a href="#a">x</a> `},
		{name: "styles", unit: `<p style="color:red;text-align:center;float:left">x`},
		{name: "a long style", once: `<p style="@">`, unit: "<p>" + sentence, long: "display:block;"},
		{name: "handlers", unit: `<p onclick="document.getElementById('x')">x`},
		{name: "labels of winnow", unit: `<p data-winnow=noise>x`},
		{name: "microdata", unit: `<p itemscope itemtype="https://schema.org/Article" itemprop=author>x`},
	}
}

// listShapes are lists and tables.
func listShapes() []shape {
	return []shape{
		{name: "definitions", unit: "<dt>a<dd>b"},
		{name: "list items", once: "<ul>", unit: "<li>a"},
		{name: "numbered items", once: "<ol>", unit: "<li value=1>a"},
		{name: "lists in lists", once: strings.Repeat("<ul><li>", 200), unit: "<li>" + sentence},
		{name: "tasks", once: "<ul>", unit: "<li><input type=checkbox>a"},
		{name: "cells", once: "<table>", unit: "<tr><td>x<td>y"},
		{name: "cells of one row", once: "<table><tr>", unit: "<td>x"},
		{name: "cells over many", once: "<table>", unit: "<tr><td colspan=1000 rowspan=1000>" + sentence},
		{name: "tables in tables", once: strings.Repeat("<table><tr><td>", 150), unit: "<p>" + sentence},
		{name: "tables", unit: "<table><tr><td>x</table>"},
		{name: "foster parenting", once: "<table>", unit: "<b>x"},
		{name: "layout tables", unit: "<table><tr><td><table><tr><td>x</table></table>"},
		{name: "figures", unit: "<figure><img src=x.png alt=y><figcaption>z</figcaption></figure>"},
		{name: "controls", once: "<form>", unit: "<input name=a value=b><select><option>c</select>"},
		{name: "disclosures", unit: "<details><summary>x</summary>y</details>"},
	}
}

// addressShapes have addresses: links, pictures, frames, and where they start.
func addressShapes() []shape {
	deep := strings.Repeat("x/", 2000)
	return []shape{
		{name: "links", unit: "<a href=x>y"},
		{name: "closed links", unit: "<p><a href=/x>" + "y</a>"},
		{name: "links in text", unit: "<p>" + sentence + "<a href=x>y</a>"},
		{name: "a base address of a third", once: `<base href="http://a.test/@">`, unit: "<p><a href=y>" + sentence + "</a>", long: "x/"},
		{name: "a base address of a third, never written", once: `<base href="http://a.test/@">`, unit: "<a href=/y>z</a> ", long: "x/"},
		{name: "a base address of 4 kB", once: `<base href="http://a.test/` + deep + `">`, unit: "<a href=/y>z</a> "},
		{name: "a base address with escapes", once: `<base href="http://a.test/` + strings.Repeat("%20", 1300) + `">`, unit: "<a href=y>z</a> "},
		{name: "steps up", once: `<base href="http://a.test/` + deep + `">`, unit: `<a href="` + strings.Repeat("../", 1000) + `">z</a> `},
		{name: "steps up one long address", once: `<a href="@">z</a>` + sentence, long: "x/../"},
		{name: "long addresses with steps up", unit: `<a href="` + strings.Repeat("x/", 8000) + strings.Repeat("../", 8000) + `">z</a> `},
		{name: "pictures", unit: "<img src=x.png>"},
		{name: "sets of pictures", unit: `<img srcset="` + strings.Repeat("a.png 1x, ", 50) + `">`},
		{name: "a long set of pictures", once: `<img src=x.png srcset="@">`, unit: "<p>" + sentence, long: "a.png 1x, "},
		{name: "sources of a picture", once: "<picture>", unit: "<source srcset=a.png><img data-x=y>"},
		{name: "sources without pictures", once: "<picture>", unit: "<source><img>"},
		{name: "films in films", once: strings.Repeat("<video>", 400), unit: "<source>"},
		{name: "frames", unit: "<iframe src=http://a.test/x></iframe>"},
		{name: "sources of a film", once: "<video>", unit: "<source src=>"},
		{name: "films", unit: "<video><source src=x></video>"},
		{name: "scripts in files", unit: "<script src=x.js></script>"},
		{name: "canonical addresses", unit: "<link rel=canonical href=x>"},
	}
}

// textShapes are texts, and what stands for characters.
func textShapes() []shape {
	return []shape{
		{name: "words", once: "<p>", unit: sentence},
		{name: "long paragraphs", unit: "<p>" + strings.Repeat(sentence, 30)},
		{name: "one word", once: "<p>", unit: "x"},
		{name: "spaces", once: "<p>", unit: " "},
		{name: "line breaks", once: "<pre>", unit: "\n"},
		{name: "spaces and letters", once: "<pre>", unit: " x\n"},
		{name: "references", once: "<p>", unit: "&amp;&lt;&#65;"},
		{name: "broken references", once: "<p>", unit: "&notit;&#x;&"},
		{name: "control characters", once: "<p>" + sentence, unit: "\x01"},
		{name: "zero bytes", once: "<p>" + sentence, unit: "a\x00"},
		{name: "combining characters", once: "<p>a", unit: "\u0301\u0327"},
		{name: "ideographs", once: "<p>", unit: "潮水"},
		{name: "marks of Markdown", once: "<p>", unit: "*_`[]()#"},
		{name: "brackets", once: "<p>", unit: "["},
		{name: "pipes in cells", once: "<table><tr><td>", unit: "|"},
		{name: "stars in emphasis", unit: "<em>*</em>"},
		{name: "backticks in code", once: "<code>", unit: "`"},
		{name: "code", unit: "<code>x</code> "},
		{name: "formulas", unit: "<math><mi>x</mi></math>"},
		{name: "second formulas", once: "<p><span>", unit: "<i aria-hidden=true>x</i>"},
		{name: "labels without text", once: strings.Repeat("<div class=ln>", 400), unit: "<script></script>"},
		{name: "line numbers", unit: "<i class=lineno>1</i>x "},
		{name: "a long formula", once: "<math>", unit: "<mfrac><mi>x</mi><mi>y</mi></mfrac>"},
		{name: "notes", unit: `<sup><a href="#fn1">1</a></sup><p id=fn1>x`},
		{name: "references to one long note", once: "<p id=n>@</p>", unit: "<a href=#n>1</a> ", long: "<a href=#q>x</a>"},
		{name: "references in one superscript", once: "<p id=n>x<a href=#r>^</a></p><p><sup id=r>", unit: "<a href=#n>1</a>"},
		{name: "notes of one list", once: "@<ol>", unit: "<li id=n>" + sentence + "<a href=#r>^</a>", long: "<a id=r href=#n>1</a>"},
		{name: "long headings", unit: "<h2>" + strings.Repeat(sentence, 20) + "</h2><p>x"},
		{name: "headings", unit: "<h1>a</h1><h2>b</h2>"},
		{name: "dates", unit: "<time>1 January 2020</time> "},
	}
}

// machineShapes have what people do not see.
func machineShapes() []shape {
	return []shape{
		{name: "comments", unit: "<!---->"},
		{name: "unclosed comments", unit: "<!--"},
		{name: "shapes of svg", once: "<svg>", unit: "<path/>"},
		{name: "names of svg", once: "<svg>", unit: "<g><a><p>"},
		{name: "templates", unit: "<template></template>"},
		{name: "open templates", unit: "<template>"},
		{name: "noscripts", unit: "<noscript><p></noscript>"},
		{name: "scripts", unit: "<script></script>"},
		{name: "a script", once: "<script>@</script>", unit: `<p class=a id=b>x`, long: `document.querySelector(".a");`},
		{name: "names in a script", once: "<script>", unit: `"a","b",`},
		{name: "escaped scripts", once: "<script>", unit: "<!--<script>"},
		{name: "linked data", once: `<script type="application/ld+json">@</script>`, unit: "<p>" + sentence, long: `[{"@type":"x"},`},
		{name: "many linked data", unit: `<script type="application/ld+json">{"@type":"NewsArticle","author":"x"}</script>`},
		{name: "metadata", unit: `<meta name=author content=x>`},
		{name: "a style sheet", once: "<style>@</style>", unit: "<p class=a>x", long: ".a{display:none}"},
		{name: "a style sheet of long selectors", once: "<style>@</style>", unit: "<p class=a>x", long: ".a .b>.c~.d:not(.e){display:none}"},
		{name: "style sheets", unit: "<style>.a{display:none}</style><p class=a>x"},
		{name: "hidden parts", unit: "<p hidden>x"},
	}
}

// manyNames returns 200 different sentence.
func manyNames(before, after string) string {
	var b strings.Builder
	for i := range 200 {
		b.WriteString(before + string(rune('a'+i%26)) + string(rune('a'+i/26)) + after)
	}
	return b.String()
}
