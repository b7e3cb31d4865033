package features

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/styletree"
)

func TestMainContainer(t *testing.T) {
	prose := strings.Repeat("All of these words make up a long paragraph of running text, which is what stories are made of. ", 2)
	v := viewtest.ViewOf(t, `<body><div id="menu"><a href="/a">A</a></div><div id="outer"><div id="story"><p>`+prose+`</p><p>`+prose+`</p></div>
		<div id="side"><p>`+prose+`</p></div></div>`)
	if id, _ := v.Doc.Attr(v.Main, "id"); id != "story" {
		t.Errorf("the main container is %q", id)
	}
	for i := range v.Blocks {
		row := (&Input{Page: v}).mainRow(nil, i)
		inside := v.Doc.Contains(v.Main, v.Blocks[i].Home)
		if len(row) != 5 || (row[0] == 1) != inside || inside != (row[1] == 0 && row[2] == 0) {
			t.Errorf("block %d, inside %v, has the row %v", i, inside, row)
		}
	}
}

// thirdPage is what is known about a page after two others. The scores are made up.
func thirdPage(t *testing.T, src string) (*Input, *Evidence) {
	t.Helper()
	m := memory.NewMemory(1 << 20)
	for i := range 2 {
		v := viewtest.ViewOf(t, viewtest.SitePage(i))
		m.Learn(v, scoresFor(v, 5))
	}
	v := viewtest.ViewOf(t, src)
	ev := NewEvidence(memory.Recall{Memory: m}, v)
	for e := range v.Elements {
		ev.Partners = append(ev.Partners, styletree.Partner{Importance: float32(e%5) / 5})
	}
	in := &Input{Page: v}
	in.StartSums()
	ev.Compared(in)
	ev.Rescore(scoresFor(v, 5))
	return in, ev
}

func scoresFor(v *view.Page, n int) []float32 {
	scores := make([]float32, len(v.Blocks))
	for i := range scores {
		scores[i] = float32(i%n) / float32(n)
	}
	return scores
}

// A block with a link to a page that was seen, and with that page's title, is recognised as a teaser.
func TestTeasersAreKnown(t *testing.T) {
	m := memory.NewMemory(1 << 20)
	bridge := viewtest.ViewAt(t, `<title>The old bridge - Gazette</title><body><h1>The old bridge</h1><p>It fell.</p>`, "http://g.example/bridge")
	m.Learn(bridge, scoresFor(bridge, 5))
	v := viewtest.ViewAt(t, `<body><a href="/bridge">The old bridge</a><p><a href="/other">The old bridge</a><p>It fell.`, "http://g.example/")
	ev := NewEvidence(memory.Recall{Memory: m}, v)
	var got [][]float32
	for i := range v.Blocks {
		got = append(got, ev.teaserRow(nil, i))
	}
	if d := cmp.Diff([][]float32{{1, 1, 1}, {1, 0, 0}, {0, 0, 0}}, got); d != "" {
		t.Errorf("title, target, teaser (-want +got):\n%s", d)
	}
}

// Where the page scores change, as for another convention, only the features of the groups that rest on them change, so
// that the others need not be read again.
func TestWhichHostFeaturesRestOnPageScores(t *testing.T) {
	v, ev := thirdPage(t, viewtest.SitePage(3))
	rows := func() (all [][]float32) {
		for i := range v.Blocks {
			all = append(all, ev.HostRow(nil, i))
		}
		return all
	}
	before := rows()
	ev.Rescore(scoresFor(v.Page, 7))
	after := rows()
	at := 0
	for n, g := range All().Host {
		changed := false
		for i := range before {
			changed = changed || !slices.Equal(before[i][at:at+len(g.Names)], after[i][at:at+len(g.Names)])
		}
		if changed && !All().Scored[n] {
			t.Errorf("the group of %s changed", g.Names[0])
		}
		if n == 0 && !changed {
			t.Error("the page scores did not change")
		}
		at += len(g.Names)
	}
}

// Where a group of features says that a row has the values of the row before, it has.
func TestBlocksOfOnePartHaveTheSameValues(t *testing.T) {
	v, ev := thirdPage(t, viewtest.SitePage(3)+`<h2>Part</h2><div class=menu>a<br>b<br>c<p class=menu>d<p class=menu>e<p class=text>f</div>`)
	c := &forest.Comparison{Rows: len(v.Blocks)}
	FindStarts(c, v.Page)
	if same := partsAgree(t, c, All().Page, v) + partsAgree(t, c, All().Host, ev); same < 100 {
		t.Errorf("only %d times", same)
	}
}

// partsAgree returns how often rows are of one part with the row before, and verifies that the values for them are the
// same.
func partsAgree[T any](t *testing.T, c *forest.Comparison, groups []forest.Group[T], of T) (same int) {
	t.Helper()
	for _, g := range groups {
		for i := range c.Rows {
			if c.Begins(g.Part, i/forest.GroupSize)>>(i%forest.GroupSize)&1 != 0 {
				continue
			}
			same++
			if before, own := g.Fill(of, nil, i-1), g.Fill(of, nil, i); !slices.Equal(before, own) {
				t.Errorf("the group of %s: block %d of the same part has %v, the one before %v", g.Names[0], i, own, before)
			}
		}
	}
	return same
}

// The table names every value of a row exactly once.
func TestFeatureTable(t *testing.T) {
	first, full := FeatureNames()
	v, ev := thirdPage(t, viewtest.SitePage(3))
	for i := range v.Blocks {
		if got := len(v.PageRow(i)); got != len(first) {
			t.Fatalf("a page row has %d values for %d names", got, len(first))
		}
		if got := len(ev.HostRow(v.PageRow(i), i)); got != len(full) {
			t.Fatalf("a full row has %d values for %d names", got, len(full))
		}
	}
	seen := map[string]bool{}
	for _, n := range full {
		if seen[n] {
			t.Errorf("two features are called %s", n)
		}
		seen[n] = true
	}
	for _, g := range All().Page {
		if got := len(g.Fill(v, nil, 1)); got != len(g.Names) {
			t.Errorf("group %s gives %d values for %d names", g.Names[0], got, len(g.Names))
		}
	}
	for _, g := range All().Host {
		if got := len(g.Fill(ev, nil, 1)); got != len(g.Names) {
			t.Errorf("group %s gives %d values for %d names", g.Names[0], got, len(g.Names))
		}
	}
}
