package policy_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/model/page/write"
)

func TestKindSetReadsNames(t *testing.T) {
	var s page.KindSet
	if err := s.UnmarshalText([]byte(" comments, TOC,byline")); err != nil || s != page.Kinds(page.KindComments, page.KindTOC, page.KindByline) {
		t.Errorf("got %s (%v)", s, err)
	}
	if got := s.String(); got != "toc,comments,byline" {
		t.Errorf("the set is written %q", got)
	}
	for _, bad := range []string{"coments", "content", "record", "nav,,toc", ","} {
		err := s.UnmarshalText([]byte(bad))
		if err == nil || !strings.Contains(err.Error(), "is not one of action, ad, byline") {
			t.Errorf("%q: error %v, want one that lists the kinds", bad, err)
		}
	}
	if err := s.UnmarshalText(nil); err != nil || s != 0 {
		t.Errorf("an empty list gives %s (%v)", s, err)
	}
}

func TestPolicyWith(t *testing.T) {
	got := policy.Default().With(page.Kinds(page.KindComments, page.KindNav), page.Kinds(page.KindPagination, page.KindNav))
	if got.Keep != page.Kinds(page.KindAction, page.KindComments, page.KindNav) || got.Drop != page.Kinds(page.KindPagination) {
		t.Errorf("keep %s, drop %s", got.Keep, got.Drop)
	}
}

// The elements that people act with stay on the templates of a shop, a forum and a chat, and nothing else comes back.
func TestActionsStay(t *testing.T) {
	for file, want := range map[string]struct{ stays, goes []string }{
		"shop.html": {
			[]string{"Add to cart", "Copper kettle", "Manual"},
			[]string{"Kettles", "Tea pot", "Subscribe", "Search", "Accept all", "All rights", "Log in", "Deutsch", "Catalogue", "48"},
		},
		"thread.html": {
			[]string{"Next", "Post Reply", "Quick reply", "How do I sharpen", `name="message"`, `rel="next"`, "viewtopic.php?t=7&amp;start=20"},
			[]string{"Board index", "Who is online", "Memberlist", "Mo Tu We", "Search"},
		},
		"chat.html": {
			[]string{`contenteditable="true"`, "Send", "Hello there"},
			[]string{"Rooms", "Settings", "Help"},
		},
		"results.html": {
			[]string{`value="kettle"`, "Kettles on fire", "«"},
			[]string{"Sign up for news", "Imprint"},
		},
	} {
		t.Run(file, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join("testdata", "actions", file))
			if err != nil {
				t.Fatal(err)
			}
			p := pagetest.MustParse(t, src, "text/html; charset=utf-8")
			out, err := write.Page(p, policy.Default().Apply(p, pagetest.MarkNoise(p)), page.ModeRemove)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range want.stays {
				if !strings.Contains(string(out.Body), s) {
					t.Errorf("%q is lost", s)
				}
			}
			for _, s := range want.goes {
				if !strings.Contains(string(src), s) {
					t.Errorf("%q is not in the page", s)
				}
				if strings.Contains(string(out.Body), s) {
					t.Errorf("%q stays", s)
				}
			}
			if t.Failed() {
				t.Logf("output:\n%s", out.Body)
			}
		})
	}
}

// Logins and choices of language are on every page of a site. Who asks for actions gets them, in every mode.
func TestActionsOfTheSiteStayOnRequest(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "actions", "shop.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []page.Mode{page.ModeRemove, page.ModeText} {
		for keep, want := range map[page.KindSet]bool{0: false, page.Kinds(page.KindAction): true} {
			p := pagetest.MustParse(t, src, "text/html; charset=utf-8")
			out, err := write.Page(p, policy.Default().With(keep, 0).ForMode(mode).Apply(p, pagetest.MarkNoise(p)), mode)
			if err != nil {
				t.Fatal(err)
			}
			for _, action := range []string{"Log in", "Deutsch"} {
				if got := strings.Contains(string(out.Body), action); got != want {
					t.Errorf("mode %s, keep %q: %q stays: %t, want %t", mode, keep, action, got, want)
				}
			}
		}
	}
}

func TestPolicyKeepsAndDrops(t *testing.T) {
	const src = `<header class=noise id=header><nav>menu</nav><p class=byline>By Ann</p>logo</header><h1>T</h1><p>text</p><time>May</time>
<figure><img src=a><figcaption>A caption</figcaption></figure><aside class=noise id=related>more</aside><div id=comments>first!</div><p class=noise id=pagination>2</p>`
	for _, c := range []struct{ keep, drop, want string }{
		{"", "", "T text May A caption first! 2"},
		{"related", "", "T text May A caption more first! 2"},
		{"nav,byline", "", "menu By Ann T text May A caption first! 2"},
		{"", "caption,date,pagination", "T text first!"},
		{"", "comments", "T text May A caption 2"},
	} {
		p := pagetest.MustParse(t, []byte(src), "")
		var keep, drop page.KindSet
		if keep.UnmarshalText([]byte(c.keep)) != nil || drop.UnmarshalText([]byte(c.drop)) != nil {
			t.Fatal("bad kinds")
		}
		m := pagetest.MarkNoise(p)
		m.PageKind = page.PageForum
		if c.drop == "comments" {
			m.PageKind = page.PageArticle
		}
		pol := policy.Policy{Keep: page.Kinds(page.KindPagination)}.With(keep, drop)
		got := strings.Join(strings.Fields(pagetest.PlainText(p, pol.Apply(p, m))), " ")
		if got != c.want {
			t.Errorf("keep %q drop %q: %q, want %q", c.keep, c.drop, got, c.want)
		}
	}
}

// A policy never changes its marking. The marks of the result are disjoint, in order, and agree with the verdicts.
func TestPolicyGivesSoundMarkings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.OneOf(rapid.Custom(pagetest.WellFormed), rapid.Custom(pagetest.Soup)).Draw(t, "source")
		p := pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8")
		m := pagetest.WholeBlocks(p, pagetest.RandomMarking(p, pagetest.Drawer(t)))
		before := slices.Clone(m.Verdicts)
		got := policy.Policy{Keep: page.KindSet(rapid.Uint32().Draw(t, "keep")), Drop: page.KindSet(rapid.Uint32().Draw(t, "drop"))}.Apply(p, m)
		if !slices.Equal(before, m.Verdicts) {
			t.Fatal("the marking that was given has changed")
		}
		if got == m {
			return // nothing to judge: it is the one that was drawn
		}
		marked := make([]bool, len(p.Blocks))
		last := int32(-1)
		for _, mark := range got.Marks {
			if at := startOf(p, mark); at < last {
				t.Fatalf("marks are out of order: %+v", got.Marks)
			} else {
				last = at
			}
			for b := mark.BlockStart; b < mark.BlockEnd; b++ {
				if marked[b] {
					t.Fatalf("block %d is marked twice: %+v", b, got.Marks)
				}
				marked[b] = true
			}
		}
		for b, v := range got.Verdicts {
			if marked[b] != v.Noise {
				t.Fatalf("block %d: marked %t, noise %t\n%s", b, marked[b], v.Noise, src)
			}
		}
	})
}

// startOf orders marks by their position in the page.
func startOf(p *page.Page, m page.Mark) int32 {
	if m.Element != page.None {
		return 2 * p.Elements[m.Element].TextStart
	}
	return 2*p.Blocks[m.BlockStart].TextStart + 1
}
