package write_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/metadata"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/page/write/content"
	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
	"github.com/winnow-proxy/winnow/model/page/write/simple"
)

func TestReaderDropsWhatRuns(t *testing.T) {
	src := `<base href="https://x.example/"><p onclick=x() style=y>a <a href=" java&#10;script:x()">b</a> <a href="JAVASCRIPT:x">c</a>
<a href=/d?e=1&f=2 target=_blank>d</a><script>x</script><img src="data:image/svg+xml,x" onerror=x><img src=x.png alt='"'>`
	p := pagetest.MustParse(t, []byte(src), "")
	out, err := write.Page(p, pagetest.None(p), page.ModeReader)
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(out.Body), "<main>\n")
	want := "<p>a b c <a href=\"https://x.example/d?e=1&amp;f=2\">d</a><img src=\"https://x.example/x.png\" alt=\"&#34;\"></p>\n</main>\n</body>\n</html>\n"
	if body != want {
		t.Errorf("body %s\nwant %s", body, want)
	}
	if !strings.Contains(string(out.Body), `<base href="https://x.example/">`) {
		t.Error("the base that relative links need is lost")
	}
}

func TestText(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"paragraphs":     {"<title>t</title><h1>a</h1><p>b <b>c</b>d</p><p class=noise>n</p>", "a\n\nb cd\n"},
		"line break":     {"<p>a<br>b</p>", "a\nb\n"},
		"boxes":          {"<div>a</div><div>b</div>c", "a\nb\nc\n"},
		"list":           {"<ul><li>a<li>b<ul><li>c</ul><li></ul><ol><li>d<li>e</ol>", "- a\n- b\n  - c\n1. d\n2. e\n"},
		"table":          {"<table><tr><th>a<th>b<tr><td>c<td><p>d</p><p>e</p></table>", "a\tb\nc\td e\n"},
		"layout table":   {"<table><tr><td><p>a</p><table><tr><td>b<td>c</table><td>d</table>", "a\n\nb\tc\n\nd\n"},
		"preformatted":   {"<p>a</p><pre>\n  x\n    y  z\n</pre>b", "a\n\n  x\n    y  z\n\nb\n"},
		"control":        {"<p>a<button>b</button>c", "a b c\n"},
		"no-break space": {"<p>a&nbsp;b", "a\u00a0b\n"},
		"nothing":        {"<p class=noise>n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := pagetest.MustParse(t, []byte(c.src), "")
			out, err := write.Page(p, pagetest.MarkNoise(p), page.ModeText)
			if err != nil {
				t.Fatal(err)
			}
			if string(out.Body) != c.want {
				t.Errorf("text %q, want %q", out.Body, c.want)
			}
		})
	}
}

func TestMarkdown(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"prose":    {"<h2>a</h2><p>b <em>c</em> <a href=/d>d</a></p>", "## a\n\nb *c* [d](/d)\n"},
		"table":    {"<table><tr><td>a<td>b<tr><td>c<td>d</table>", "| a | b |\n|---|---|\n| c | d |\n"},
		"code":     {"<pre><code class='hl language-go'>a := 1\n\n\nb</code></pre>", "```go\na := 1\n\n\nb\n```\n"},
		"list":     {"<ul><li>a<li>b</ul>", "- a\n- b\n"},
		"struck":   {"<p><strike>a</strike>", "~~a~~\n"},
		"nothing":  {"<p class=noise>n", ""},
		"escaping": {"<p>*a* &lt;b>", "\\*a* &lt;b&gt;\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := pagetest.MustParse(t, []byte(c.src), "")
			out, err := write.Page(p, pagetest.MarkNoise(p), page.ModeMarkdown)
			if err != nil {
				t.Fatal(err)
			}
			if string(out.Body) != c.want {
				t.Errorf("markdown %q, want %q", out.Body, c.want)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	src := "<html lang=de><title> T &amp; t</title><p>a <b>b</b><p class=noise id=nav>n<p class=noise id=ad>"
	p := pagetest.MustParse(t, []byte(src), "text/html; charset=windows-1252")
	out, err := write.Page(p, pagetest.MarkNoise(p), page.ModeJSON)
	if err != nil {
		t.Fatal(err)
	}
	var got jsondoc.Document
	if err := json.Unmarshal(out.Body, &got); err != nil {
		t.Fatal(err)
	}
	want := jsondoc.Document{Title: "T & t", Language: "de", Charset: "windows-1252", Kind: "article", Metadata: metadata.Metadata{Title: "T & t", Language: "de"}, Text: "a b\n", HTML: "<p>a <b>b</b></p>",
		Blocks: []jsondoc.Block{{Text: "a b", Kind: "content", Score: 0.125}, {Text: "n", Kind: "nav", Score: 0.75, Noise: true}},
		Links:  []jsondoc.Link{}, Template: []jsondoc.Removed{{Kind: "nav", Item: jsondoc.Item{Text: "n", Links: []jsondoc.Link{}}}},
		Removed: 1.0 / 3, Pages: 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// Removed and empty elements keep the words beside them separate.
func TestGapsStay(t *testing.T) {
	for src, want := range map[string]string{
		"a<p class=noise>n</p>b":    "a\n\nb\n",
		"a<div class=noise>n</div>": "a\n",
		"a<div><b></b></div>b":      "a\nb\n",
		"a</p>b<i>c</i>":            "a\n\nbc\n",
		"a<b class=noise></b>b":     "ab\n",
	} {
		p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
		m := pagetest.MarkNoise(p)
		if got := pagetest.PlainText(p, m); got != want {
			t.Errorf("%s: text %q, want %q", src, got, want)
		}
		reader := pagetest.MustParse(t, []byte(simple.Body(content.Of(p, m, content.Options{}), simple.ForPrograms)), "")
		if got := pagetest.PlainText(reader, pagetest.None(reader)); !slices.Equal(strings.Fields(got), strings.Fields(want)) {
			t.Errorf("%s: the reader's words are %q, want %q", src, got, want)
		}
	}
}

// Text and reader show every word of content and no word of noise, in order.
func TestPlainModesShowTheContent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.OneOf(rapid.Custom(pagetest.WellFormed), rapid.Custom(pagetest.Soup)).Draw(t, "source")
		p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
		m := pagetest.RandomMarking(p, pagetest.Drawer(t))
		want := slices.Collect(page.Words(strings.Join(pagetest.KeptBlocks(p, m), " ")))
		if got := slices.Collect(page.Words(unlisted(pagetest.PlainText(p, m)))); len(want) > 0 && !slices.Equal(pagetest.Numbered(want), pagetest.Numbered(got)) {
			t.Fatalf("text has %q, want %q\nsource %s", got, want, src)
		}
		out, err := write.Page(p, m, page.ModeReader)
		if err != nil {
			t.Fatal(err)
		}
		_, main, _ := strings.Cut(string(out.Body), "<main>") // what stands before it is said of the page, not by it
		again := pagetest.MustParse(t, []byte(main), "text/html; charset=utf-8")
		got := slices.Collect(page.Words(strings.Join(pagetest.KeptBlocks(again, pagetest.None(again)), " ")))
		if !slices.Equal(want, got) {
			t.Fatalf("reader has %q, want %q\nsource %s\noutput %s", got, want, src, out.Body)
		}
	})
}

func unlisted(s string) string { return strings.ReplaceAll(s, "\n- ", "\n") }
