package blend

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
	"github.com/winnow-proxy/winnow/model/page"
)

// explainedPage is the n-th page of a site: the same menu and foot, and a story of its own.
func explainedPage(t *testing.T, n int) *page.Page {
	t.Helper()
	words := strings.Fields("rock lamp bird keeper sea boat storm harbour light winter letter island rope gull tide barrel sail anchor fog bell")
	var story strings.Builder
	for k := range 60 {
		fmt.Fprintf(&story, "the %s and ", words[(k*(n+3)+n*n+k*k)%len(words)])
	}
	p, err := page.Parse(fmt.Appendf(nil, `<html><body><nav class=menu><ul><li><a href=/>Home</a><li><a href=/news>News of the day</a><li><a href=/about>About us</a></ul></nav>
<main><h1>Of the %s and the %s</h1><p>When %s it was over.</p><p>Later, %s nobody knew.</p></main>
<footer class=footer>Imprint, privacy and cookies of the paper</footer></body></html>`, words[n%20], words[(n+7)%20], story.String()[:300], story.String()[300:]),
		"text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The weights of all evidence, with what is the same for all blocks, add up to the odds that the verdict rests on.
func TestEvidenceAddsUp(t *testing.T) {
	d, err := New()
	if err != nil {
		t.Fatal(err)
	}
	h := d.newHost(model.NewKey())
	for n := range 6 {
		visit := model.Visit{URL: fmt.Sprintf("https://a.example/%d", n), At: time.Unix(1_790_000_000+int64(n)*3600, 0)}
		p := explainedPage(t, n)
		j := h.weigh(h.read(p, visit), false)
		pageOdds := append([]float32(nil), j.ByPage...)
		j.CompareHost()
		odds := d.w.Full.LogOdds(j.Comparison)
		a := forest.NewAttribution(d.w.Cuts, j.Comparison.Rows, len(features.Aspects()), features.AspectsOfFeatures())
		a.Add(d.w.Page, j.Comparison)
		a.Add(d.w.Full, j.Comparison)
		for i, evidence := range h.Explain(p, visit) {
			sum := a.Bias
			for _, e := range evidence {
				sum += e.Weight
			}
			if want := odds[i] + pageOdds[i]; math.Abs(float64(sum-want)) > .01 {
				t.Errorf("page %d, block %d: the evidence adds up to %.3f, the odds are %.3f", n, i, sum, want)
			}
			for k := 1; k < len(evidence); k++ {
				if magnitude(evidence[k].Weight) > magnitude(evidence[k-1].Weight) {
					t.Errorf("page %d, block %d: the weightiest is not first: %v", n, i, evidence)
				}
			}
		}
		h.Observe(p, visit)
	}
}

// Once pages of a site are known, a menu goes because other pages have it, and a story stays because they have not.
func TestEvidenceNamesWhatRepeats(t *testing.T) {
	d, err := New()
	if err != nil {
		t.Fatal(err)
	}
	h := d.newHost(model.NewKey())
	weightOf := func(p *page.Page, name string) (menu, story float32) {
		evidence := h.Explain(p, model.Visit{URL: "https://a.example/new", At: time.Unix(1_791_000_000, 0)})
		for _, e := range evidence[1] {
			if e.Name == name {
				menu = e.Weight
			}
		}
		for _, e := range evidence[len(evidence)-2] {
			if e.Name == name {
				story = e.Weight
			}
		}
		return menu, story
	}
	for n := range 12 {
		h.Observe(explainedPage(t, n), model.Visit{URL: fmt.Sprintf("https://a.example/%d", n), At: time.Unix(1_790_000_000+int64(n)*3600, 0)})
	}
	menu, story := weightOf(explainedPage(t, 99), "repeats")
	if menu <= 0 || menu <= story {
		t.Errorf("that other pages have it weighs %.2f for the menu and %.2f for the story", menu, story)
	}
}
