package mining

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestFigure(t *testing.T) {
	// The mean of 1, 2, 3, 6 is 3; the squares of the distances are 4, 1, 0 and 9, over n-1 = 3.
	want := Figure{Mean: 3, Spread: math.Sqrt(14. / 3), Runs: 4}
	if d := cmp.Diff(want, newFigure([]float64{1, 2, 3, 6}), cmp.Comparer(near)); d != "" {
		t.Errorf("figure (-want +got):\n%s", d)
	}
	if f := newFigure([]float64{0.5}); f != (Figure{Mean: 0.5, Runs: 1}) {
		t.Errorf("one run has no spread: %+v", f)
	}
}

func TestBags(t *testing.T) {
	counts, vocabulary := bags([]Document{{Text: "Tea, tea and milk"}, {Text: "milk 茶水茶"}})
	if vocabulary != 5 { // tea and milk 茶水 水茶
		t.Errorf("%d words", vocabulary)
	}
	if d := cmp.Diff([]bag{{{0, 2}, {1, 1}, {2, 1}}, {{2, 1}, {3, 1}, {4, 1}}}, counts, cmp.AllowUnexported(term{})); d != "" {
		t.Errorf("bags (-want +got):\n%s", d)
	}
	// "milk" is in both documents and weighs nothing; of 2·ln 2 and ln 2, length 1 makes 2/√5 and 1/√5.
	v := weighted(counts, vocabulary)
	for i, want := range []float64{2 / math.Sqrt(5), 1 / math.Sqrt(5), 0} {
		if !near(v[0][i].weight, want) {
			t.Errorf("weight of word %d is %v, want %v", i, v[0][i].weight, want)
		}
	}
}

// The worked example of Manning, Raghavan and Schütze, Introduction to Information Retrieval, 13.1: three documents are
// about China and one about Japan. P(Chinese|c) = 6/14, P(Tokyo|c) = 1/14; the test document is about China after all.
func TestBayesByTheBook(t *testing.T) {
	docs := []Document{
		{Text: "Chinese Beijing Chinese"}, {Text: "Chinese Chinese Shanghai"}, {Text: "Chinese Macao"},
		{Text: "Tokyo Japan Chinese"}, {Text: "Chinese Chinese Chinese Tokyo Japan"}, {Text: "Tokyo Osaka"},
	}
	counts, vocabulary := bags(docs)
	b := newBayes(2, vocabulary)
	for i, class := range []int{0, 0, 0, 1} {
		b.learn(counts[i], class)
	}
	b.finish()
	chinese, tokyo := counts[0][0].word, counts[3][1].word
	for _, tc := range []struct {
		name      string
		got, want float64
	}{
		{"P(Chinese|China)", b.counts[0][chinese], 6. / 14}, {"P(Tokyo|China)", b.counts[0][tokyo], 1. / 14},
		{"P(Chinese|Japan)", b.counts[1][chinese], 2. / 9}, {"P(Tokyo|Japan)", b.counts[1][tokyo], 2. / 9},
	} {
		if !near(math.Exp(tc.got), tc.want) {
			t.Errorf("%s is %v, want %v", tc.name, math.Exp(tc.got), tc.want)
		}
	}
	if b.classify(counts[4]) != 0 {
		t.Error("the test document should be about China")
	}
	if b.classify(counts[5]) != 1 {
		t.Error("a document of Tokyo and an unknown word should be about Japan")
	}
}

// Two classes, "a" and "b", on two sites; each page has a word of its class and, if dirty, many of its site.
func twoSites(dirty bool) (docs []Document) {
	for i := range 40 {
		d := Document{Site: fmt.Sprintf("site%d", i%2), Page: fmt.Sprint(i), Language: "en", Class: string("ab"[i/2%2])}
		d.Text = strings.Repeat("about"+d.Class+" ", 2) + fmt.Sprintf("word%d", i%7)
		if dirty {
			d.Text += strings.Repeat(" menu"+d.Site, 10)
		}
		docs = append(docs, d)
	}
	return docs
}

// Words that distinguish the sites point to the wrong class in the confounded set-up. They do not matter in the plain
// one.
func TestConfoundedSetUp(t *testing.T) {
	for dirty, want := range map[bool]float64{false: 1, true: 0} {
		c, err := Classify(t.Context(), twoSites(dirty), 3)
		if err != nil {
			t.Fatal(err)
		}
		if c.Plain.Mean < 0.999 || c.Confounded == nil || !near(c.Confounded.Mean, want) || c.Transfer == nil {
			t.Errorf("dirty %v: plain %v, confounded %v, transfer %v", dirty, c.Plain, c.Confounded, c.Transfer)
		}
		if c.Pages != 40 || c.Classes != 2 || c.Confounded.Runs != 3 {
			t.Errorf("classification %+v", c)
		}
	}
}

func TestPairsOfSitesAndClasses(t *testing.T) {
	cells := func(of string) (cells []cell) {
		for i, c := range strings.Fields(of) { // site, language, class
			pages := make([]int, minCell)
			for k := range pages {
				pages[k] = i
			}
			cells = append(cells, cell{site: c[:1], language: c[1:2], class: int(c[2] - '0'), pages: pages})
		}
		return cells
	}
	first := func(p pair) string {
		return fmt.Sprint(p.train[0][0], p.train[1][0], p.test[0][0], p.test[1][0])
	}
	for _, tc := range []struct {
		name, cells string
		want        []string
	}{
		{"two sites share two classes", "xe0 xe1 ye0 ye1", []string{"0 3 2 1", "2 1 0 3"}},
		{"a class is missing on one", "xe0 xe1 ye0", nil},
		{"another language", "xe0 xe1 yh0 yh1", nil},
		{"one site", "xe0 xe1", nil},
	} {
		var got []string
		for _, p := range confoundedPairs(cells(tc.cells)) {
			got = append(got, first(p))
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, d)
		}
	}
	few := cells("xe0 xe1 ye0 ye1")
	few[2].pages = few[2].pages[:minCell-1]
	if len(confoundedPairs(few)) != 0 {
		t.Error("a class with too few pages on a site makes no trial")
	}
	if g := transferGroups(cells("xe0 ye0 ze1 we1 vh0")); len(g) != 1 || len(g[0]) != 2 || len(g[0][0]) != 2 {
		t.Errorf("classes that sites share: %v", g)
	}
	if g := transferGroups(cells("xe0 ye0 ze1")); g != nil {
		t.Errorf("a single class with two sites is no group: %v", g)
	}
}

func TestHalves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "pages")
		pages := make([]int, n)
		for i := range pages {
			pages[i] = 100 + i
		}
		a, b := halves(pages, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		seen := map[int]bool{}
		for _, p := range append(a, b...) {
			seen[p] = true
		}
		if len(seen) != n || len(a)-len(b) != n%2 {
			t.Fatalf("%d pages in halves %v and %v", n, a, b)
		}
	})
}

func TestClusterF(t *testing.T) {
	// Class 0 has 4 pages, 3 of them in cluster 1, which holds 4; class 1 has 2, of which one is in each.
	// F of class 0 is 3/4 by P = R = 3/4. Class 1: cluster 0 has P = R = 1/2, F = 1/2; cluster 1 P = 1/4.
	got := clusterF([]int{0, 0, 0, 0, 1, 1}, []int{1, 1, 1, 0, 0, 1}, 2)
	if want := 4./6*3/4 + 2./6*1/2; !near(got, want) {
		t.Errorf("F is %v, want %v", got, want)
	}
}

func TestClusterFindsTopics(t *testing.T) {
	c, err := Cluster(t.Context(), twoSites(false), 10)
	if err != nil {
		t.Fatal(err)
	}
	if c.K != 2 || c.Pages != 40 || c.F.Mean < 0.7 || c.F.Runs != 10 {
		t.Errorf("clustering %+v", c)
	}
	dirty, err := Cluster(t.Context(), twoSites(true), 10)
	if err != nil || dirty.F.Mean >= c.F.Mean {
		t.Errorf("clusters of whole pages have F %v, of content %v: %v", dirty.F, c.F, err)
	}
}

// For any vectors, k-means ends, and every vector is in an existing cluster.
func TestKMeansEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`([a-d] ){0,5}`), 2, 12).Draw(t, "texts")
		docs := make([]Document, len(texts))
		for i := range texts {
			docs[i].Text = texts[i]
		}
		counts, vocabulary := bags(docs)
		k := rapid.IntRange(1, len(docs)).Draw(t, "k")
		for _, c := range kMeans(weighted(counts, vocabulary), vocabulary, k, rand.New(rand.NewPCG(1, 1))) {
			if c < 0 || c >= k {
				t.Fatalf("cluster %d of %d", c, k)
			}
		}
	})
}

func TestUnfitCollections(t *testing.T) {
	one := []Document{{Class: "a", Title: "Tea", Text: "tea"}, {Text: "no class"}}
	if _, err := Classify(t.Context(), one, 1); !errors.Is(err, ErrUnfit) {
		t.Errorf("classify one class: %v", err)
	}
	if _, err := Cluster(t.Context(), one, 1); !errors.Is(err, ErrUnfit) {
		t.Errorf("cluster one class: %v", err)
	}
	if _, err := Find(t.Context(), one); !errors.Is(err, ErrUnfit) {
		t.Errorf("search without titles of two words: %v", err)
	}
}

func TestTasksStopWhenTold(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	docs := twoSites(false)
	for i := range docs {
		docs[i].Title = fmt.Sprintf("alpha%d beta%d", i, i)
	}
	if _, err := Classify(ctx, docs, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("classify: %v", err)
	}
	if _, err := Cluster(ctx, docs, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cluster: %v", err)
	}
	if _, err := Find(ctx, docs); !errors.Is(err, context.Canceled) {
		t.Errorf("search: %v", err)
	}
}

// The same pages give the same figures, to the last digit.
func TestTasksRepeat(t *testing.T) {
	run := func() string {
		a, errA := Classify(t.Context(), twoSites(true), 4)
		b, errB := Cluster(t.Context(), twoSites(true), 4)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		return fmt.Sprintf("%v %v %v %v", a.Plain, *a.Confounded, *a.Transfer, b.F)
	}
	if a, b := run(), run(); a != b {
		t.Errorf("first %s, then %s", a, b)
	}
}
