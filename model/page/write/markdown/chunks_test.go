package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestChunksBeginWithTheirHeadingPath(t *testing.T) {
	md := "intro\n\n# A\n\none\n\n## B\n\ntwo\n\n```\n# no heading\n\nx\n```\n\n# C\n\nthree\n"
	want := []Chunk{
		{[]string{}, "intro", 2},
		{[]string{"A"}, "one", 1},
		{[]string{"A", "B"}, "two\n\n```\n# no heading\n\nx\n```", 8},
		{[]string{"C"}, "three", 2},
	}
	if diff := cmp.Diff(want, Chunks(md, 100)); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
}

// No chunk is longer than the limit, and together the chunks have every word.
func TestChunksKeepEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zäж漢]{1,12}`), 1, 200).Draw(t, "words")
		var b strings.Builder
		for _, w := range words {
			b.WriteString(w)
			b.WriteString(rapid.SampledFrom([]string{" ", "\n", "\n\n"}).Draw(t, "gap"))
		}
		limit := rapid.IntRange(16, 200).Draw(t, "limit")
		var got []string
		for _, c := range Chunks(b.String(), limit) {
			if c.Tokens > limit {
				t.Fatalf("a chunk of %d tokens, want at most %d: %q", c.Tokens, limit, c.Text)
			}
			got = append(got, strings.Fields(c.Text)...)
		}
		if strings.Join(got, "") != strings.Join(words, "") {
			t.Fatalf("chunks have %q, want %q", got, words)
		}
	})
}

func FuzzConvert(f *testing.F) {
	f.Add(`<p>a<sup><a href="#n">1</a></sup> \(x\) $$y$$</p><ol start=3><li id=n>b<pre><code class="language-go">c</code></pre></li></ol>`)
	f.Add(`<table><tr><td><ul><li>a</ul><td align=right><pre>b` + "\n" + `c</pre></table><dl><dt>t<dd>d</dl><blockquote class=note><p class=title>Note</p>x</blockquote>`)
	f.Fuzz(func(t *testing.T, simple string) {
		if len(simple) > 1<<16 {
			return
		}
		for links := Inline; links <= Dropped; links++ {
			md, err := Convert(simple, Options{Links: links, URL: "https://a.example/"})
			if err == nil {
				Chunks(md, 32)
			}
		}
	})
}
