package styletree_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// site is a site of four pages: a menu and a footer that are the same on all, an article that never is.
func site() []string {
	var pages []string
	for _, text := range []string{"alpha beta", "gamma delta", "epsilon zeta", "eta theta"} {
		pages = append(pages, `<ul class=menu><li><a href="/">Home</a><li><a href="/n">News</a></ul>`+
			`<div class=main><h1>About</h1><p>`+text+`</p></div>`+`<p class=foot>All rights reserved</p>`)
	}
	return pages
}

func TestMarkNoiseAndMeaningful(t *testing.T) {
	tree := learned(t, exact(), site()...)
	b := body(t, tree)
	below := children(b)[0]
	main := children(below[1])[0]
	for _, tt := range []struct {
		what string
		node styletree.Node
		want styletree.Verdict
	}{
		{"virtual root", tree.Root(), styletree.Mixed},
		{"body", b, styletree.Mixed},
		{"menu", below[0], styletree.Noisy},
		{"menu entry", children(below[0])[0][1], styletree.Noisy},
		{"main", below[1], styletree.Mixed},
		{"heading that never changes", main[0], styletree.Noisy},
		{"article", main[1], styletree.Meaningful},
		{"footer", below[2], styletree.Noisy},
	} {
		if tt.node.Verdict != tt.want {
			t.Errorf("%s: %v, want %v", tt.what, tt.node.Verdict, tt.want)
		}
	}
}

// An element node of low importance is not noisy when something in it is important. Six pages, of which the DIV has
// one P on five (the same word) and on one a P beside an empty P: importance 1 there.
//
//	NodeImp(DIV) = −(5/6·ln 5/6 + 1/6·ln 1/6)/ln 6 = (0.1519 + 0.2986)/1.7918 = 0.2515
//	CompImp(DIV) = 0.19·0.2515 + 0.81·(5/6·0 + 1/6·1) = 0.0478 + 0.1350 = 0.1828 ≤ 0.3
func TestImportantDescendantSpoilsNoise(t *testing.T) {
	same := `<div><p>menu</p></div>`
	tree := learned(t, exact(), same, same, same, same, same, `<div><p>menu</p><p></p></div>`)
	div := children(body(t, tree))[0][0]
	near(t, "CompImp(DIV)", div.CompImp, 0.1828)
	if div.Verdict != styletree.Mixed {
		t.Errorf("DIV is %v, want mixed: one of its descendants has importance 1", div.Verdict)
	}
}

// marks returns the texts of the noisy and of the other blocks.
func marks(p *page.Page, m *page.Marking) (noise, content []string) {
	for i, b := range p.Blocks {
		var text strings.Builder
		for _, s := range p.Texts[b.TextStart:b.TextEnd] {
			text.WriteString(s.Data)
		}
		if s := strings.TrimSpace(text.String()); m.Verdicts[i].Noise {
			noise = append(noise, s)
		} else {
			content = append(content, s)
		}
	}
	return noise, content
}

func TestMapPage(t *testing.T) {
	menu := `<ul class=menu><li><a href="/">Home</a><li><a href="/n">News</a></ul>`
	foot := `<p class=foot>All rights reserved</p>`
	tests := []struct {
		name, body     string
		noise, content []string
	}{
		{"new article", menu + `<div class=main><h1>About</h1><p>iota</p></div>` + foot,
			[]string{"Home", "News", "About", "All rights reserved"}, []string{"iota"}},
		{"noise is noise whatever stands in it now", menu + `<div class=main><h1>New</h1><p>iota</p></div>` + foot,
			[]string{"Home", "News", "New", "All rights reserved"}, []string{"iota"}},
		{"an unseen sequence is content", menu + `<div class=main><h1>About</h1><p>iota</p><p>kappa</p></div>` + foot,
			[]string{"Home", "News", "All rights reserved"}, []string{"About", "iota", "kappa"}},
		{"so is an unseen page", `<div><p>Home</p></div>`, nil, []string{"Home"}},
	}
	tree := learned(t, exact(), site()...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := parse(t, tt.body)
			noise, content := marks(p, tree.Mark(p, model.Visit{}))
			if !slices.Equal(noise, tt.noise) || !slices.Equal(content, tt.content) {
				t.Errorf("noise %q, content %q; want %q, %q", noise, content, tt.noise, tt.content)
			}
		})
	}
}

func TestMarksAreMaximal(t *testing.T) {
	tree := learned(t, exact(), site()...)
	p := parse(t, site()[0])
	var tags []string
	for _, m := range tree.Mark(p, model.Visit{}).Marks {
		tags = append(tags, p.Elements[m.Element].Name)
		if m.Kind != page.KindOther || m.Score < 0.5 || m.Score > 1 {
			t.Errorf("mark on %s: kind %v, score %v", p.Elements[m.Element].Name, m.Kind, m.Score)
		}
	}
	if !slices.Equal(tags, []string{"ul", "h1", "p"}) {
		t.Errorf("marks on %v, want ul, h1, p", tags)
	}
}

func TestUntilTwoPagesAllIsContent(t *testing.T) {
	p := parse(t, site()[0])
	for pages := range 2 {
		m := learned(t, exact(), site()[:pages]...).Mark(p, model.Visit{})
		if len(m.Marks) > 0 || m.Pages != pages {
			t.Errorf("after %d pages: %d marks on %d pages, want none", pages, len(m.Marks), m.Pages)
		}
		for i, v := range m.Verdicts {
			if v.Noise || v.Score >= 0.5 {
				t.Errorf("after %d pages block %d is %+v, want content", pages, i, v)
			}
		}
	}
}

func TestNoSentenceLosesWords(t *testing.T) {
	var bodies []string
	for _, w := range []string{"un", "deux", "trois"} {
		bodies = append(bodies, `<p>`+w+` `+w+w+` says <b>Reuters</b></p>`)
	}
	p := parse(t, bodies[0])
	tree := learned(t, exact(), bodies...)
	if b := children(children(body(t, tree))[0][0])[0][0]; b.Tag != "b" || b.Verdict != styletree.Noisy {
		t.Fatalf("%s is %v: the test wants a noisy b", b.Tag, b.Verdict)
	}
	m := tree.Mark(p, model.Visit{})
	if len(m.Marks) > 0 {
		t.Errorf("%s is marked, which holds a part of a sentence", p.Elements[m.Marks[0].Element].Name)
	}
}

// The span holds the end of one block and the whole of another; the other way round in the second case.
func TestPartsOfBlocksAreNotMarked(t *testing.T) {
	for _, form := range []string{
		`<section>%s %s<span>menu<div>menu</div></span></section>`,
		`<section><span><div>menu</div>menu</span>%s %s</section>`,
	} {
		var bodies []string
		for _, w := range []string{"un", "deux", "trois"} {
			bodies = append(bodies, fmt.Sprintf(form, w, w+w))
		}
		p := parse(t, bodies[0])
		m := learned(t, exact(), bodies...).Mark(p, model.Visit{})
		if len(m.Marks) != 1 || p.Elements[m.Marks[0].Element].Name != "div" {
			t.Errorf("%s: marks %+v, want one on the div", form, m.Marks)
		}
	}
}

func TestBannerWithoutTextIsMarkedAndSpacerIsNot(t *testing.T) {
	var bodies []string
	for _, w := range []string{"un", "deux", "trois"} {
		bodies = append(bodies, `<div><img src=/ad.png></div><hr><p>`+w)
	}
	p := parse(t, bodies[0])
	m := learned(t, exact(), bodies...).Mark(p, model.Visit{})
	if len(m.Marks) != 1 || p.Elements[m.Marks[0].Element].Name != "div" {
		t.Errorf("marks %+v, want one on the div of the banner", m.Marks)
	}
}

// For any learned and any marked page, the marking is consistent: scores are on the verdict's side of one half, marks
// are disjoint and in order, and noise is exactly where the marks are.
func TestMarkingsAreConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := bodies(2, 8).Draw(t, "pages")
		p := parse(t, pages[0])
		m := learned(t, exact(), pages[rapid.IntRange(0, 1).Draw(t, "from"):]...).Mark(p, model.Visit{})
		marked, end := make([]bool, len(p.Blocks)), page.ElementID(0)
		for _, mark := range m.Marks {
			if mark.Element < end {
				t.Fatalf("mark on element %d, within or before the last, which ends at %d", mark.Element, end)
			}
			end = p.Elements[mark.Element].Sub
			for b := mark.BlockStart; b < mark.BlockEnd; b++ {
				marked[b] = true
			}
		}
		for b, v := range m.Verdicts {
			if v.Noise != marked[b] || v.Noise && !(0.5 <= v.Score && v.Score <= 1) ||
				!v.Noise && !(0 <= v.Score && v.Score <= 0.5) {
				t.Fatalf("block %d: %+v, in a mark: %v", b, v, marked[b])
			}
		}
	})
}

func TestPageOfNoiseAlonePasses(t *testing.T) {
	same := `<p>Sign in to go on</p>`
	if m := learned(t, exact(), same, same).Mark(parse(t, same), model.Visit{}); m.Pass != "no-content" {
		t.Errorf("Pass = %q, want no-content", m.Pass)
	}
}

func TestPageWithoutBody(t *testing.T) {
	tree := learned(t, exact(), site()...)
	p := &page.Page{Body: page.None}
	if tree.Learn(p, visit(99)) {
		t.Error("a page without body was learned")
	}
	if m := tree.Mark(p, model.Visit{}); len(m.Marks) > 0 || len(m.Verdicts) > 0 || m.Pass == "" {
		t.Errorf("marking %+v of a page without body, want it passed", m)
	}
}

func TestPageOfPicturesAlonePasses(t *testing.T) {
	same := `<img src=a.png>`
	if m := learned(t, exact(), same, same).Mark(parse(t, same), model.Visit{}); m.Pass != "no-content" || len(m.Marks) > 0 {
		t.Errorf("marking %+v of a page without text, want it passed", m)
	}
}
