package lines_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/lines"
	"github.com/winnow-proxy/winnow/model/page"
)

func parse(t testing.TB, body string) *page.Page {
	t.Helper()
	p, err := page.Parse([]byte("<!DOCTYPE html><title>T</title><body>"+body), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func visit(i int) model.Visit {
	return model.Visit{URL: fmt.Sprintf("http://a.example/%d", i), At: time.Unix(1e9+int64(i), 0)}
}

// learned returns a model that has seen pages with these bodies.
func learned(t testing.TB, opts lines.Options, bodies ...string) model.Host {
	t.Helper()
	h := lines.Detector{Options: opts}.New(model.Key{1})
	for i, b := range bodies {
		h.Observe(parse(t, b), visit(i))
	}
	return h
}

// content returns the texts of the content blocks on a page that was not learned.
func content(t testing.TB, h model.Host, body string) (texts []string) {
	t.Helper()
	return kept(t, h, body, visit(1<<20))
}

func kept(t testing.TB, h model.Host, body string, v model.Visit) (texts []string) {
	t.Helper()
	p := parse(t, body)
	for b, verdict := range h.Mark(p, v).Verdicts {
		if !verdict.Noise {
			texts = append(texts, string(p.BlockText(nil, page.BlockID(b))))
		}
	}
	return texts
}

// Section 2.1: more than none and at most 0.3 of the characters of a text node are punctuation.
func TestPunctuation(t *testing.T) {
	tests := []struct {
		name, body string
		want       []string
	}{
		// The paper's two examples of noise that passes: 2 of 26 characters, 1 of 56.
		{"Tencent", `<div>如果你對新聞頻道有任何意見或建議,請到交流平臺反饋。</div>`,
			[]string{"如果你對新聞頻道有任何意見或建議,請到交流平臺反饋。"}},
		{"Sina", `<div>Copyright?1996-2011SINACorporation,AllRightsReserved新浪公司</div>`,
			[]string{"Copyright?1996-2011SINACorporation,AllRightsReserved新浪公司"}},
		{"no punctuation", `<div>Home</div><div>News</div>`, nil},
		{"the paper does not count question marks", `<div>Why?</div>`, nil},
		{"3 of 10 characters", `<div>abcd efg...</div>`, []string{"abcd efg..."}},
		{"3 of 9 characters", `<div>abcd ef...</div>`, nil},
		{"square brackets", `<div>as said before [1]</div>`, []string{"as said before [1]"}},
		{"full width", `<div>你好，大世界！</div>`, []string{"你好，大世界！"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, content(t, learned(t, lines.Published()), tt.body)); diff != "" {
				t.Errorf("content:\n%s", diff)
			}
		})
	}
}

func TestBareText(t *testing.T) {
	opts := lines.Published()
	opts.Bare = true
	if got := content(t, learned(t, opts), `<div>Home</div><div>*,.!*</div>`); len(got) != 1 || got[0] != "Home" {
		t.Errorf("content %q, want what has no punctuation, and not what has too much", got)
	}
}

// The paper removes STRONG, FONT and P before it forms text nodes, and names SPAN and headings as its failures. The
// default handles them.
func TestSpansAndHeadings(t *testing.T) {
	strong := `<div>A text <strong>with</strong> words, and <font color=red>more</font>.<p>Second paragraph without</div>`
	spans := `<div>A <span>text</span> <span>with</span> <span>words</span>, <span>and</span> <span>more</span>.</div>`
	heading := `<div><h2>A heading</h2><p>And a paragraph, with words.</div>`
	tests := []struct {
		name, body       string
		published, today int
	}{
		{"strong, font and p", strong, 2, 2},
		{"spans", spans, 0, 1},
		{"a heading", heading, 1, 2},
		{"a list item is not part of what is around it", `<ul>Items, all.<li>Home<li>News</ul>`, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := content(t, learned(t, lines.Published()), tt.body); len(got) != tt.published {
				t.Errorf("published: content %q, want %d blocks", got, tt.published)
			}
			if got := content(t, learned(t, lines.Options{}), tt.body); len(got) != tt.today {
				t.Errorf("default: content %q, want %d blocks", got, tt.today)
			}
		})
	}
}

// Section 2.2, by hand: LC ≤ ⌊1 + RC/50⌋, where LC includes this occurrence.
func TestLineStatistics(t *testing.T) {
	for _, tt := range []struct {
		pages, shown int // RC; on how many of these the line stood
		noise        bool
	}{
		{0, 0, false}, // LC 1 ≤ 1
		{1, 0, false},
		{1, 1, true},    // 2 > 1
		{49, 1, true},   // 2 > ⌊1.98⌋
		{50, 1, false},  // 2 ≤ 2
		{50, 2, true},   // 3 > 2
		{99, 2, true},   // 3 > ⌊2.98⌋
		{102, 2, false}, // 3 ≤ 3
		{102, 3, true},  // 4 > 3
	} {
		opts := lines.Published()
		opts.PruneEvery = 1 << 20
		h := lines.Detector{Options: opts}.New(model.Key{1})
		for i := range tt.pages {
			body := fmt.Sprintf("<p>Only here, on page %d.", i)
			if i < tt.shown {
				body += "<p>All rights reserved."
			}
			h.Observe(parse(t, body), visit(i))
		}
		got := content(t, h, "<p>New text, seen nowhere.<p>All rights reserved.")
		if noise := len(got) == 1; noise != tt.noise {
			t.Errorf("RC %d, LC %d: content %q", tt.pages, tt.shown+1, got)
		}
	}
}

// The paper counts lines and not pages: a line that occurs twice on a page is noise the second time.
func TestALineTwiceOnAPage(t *testing.T) {
	h := learned(t, lines.Published())
	if got := content(t, h, "<p>Reply, please.<p>Text, once.<p>Reply, please."); len(got) != 2 {
		t.Errorf("content %q, want the first of the two and the other line", got)
	}
}

// A page that is fetched again does not take its own lines for repetitions.
func TestAPageFetchedAgain(t *testing.T) {
	body := "<p>Text, once.<p>All rights reserved."
	h := learned(t, lines.Published(), "<p>Other text, once.<p>All rights reserved.", body)
	h.Observe(parse(t, body), visit(1))
	if got := kept(t, h, body, visit(1)); len(got) != 1 || got[0] != "Text, once." {
		t.Errorf("content %q", got)
	}
	if s := h.Stats(); s.Pages != 2 {
		t.Errorf("%d pages, want 2", s.Pages)
	}
}

// Lines on at most a hundredth of the pages are forgotten, so that the table stays small. Other lines stay.
func TestPruning(t *testing.T) {
	h := lines.Detector{Options: lines.Published()}.New(model.Key{1}).(interface {
		model.Host
		Len() int
	})
	for i := range 100 {
		h.Observe(parse(t, fmt.Sprintf("<p>Only here, on page %d.<p>All rights reserved.", i)), visit(i))
	}
	if h.Len() != 1 {
		t.Errorf("%d lines are kept, want 1", h.Len())
	}
	if got := content(t, h, "<p>Text, once.<p>All rights reserved."); len(got) != 1 {
		t.Errorf("content %q", got)
	}
}

func TestFirstPages(t *testing.T) {
	body := func(i int) string {
		return fmt.Sprintf(`<div>Article %d, with text.</div><div><a href=/%d>Read next, story no. %d</a></div>`, i, i, i)
	}
	h, published := lines.Detector{}.New(model.Key{1}), lines.Detector{Options: lines.Published()}.New(model.Key{1})
	for i := range 11 {
		want := 1
		if i >= 10 {
			want = 2 // from then on the counts decide, and this line is new
		}
		if got := content(t, h, body(i)); len(got) != want {
			t.Errorf("page %d: content %q", i+1, got)
		}
		if got := content(t, published, body(i)); len(got) != 2 {
			t.Errorf("page %d, published: content %q", i+1, got)
		}
		h.Observe(parse(t, body(i)), visit(i))
		published.Observe(parse(t, body(i)), visit(i))
	}
}

// After a redesign the new template is learned, however many pages came before.
func TestRedesign(t *testing.T) {
	h := lines.Detector{}.New(model.Key{1})
	for i := range 3000 {
		h.Observe(parse(t, fmt.Sprintf("<p>Only here, on page %d.<p>Old footer, at the end.", i)), visit(i))
	}
	for i := range 25 {
		h.Observe(parse(t, fmt.Sprintf("<p>Only there, on page %d.<p>New footer, at the end.", i)), visit(5000+i))
	}
	if got := content(t, h, "<p>Text, once.<p>New footer, at the end."); len(got) != 1 {
		t.Errorf("content %q", got)
	}
}

func TestNothingLeft(t *testing.T) {
	h := learned(t, lines.Options{})
	for name, body := range map[string]string{"no text": "", "no content": "<ul><li>Home<li>News</ul>"} {
		if m := h.Mark(parse(t, body), visit(1)); m.Pass != page.PassNoContent || len(m.Marks) > 0 {
			t.Errorf("%s: marking %+v, want the page to pass", name, m)
		}
	}
}

// newLines returns n paragraphs that occur on no other page.
func newLines(n, page int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<p>Line %d, on page %d.", i, page)
	}
	return b.String()
}

func BenchmarkMark(b *testing.B) {
	var body strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&body, "<div class=x><p>Paragraph %d, with <a href=/%d>a link</a> and some text.</p></div>", i, i)
	}
	h := learned(b, lines.Options{}, body.String())
	p := parse(b, body.String())
	b.ReportAllocs()
	for b.Loop() {
		h.Mark(p, visit(7))
	}
}
