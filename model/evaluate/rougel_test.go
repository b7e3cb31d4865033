package evaluate

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

func TestRougeWords(t *testing.T) {
	got := strings.Join(rougeWords("Don't stop_me at 12:30 — 北京abc漢 Ünïq"), " ")
	if got != "don t stop me at 12 30 北 京 abc漢 ünïq" {
		t.Errorf("words %q", got)
	}
}

func TestScoreText(t *testing.T) {
	for _, tt := range []struct {
		name, gold, kept string
		p, r, rouge, f1  float64
	}{
		{"the same", "a b c", "A, b. C!", 1, 1, 1, 1},
		{"more than wanted", "a b c", "x a b c y z", .5, 1, 2. / 3, 2. / 3},
		{"words out of order do not count", "a b c d", "c d a b", .5, .5, .5, 1},
		{"nothing kept", "a b", "", 0, 0, 0, 0},
		{"nothing in common", "a b", "c", 0, 0, 0, 0},
		{"words of a repetition count once", "a b", "a a b b", .5, 1, 2. / 3, 2. / 3},
	} {
		s := ScoreText(tt.gold, tt.kept)
		if !near(s.P, tt.p) || !near(s.R, tt.r) || !near(s.RougeL, tt.rouge) || !near(s.WordF1, tt.f1) {
			t.Errorf("%s: %+v", tt.name, s)
		}
	}
}

// The fast algorithm on bits gives the same as the textbook's table, also for more words than a machine word has bits.
func TestCommonSubsequence(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func() []string {
		words := make([]string, rng.IntN(300))
		for i := range words {
			words[i] = string(rune('a' + rng.IntN(20)))
		}
		return words
	}
	for range 50 {
		a, b := draw(), draw()
		if got, want := commonSubsequence(a, b), slowSubsequence(a, b); got != want {
			t.Fatalf("%d words in common of %d and %d, want %d", got, len(a), len(b), want)
		}
	}
}

func slowSubsequence(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		last := slices.Clone(row)
		for j, y := range b {
			if row[j+1] = max(last[j+1], row[j]); x == y {
				row[j+1] = last[j] + 1
			}
		}
	}
	return row[len(b)]
}

// keepParagraphs calls all but paragraphs noise.
type keepParagraphs struct{ model.Detector }

func (keepParagraphs) Name() string             { return "paragraphs" }
func (keepParagraphs) New(model.Key) model.Host { return paragraphHost{} }

type paragraphHost struct{ model.Host }

func (paragraphHost) Observe(*page.Page, model.Visit) {}

func (paragraphHost) Mark(p *page.Page, _ model.Visit) *page.Marking {
	verdicts := make([]page.Verdict, len(p.Blocks))
	for i, b := range p.Blocks {
		verdicts[i].Noise = p.Elements[b.Element].Name != "p"
	}
	return p.NewMarking(verdicts, 0, nil)
}

func TestTextSites(t *testing.T) {
	dir := writeSite(t, `{"pages": [
		{"file": "1.html", "gold": "1.txt"}, {"file": "2.html", "gold": "2.txt"},
		{"file": "3.html", "facts": {"isbn": [": 97-8"], "author": ["Nobody", "Ann Onym"], "price": ["12 crowns"]}}]}`,
		map[string]string{
			"1.html": "<body><div>menu</div><p>one two three four</p>", "1.txt": "one two three four",
			"2.html": "<body><div>menu</div><p>one two</p>", "2.txt": "one two three four five six",
			"3.html": "<body><div>Price: 12 crowns</div><p>ISBN: 97-8 <p>by Ann  Onym",
		})
	sites, err := LoadSites(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := Runner{Detectors: []model.Detector{keepParagraphs{}}, Protocol: Online, Worst: 5}
	results, err := r.TextSites(context.Background(), sites)
	if err != nil {
		t.Fatal(err)
	}
	got := results[0]
	if !near(got.Buckets[0].RougeL, 1) || !near(got.Buckets[1].RougeL, .5) || !near(got.Buckets[1].P, 1) || got.Buckets[2].N != 0 {
		t.Errorf("by arrival: %+v", got.Buckets)
	}
	if got.All.N != 2 || !near(got.All.RougeL, .75) {
		t.Errorf("over pages: %+v", got.All)
	}
	if len(got.Diffs) != 1 || got.Diffs[0].Page != sites[0].Pages[1].ID || !slices.Equal(got.Diffs[0].Lost, []string{"one two three four five six"}) {
		t.Errorf("the pages that are not perfect: %+v", got.Diffs)
	}
	for name, want := range map[string]FactShare{"isbn": {1, 1}, "author": {1, 1}, "price": {1, 0}} {
		if f := got.Sites[0].Facts[name]; f != want {
			t.Errorf("fact %s: %+v, want %+v", name, f, want)
		}
	}
}
