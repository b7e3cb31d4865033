package write_test

import (
	"regexp"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// rawInMarkdown finds text that Markdown reads as HTML (CommonMark §6.6), or as a link that runs.
var rawInMarkdown = regexp.MustCompile(`(?i)<[a-z/!?]|[^\\]\]\(\s*<?\s*javascript:|(?m:^\s{0,3}\[[^\]]*\]:\s*javascript:)`)

// Text of a page that looks like Markdown or HTML stays text.
func TestTextStaysTextInMarkdown(t *testing.T) {
	const tag, link = "&lt;img src=x onerror=alert(1)&gt;", "[click](javascript:alert(1))"
	for name, src := range map[string]string{
		"tag":                "<p>a " + tag,
		"tag in a formula":   `<p>a \(` + tag + `\) b`,
		"tag in dollars":     "<p>a $$" + tag + "$$ b",
		"tag in brackets":    `<p>a \[x` + "\n\n" + tag + `\] b`,
		"tag in MathML":      "<p>a <math><mi>x</mi><annotation encoding=application/x-tex>" + tag + "</annotation></math> b",
		"tag in alttext":     `<p>a <math alttext="` + tag + `"><mi>x</mi></math> b`,
		"tag in code":        "<p>a <code>" + tag + "</code>",
		"link":               "<p>a " + link,
		"link in a formula":  `<p>a \(x$ ` + link + ` $y\) b`,
		"link in dollars":    "<p>a $$x$$ $$" + link + "$$",
		"definition":         "<p>a $$x\n\n[1]: javascript:alert(1)\n\n$$ <a href=/y>y</a>",
		"after a heading":    "<p>a $$x\n# h\n[1]: javascript:alert(1)\n$$ <a href=/y>y</a>",
		"fence in a formula": "<p>a $$x\n```\n\\\\ y$$ b",
		"link in an address": `<p><a href="http://x.test/)` + link + `)">y</a>`,
		"lines in an href":   `<p><a href="/y&#10;&#10;` + tag + `">y</a>`,
		"language":           "<pre><code class='language-a&#96;b'>" + tag + "\n" + tag + "</code></pre><p>a",
		"alternative text":   `<p>a <img src=/i.png alt="](javascript:alert(1)) ` + tag + `">`,
		"title":              `<p>a <a href=/y title="' ` + tag + ` ')">y</a>`,
		"cell":               "<table><tr><th>a<th>b<tr><td>" + tag + "<td>| \\(" + tag + "\\)</table>",
	} {
		t.Run(name, func(t *testing.T) {
			p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
			for _, f := range []write.Form{{Mode: page.ModeMarkdown}, {Mode: page.ModeMarkdown, Links: write.LinksFootnote}, {Mode: page.ModeMarkdown, Links: write.LinksFootnote, URL: "http://x.test/"}} {
				out, err := f.Write(p, pagetest.None(p))
				if err != nil {
					t.Fatal(err)
				}
				text := withoutInert(string(out.Body))
				if live := rawInMarkdown.FindString(text); live != "" {
					t.Errorf("links %s: %q is live in\n%s", f.Links, live, out.Body)
				}
			}
		})
	}
}

// withoutInert returns Markdown without its code and without escaped brackets.
func withoutInert(md string) string {
	for _, inert := range []string{"(?ms)^(```+)[^`\n]*\n.*?^```+$", "``[^\n]+?``|`[^`\n]+`", `\\\[[^\[\]]*\]`} {
		md = regexp.MustCompile(inert).ReplaceAllString(md, "")
	}
	return md
}
