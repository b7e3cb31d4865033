package evaluate

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

func parse(t *testing.T, src string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func mustCompile(t *testing.T, content, exclude string) selectors {
	t.Helper()
	s, err := compileGold([]string{content}, splitNonEmpty(exclude))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func splitNonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

func TestTokensAreRunsOfLettersNumbersAndUnderscore(t *testing.T) {
	v := vocabulary{}
	got := v.tokens("a_1 b-c a_1, Naïve über Ⅷ 中文。字 x²")
	// a_1 b c a_1 Naïve über Ⅷ 中文 字 x² : the repeated token keeps its number.
	want := []uint32{1, 2, 3, 1, 4, 5, 6, 7, 8, 9}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("token numbers (-want +got):\n%s", d)
	}
	if len(v) != 9 {
		t.Errorf("vocabulary %v", v)
	}
	// A combining accent is no word character for Python's \w+; the scorer splits there too.
	if got := len(v.tokens("e\u0301te")); got != 2 {
		t.Errorf("a combining mark should separate tokens, got %d tokens", got)
	}
}

func TestShinglesOfShortTexts(t *testing.T) {
	for _, tc := range []struct {
		tokens []uint32
		want   map[shingle]int
	}{
		{nil, map[shingle]int{}},
		{[]uint32{7}, map[shingle]int{{7}: 1}},
		{[]uint32{7, 8, 9}, map[shingle]int{{7, 8, 9}: 1}},
		{[]uint32{7, 8, 9, 7}, map[shingle]int{{7, 8, 9, 7}: 1}},
		{[]uint32{1, 1, 1, 1, 1, 2}, map[shingle]int{{1, 1, 1, 1}: 2, {1, 1, 1, 2}: 1}},
	} {
		if d := cmp.Diff(tc.want, shingles(tc.tokens)); d != "" {
			t.Errorf("shingles of %v (-want +got):\n%s", tc.tokens, d)
		}
	}
}

// The page has the gold "one two three four five six" (shingles 1234 2345 3456, 22 characters) and the noise "buy this"
// (7 characters).
func TestScoreOfWorkedExample(t *testing.T) {
	src := `<body><nav>buy this</nav><div id=main>one two three four five six</div>`
	gold := mustCompile(t, "#main", "")
	for _, tc := range []struct {
		name, output string
		want         PageScore
	}{
		{"the gold itself", `<p>one two three four five six</p>`,
			PageScore{P: 1, R: 1, F1: 1, Gold: 6, Kept: 6, Noise: 2, Left: 0, Chars: Chars{22, 22, 7, 0}}},
		// Shingles of the page: b-t-1-2, t-1-2-3 and the three of the gold, so P = 3/5, R = 1, F1 = 2·0.6/1.6.
		{"unchanged", src, PageScore{P: 0.6, R: 1, F1: 0.75, Gold: 6, Kept: 6, Noise: 2, Left: 2, Chars: Chars{22, 22, 7, 7}}},
		// 1234 of the three: P = 1, R = 1/3, F1 = 2/3 : 4/3.
		{"half of it lost", `<p>one two three four`, PageScore{P: 1, R: 1. / 3, F1: 0.5, Gold: 6, Kept: 4, Noise: 2, Left: 0, Chars: Chars{22, 15, 7, 0}}},
		{"nothing left", ``, PageScore{Gold: 6, Noise: 2, Chars: Chars{Gold: 22, Noise: 7}}},
		{"only noise left", `buy this`, PageScore{Gold: 6, Noise: 2, Left: 2, Chars: Chars{22, 0, 7, 7}}},
	} {
		ref, err := newReference([]byte(src), "", gold)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ref.score([]byte(tc.output))
		if err != nil {
			t.Fatal(err)
		}
		opt := cmp.Comparer(near)
		if d := cmp.Diff(tc.want, got, opt); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, d)
		}
	}
}

func TestEmptyGoldIsLeftOutOfMeans(t *testing.T) {
	m := meanOfPages([]PageScore{
		{F1: 0.5, P: 0.5, R: 0.5, Gold: 10, Kept: 8, Noise: 20, Left: 5, Chars: Chars{50, 30, 80, 20}},
		{F1: 1, P: 1, R: 1, Gold: 0, Noise: 100, Left: 100, Chars: Chars{Noise: 500, Left: 500}},
		{F1: 1, P: 1, R: 1, Gold: 30, Kept: 30, Noise: 0, Left: 3, Chars: Chars{150, 150, 20, 5}},
	})
	// Kept is (8+30)/(10+30); Removed 1-(5+3)/20: tokens that an output adds count as noise left. P1 is (30+150)/(50+150),
	// P2 is 1-(20+5)/(80+20).
	want := Mean{N: 2, P: 0.75, R: 0.75, F1: 0.75, Kept: 0.95, Removed: 0.6, P1: 0.9, P2: 0.75}
	if d := cmp.Diff(want, m, cmp.Comparer(near)); d != "" {
		t.Errorf("mean (-want +got):\n%s", d)
	}
	if m := meanOfPages([]PageScore{{Gold: 0}}); m != (Mean{}) {
		t.Errorf("mean of no gold at all: %+v", m)
	}
}

func TestBuckets(t *testing.T) {
	names := BucketNames()
	for i, want := range map[int]string{0: "1", 1: "2-5", 4: "2-5", 5: "6-10", 9: "6-10", 10: "11-20", 19: "11-20", 20: "21+", 500: "21+"} {
		if got := names[BucketOf(i)]; got != want {
			t.Errorf("page after %d others is in bucket %s, want %s", i, got, want)
		}
	}
}

func TestSummaryIsTheMacroMean(t *testing.T) {
	page := func(f float64) PageScore { return PageScore{P: f, R: f, F1: f, Gold: 1, Kept: 1} }
	long := make([]PageScore, 30)
	for i := range long {
		long[i] = page(1)
	}
	s := Summarize([]SiteScore{
		newSiteScore("long", long),
		newSiteScore("short", []PageScore{page(0.5)}),
		newSiteScore("no gold", []PageScore{{}}),
	})
	if s.All.N != 2 || !near(s.All.F1, 0.75) {
		t.Errorf("macro F1 %v over %d sites, want 0.75 over 2: sites weigh the same however long", s.All.F1, s.All.N)
	}
	if last := s.Buckets[LastBucket]; last.N != 1 || !near(last.F1, 1) || last.Spread != (Mean{}) {
		t.Errorf("bucket 21+ %+v, want 1.0 over one site without spread", last)
	}
	// Two sites, 1 and 0.5: a bootstrap mean is 0.5, 0.75, 1 with odds 1:2:1, so its deviation is 0.25/√2 = 0.177.
	if sd := s.All.Spread.F1; math.Abs(sd-0.177) > 0.01 {
		t.Errorf("spread of F1 %v, want about 0.177", sd)
	}
}

func TestCharset(t *testing.T) {
	for _, tc := range []struct{ src, contentType, want string }{
		{"<meta charset=iso-8859-1><p>caf\xe9", "", "café"},
		{"<meta charset=iso-8859-1><p>café", "", "café"},
		{"<meta charset=iso-8859-1><p>café", "text/html; charset=iso-8859-1", "cafÃ©"},
		{"<p>\xd6\xd0", "text/html; charset=gbk", "中"},
		{"\xef\xbb\xbf<meta charset=gbk><p>中", "text/html; charset=gbk", "中"},
	} {
		if got := string(toUTF8([]byte(tc.src), tc.contentType)); !strings.HasSuffix(got, "<p>"+tc.want) {
			t.Errorf("%q with content type %q is read as %q", tc.src, tc.contentType, got)
		}
	}
}
