package cssrules

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
)

// marked is a page whose noise is in elements with data-noise, as a detector would say.
func marked(t *testing.T, src string) Sample {
	t.Helper()
	p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
	for b := range p.Blocks {
		for e := p.Blocks[b].Element; e != page.None; e = p.Elements[e].Parent {
			if _, ok := p.Attr(e, "data-noise"); ok {
				m.Verdicts[b] = page.Verdict{Noise: true, Score: 1}
			}
		}
	}
	return NewSample(p, m)
}

// words are n words that no other call returns.
func words(of string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d ", of, i)
	}
	return b.String()
}

// article is the i-th page of a made-up magazine. Its builds name classes anew, and its posts have numbers.
func article(i int) string {
	return fmt.Sprintf(`<!DOCTYPE html><html><head><title>Story %[1]d - The Mole</title><meta property="article:published_time" content="2024-03-%02[1]dT10:00:00Z">
<meta name="author" content="Ada Pier"></head><body class="postid-%[1]d">
<div class="top css-1x%[1]dq" data-noise><a href="/">Front</a> <a href="/news">%[2]s</a></div>
<div id="wrap"><div class="story post-%[1]d sc-a%[1]dBcD"><h1>Story %[1]d</h1><p>%[3]s</p><div class="share" data-noise>Share this on all the networks</div><p>%[4]s</p></div>
<ul class="related" data-noise><li>%[5]s</li></ul></div>
<div data-noise><p>Printed on the mole</p></div></body></html>`, i, words("menu", 12), words(fmt.Sprintf("a%dx", i), 60), words(fmt.Sprintf("b%dx", i), 60), words(fmt.Sprintf("r%dx", i), 20))
}

func articles(t *testing.T, n int) (samples []Sample) {
	t.Helper()
	for i := range n {
		samples = append(samples, marked(t, article(i+1)))
	}
	return samples
}

func made(t *testing.T, samples []Sample) *Report {
	t.Helper()
	r, err := Make(context.Background(), samples)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func list(set []Selector) string {
	var css []string
	for _, s := range set {
		css = append(css, s.String())
	}
	return strings.Join(css, ", ")
}
