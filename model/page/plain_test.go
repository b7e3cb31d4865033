package page

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestReaderDropsWhatRuns(t *testing.T) {
	src := `<base href="https://x.example/"><p onclick=x() style=y>a <a href=" java&#10;script:x()">b</a> <a href="JAVASCRIPT:x">c</a>
<a href=/d?e=1&f=2 target=_blank>d</a><script>x</script><img src="data:image/svg+xml,x" onerror=x><img src=x.png alt='"'>`
	p := mustParse(t, []byte(src), "")
	out, err := Write(p, none(p), ModeReader)
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
			p := mustParse(t, []byte(c.src), "")
			out, err := Write(p, markNoise(p), ModeText)
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
			p := mustParse(t, []byte(c.src), "")
			out, err := Write(p, markNoise(p), ModeMarkdown)
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
	p := mustParse(t, []byte(src), "text/html; charset=windows-1252")
	out, err := Write(p, markNoise(p), ModeJSON)
	if err != nil {
		t.Fatal(err)
	}
	var got Document
	if err := json.Unmarshal(out.Body, &got); err != nil {
		t.Fatal(err)
	}
	want := Document{Title: "T & t", Language: "de", Charset: "windows-1252", Kind: "article", Metadata: Metadata{Title: "T & t", Language: "de"}, Text: "a b\n", HTML: "<p>a <b>b</b></p>",
		Blocks: []DocumentBlock{{Text: "a b", Kind: "content", Score: 0.125}, {Text: "n", Kind: "nav", Score: 0.75, Noise: true}},
		Links:  []DocumentLink{}, Template: []DocumentRemoved{{Kind: "nav", DocumentItem: DocumentItem{Text: "n", Links: []DocumentLink{}}}},
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
		p := mustParse(t, []byte(src), "text/html; charset=utf-8")
		m := markNoise(p)
		if got := plainText(p, m); got != want {
			t.Errorf("%s: text %q, want %q", src, got, want)
		}
		reader := mustParse(t, []byte(p.viewContent(m, viewOptions{}).simpleBody(forPrograms)), "")
		if got := plainText(reader, none(reader)); !slices.Equal(strings.Fields(got), strings.Fields(want)) {
			t.Errorf("%s: the reader's words are %q, want %q", src, got, want)
		}
	}
}

// Text and reader show every word of content and no word of noise, in order.
func TestPlainModesShowTheContent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.OneOf(rapid.Custom(wellFormed), rapid.Custom(soup)).Draw(t, "source")
		p := mustParse(t, []byte(src), "text/html; charset=utf-8")
		m := randomMarking(p, drawer(t))
		want := slices.Collect(Words(strings.Join(keptBlocks(p, m), " ")))
		if got := slices.Collect(Words(unlisted(plainText(p, m)))); len(want) > 0 && !slices.Equal(numbered(want), numbered(got)) {
			t.Fatalf("text has %q, want %q\nsource %s", got, want, src)
		}
		out, err := Write(p, m, ModeReader)
		if err != nil {
			t.Fatal(err)
		}
		_, main, _ := strings.Cut(string(out.Body), "<main>") // what stands before it is said of the page, not by it
		again := mustParse(t, []byte(main), "text/html; charset=utf-8")
		got := slices.Collect(Words(strings.Join(keptBlocks(again, none(again)), " ")))
		if !slices.Equal(want, got) {
			t.Fatalf("reader has %q, want %q\nsource %s\noutput %s", got, want, src, out.Body)
		}
	})
}

func unlisted(s string) string { return strings.ReplaceAll(s, "\n- ", "\n") }
