package blockwords_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blockwords"
	"github.com/winnow-proxy/winnow/model/internal/modeltest"
)

func TestContract(t *testing.T) {
	limits := model.Limits{Memory: 48 << 10, Encoded: 16 << 10}
	modeltest.Check(t, blockwords.Detector{Options: blockwords.Options{Limits: limits}}, limits)
}

func learned(t testing.TB, opts blockwords.Options, bodies ...string) model.Host {
	t.Helper()
	return modeltest.Learned(t, blockwords.Detector{Options: opts}, bodies...)
}

// noise lists the noisy blocks on a page that was not learned.
func noise(t testing.TB, h model.Host, body string) []string {
	t.Helper()
	return modeltest.Noise(t, h, body, 1<<20)
}

func TestTemplate(t *testing.T) {
	page := func(i int) string {
		return fmt.Sprintf(`<table><tr><td>Home<td>News today</table><div><p>Story %d begins</p><p>Part %d of it</p></div>
			<p>All rights reserved`, i, i*7)
	}
	h := learned(t, blockwords.Options{}, page(1))
	want := []string{"Home", "News today", "All rights reserved"}
	if diff := cmp.Diff(want, noise(t, h, page(2))); diff != "" {
		t.Errorf("on the second page:\n%s", diff)
	}
	if got := modeltest.Noise(t, h, page(1), 0); got != nil {
		t.Errorf("on the page that was learned: noise %q, although one page is no repetition", got)
	}
}

// Thresholds by hand. All pages have the block. Nine of its ten words, "a b c d e f g h i", occur on some pages; the
// tenth is different on each page.
func TestThresholds(t *testing.T) {
	block := func(words string, own int) string { return fmt.Sprintf("<p>Text %d<p>%s x%d", own, words, own) }
	nine := "a b c d e f g h i"
	tests := []struct {
		name        string
		pages, with int // pages that were learned; how many of them have the nine words
		words       string
		noise       bool
	}{
		{"two pages of two", 1, 1, nine, true},
		{"alone", 1, 0, nine, false},
		{"7 of 10 pages, this one included", 9, 6, nine, true},
		{"6 of 10 pages", 9, 5, nine, false},
		{"9 of 10 words", 9, 9, nine, true},
		{"8 of 9 words", 9, 9, "a b c d e f g h", false}, // 0.89
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := learned(t, blockwords.Options{})
			for i := range tt.pages {
				words := "k l m n o p q r s"
				if i < tt.with {
					words = nine
				}
				h.Observe(modeltest.Parse(t, block(words, i)), modeltest.Visit(i))
			}
			if got := noise(t, h, block(tt.words, 99)); (len(got) == 1) != tt.noise {
				t.Errorf("noise %q, want noise: %v", got, tt.noise)
			}
		})
	}
}

// Occurrence lists have a bit per position and wrap around after 32.
func TestPositions(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       int // noisy blocks by default
		anywhere   int
	}{
		{"the same positions", "Home News Shop", "Home News Shop", 1, 1},
		{"other positions", "Home News Shop", "Shop Home News", 0, 1},
		{"one position in common is enough", "Hi ha Hi ha", "Hi Hi ha ha", 1, 1},
		{"position 32 is position 0", strings.Repeat("w ", 32) + "end", "end" + strings.Repeat(" w", 32), 1, 1},
		{"case does not count", "HOME", "home", 1, 1},
		{"signs alone are a word", "» | «", "» | «", 1, 1},
		{"other signs", "» | «", "« | »", 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for overlap, want := range map[int]int{0: tt.want, -1: tt.anywhere} {
				h := learned(t, blockwords.Options{Overlap: overlap}, "<p>One<p>"+tt.a)
				if got := noise(t, h, "<p>Two<p>"+tt.b); len(got) != want {
					t.Errorf("overlap %d: noise %q, want %d blocks", overlap, got, want)
				}
			}
		})
	}
}

func TestOverlap(t *testing.T) {
	two := blockwords.Options{Overlap: 2}
	h := learned(t, two, "<p>One<p>Hi ha Hi ha")
	if got := noise(t, h, "<p>Two<p>Hi Hi ha ha"); got != nil {
		t.Errorf("noise %q, though no word shares two positions", got)
	}
	if got := noise(t, h, "<p>Two<p>Hi ha Hi ha"); len(got) != 1 {
		t.Errorf("noise %q, want the block whose words share two", got)
	}
}

// Blocks are of one style cluster when position and attributes agree.
func TestStyles(t *testing.T) {
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"the same", "<div>%s</div>", "<div>%s</div>", true},
		{"another tag", "<div>%s</div>", "<p>%s</p>", false},
		{"another attribute", "<div align=left>%s</div>", "<div align=right>%s</div>", false},
		{"attributes in another order", "<div align=left width=9>%s</div>", "<div width=9 align=left>%s</div>", true},
		{"an attribute that does not count", "<div id=a>%s</div>", "<div id=b>%s</div>", true},
		{"another position among its kind", "<div>%s</div>", "<div>x</div><div>%s</div>", false},
		{"something of another kind before", "<div>%s</div>", "<p>x</p><div>%s</div>", true},
		{"td and th are alike", "<table><tr><td><p>%s</table>", "<table><tr><th><p>%s</table>", true},
		{"cells are siblings", "<table><tr><td><p>y<td><p>%s</table>", "<table><tr><td><p>z<tr><td><p>%s</table>", true},
		{"the second text of an element", "<div>%s</div>", "<div>x<br><br>%s</div>", false},
		{"body's attributes do not count", "<body bgcolor=red>%s", "<body bgcolor=blue>%s", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := learned(t, blockwords.Options{}, fmt.Sprintf(tt.a, "All rights reserved"))
			got := noise(t, h, fmt.Sprintf(tt.b, "All rights reserved")+"<pre>content")
			if same := len(got) == 1; same != tt.same {
				t.Errorf("noise %q, want one cluster: %v", got, tt.same)
			}
		})
	}
}

// A word of the menu is no template word in an article.
func TestWordsAreTemplateInTheirOwnBlocks(t *testing.T) {
	h := learned(t, blockwords.Options{}, "<ul><li>News</ul><p>Story one", "<ul><li>News</ul><p>Tale two")
	if diff := cmp.Diff([]string{"News"}, noise(t, h, "<ul><li>News</ul><p>News news")); diff != "" {
		t.Errorf("noise:\n%s", diff)
	}
}

// The window moves on: text that is missing from the newest pages is no template, however many pages had it before.
func TestWindow(t *testing.T) {
	h := learned(t, blockwords.Options{})
	for i := range 100 {
		foot := "Old foot"
		if i >= 100-blockwords.Window {
			foot = "New end"
		}
		h.Observe(modeltest.Parse(t, fmt.Sprintf("<p>Story %d<div>%s</div>", i, foot)), modeltest.Visit(i))
	}
	if s := h.Stats(); s.Pages != 100 {
		t.Errorf("stats %+v", s)
	}
	if got := noise(t, h, "<p>Tale<div>Old foot</div>"); got != nil {
		t.Errorf("noise %q", got)
	}
	if got := noise(t, h, "<p>Tale<div>New end</div>"); len(got) != 1 {
		t.Errorf("noise %q", got)
	}
}

// Of very long pages only the ends are kept, so that these pages neither evict each other nor stay unlearned.
func TestLongPages(t *testing.T) {
	page := func(n int) string {
		var words strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&words, "w%d ", n*1_000_000+i)
		}
		return "<ul><li>Home News Shop</ul><p>" + words.String() + "<div>All rights reserved</div>"
	}
	h := learned(t, blockwords.Options{}, page(1), page(2), page(3))
	back, err := blockwords.Detector{}.Decode(modeltest.Key(), modeltest.Encoded(t, h))
	if err != nil {
		t.Fatal(err)
	}
	for name, h := range map[string]model.Host{"learned": h, "decoded": back} {
		if got := h.(interface{ Len() int }).Len(); got != 3 {
			t.Errorf("%s: %d pages are kept, want all 3", name, got)
		}
		if diff := cmp.Diff([]string{"Home News Shop", "All rights reserved"}, noise(t, h, page(4))); diff != "" {
			t.Errorf("%s: noise:\n%s", name, diff)
		}
	}
}

// BenchmarkMark marks a page of 100 kB after 32 similar ones.
func BenchmarkMark(b *testing.B) {
	page := func(n int) string {
		var body strings.Builder
		for i := range 900 {
			fmt.Fprintf(&body, "<div class=x><p>Paragraph %d of page %d, with <a href=/%d>a link</a> and some text, as pages have.</p></div>",
				i, n, i)
		}
		return body.String()
	}
	var pages []string
	for n := range blockwords.Window {
		pages = append(pages, page(n))
	}
	h := learned(b, blockwords.Options{}, pages...)
	p := modeltest.Parse(b, page(99))
	b.Logf("%d bytes, %+v", len(p.Source), h.Stats())
	b.ReportAllocs()
	for b.Loop() {
		h.Mark(p, modeltest.Visit(99))
	}
}
