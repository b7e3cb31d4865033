package override

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/model/page/write"
)

const src = `<html><body><div id=top>Menu <a href=/a>About</a></div><main><p class=lead>Lead <i>words</i></p><p>Story text</p>loose words
<div class=box><b>Box title</b><span id=price>9,00 EUR</span></div></main><div id=end>Foot</div></body></html>`

// marked is a detector's marking of src: top, end, the box and the loose words are noise.
func marked(t interface{ Fatal(...any) }) (*page.Page, *page.Marking) {
	p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Pages: 4}
	for e := range p.Elements {
		id, class := attr(p, e, "id"), attr(p, e, "class")
		if el := p.Elements[e]; id == "top" || id == "end" || class == "box" {
			m.Marks = append(m.Marks, page.Mark{Element: page.ElementID(e), BlockStart: el.BlockStart, BlockEnd: el.BlockEnd, Kind: page.KindNav, Score: .9})
			for b := el.BlockStart; b < el.BlockEnd; b++ {
				m.Verdicts[b] = page.Verdict{Noise: true, Score: .9}
			}
		}
	}
	return p, m
}

func attr(p *page.Page, e int, key string) string {
	v, _ := p.Attr(page.ElementID(e), key)
	return v
}

func shown(t interface{ Fatal(...any) }, p *page.Page, m *page.Marking) string {
	out, err := write.Page(p, m, page.ModeRemove)
	if err != nil {
		t.Fatal(err)
	}
	again, err := page.Parse(out.Body, "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for b := range again.Blocks {
		text = append(text, string(again.BlockText(nil, page.BlockID(b))))
	}
	return strings.Join(text, "|")
}

func compile(t testing.TB, s Site) *Rules {
	t.Helper()
	rules, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name string
		site Site
		want string
		pass string
	}{
		{"nothing matches", Site{Keep: []string{"#none"}, Remove: []string{".none"}}, "Lead words|Story text|loose words", ""},
		{"remove", Site{Remove: []string{"p.lead"}}, "Story text|loose words", ""},
		{"remove several", Site{Remove: []string{"p, i"}}, "loose words", ""},
		{"keep what was marked", Site{Keep: []string{"#end"}}, "Lead words|Story text|loose words|Foot", ""},
		{"keep a part of what was marked", Site{Keep: []string{"#price"}}, "Lead words|Story text|loose words|9,00 EUR", ""},
		{"keep inside remove", Site{Remove: []string{"main"}, Keep: []string{".lead"}}, "Lead words", ""},
		{"remove inside keep", Site{Keep: []string{"#top"}, Remove: []string{"#top a"}}, "Menu|Lead words|Story text|loose words", ""},
		{"remove inside a block", Site{Remove: []string{"i"}}, "Lead|Story text|loose words", ""},
		{"both on one", Site{Keep: []string{"p"}, Remove: []string{"p.lead"}}, "Lead words|Story text|loose words", ""},
		{"by text and place", Site{Remove: []string{"main > p:contains(Story), :root > body > main > p:first-child"}}, "loose words", ""},
		{"ignore", Site{Ignore: []string{"#price"}, Remove: []string{"p"}}, "", "override"},
		{"nothing left", Site{Remove: []string{"body"}}, "", "no-content"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, m := marked(t)
			got := compile(t, c.site).Apply(p, m)
			if got.Pass != c.pass {
				t.Fatalf("the page passes for %q, want %q", got.Pass, c.pass)
			}
			if c.pass != "" {
				return
			}
			if text := shown(t, p, got); text != c.want {
				t.Errorf("shown is %q, want %q", text, c.want)
			}
		})
	}
}

// A matching rule overrides a detector that passes the page.
func TestRulesOverrideAPass(t *testing.T) {
	p, m := marked(t)
	m.Pass, m.Marks = "no-content", nil
	if got := compile(t, Site{Keep: []string{"p"}}).Apply(p, m); got.Pass != "" {
		t.Errorf("the page passes for %q", got.Pass)
	}
	if got := compile(t, Site{Keep: []string{"table"}}).Apply(p, m); got.Pass != "no-content" {
		t.Errorf("without a match the page passes for %q", got.Pass)
	}
}

func TestNoRulesChangeNothing(t *testing.T) {
	var none *Rules
	p, m := marked(t)
	if none.Apply(p, m) != m || none.Ignores(p) {
		t.Error("no rules change something")
	}
}

// Rules that remove something else have another fingerprint. Their tests, and rules of other hosts, don't count.
func TestFingerprint(t *testing.T) {
	base := Site{Keep: []string{"p"}, Remove: []string{"a", "b"}}
	tested := base
	tested.Test = []Test{{File: "x.html"}}
	if a, b := compile(t, base).Fingerprint(), compile(t, tested).Fingerprint(); a != b || a == 0 {
		t.Errorf("the same rules have %x and %x", a, b)
	}
	seen := map[uint64]int{(*Rules)(nil).Fingerprint(): -1}
	for i, s := range []Site{{}, base, {Keep: []string{"a", "b"}, Remove: []string{"p"}}, {Keep: []string{"p"}, Ignore: []string{"a", "b"}},
		{Keep: []string{"p"}, Remove: []string{"a,b"}}, {Keep: []string{"p", "a"}, Remove: []string{"b"}}} {
		f := compile(t, s).Fingerprint()
		if j, ok := seen[f]; ok {
			t.Errorf("rules %d and %d have one fingerprint", i, j)
		}
		seen[f] = i
	}
}

func TestBadRules(t *testing.T) {
	for want, site := range map[string]Site{
		`keep: selector "p["`:                 {Keep: []string{"p["}},
		"test 1: give either a file or a url": {Test: []Test{{Has: []string{"a"}}}},
	} {
		if _, err := Compile(site); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// For any rules, marks are disjoint, in order, and agree with the verdicts.
func TestMarksHoldTogether(t *testing.T) {
	selectors := rapid.SliceOfN(rapid.SampledFrom([]string{"p", "div", "main", "#top", "a", "i", "b", ".box", "#price", "body", "span"}), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		p, m := marked(t)
		rules, err := Compile(Site{Keep: selectors.Draw(t, "keep"), Remove: selectors.Draw(t, "remove")})
		if err != nil {
			t.Fatal(err)
		}
		got := rules.Apply(p, m)
		if got.Pass != "" {
			return
		}
		next := page.BlockID(0)
		marked := make([]bool, len(p.Blocks))
		for _, mark := range got.Marks {
			if mark.BlockStart < next {
				t.Fatalf("mark %+v overlaps the one before it", mark)
			}
			next = mark.BlockEnd
			for b := mark.BlockStart; b < mark.BlockEnd; b++ {
				marked[b] = true
			}
		}
		for b, v := range got.Verdicts {
			if v.Noise != marked[b] {
				t.Fatalf("block %d: noise %v, marked %v", b, v.Noise, marked[b])
			}
		}
	})
}

// A removed part or record is not listed. Other parts stay as they are.
func TestApplyToParts(t *testing.T) {
	p, m := marked(t)
	var main, box page.ElementID
	for e := range p.Elements {
		if p.Elements[e].Name == "main" {
			main = page.ElementID(e)
		}
		if attr(p, e, "class") == "box" {
			box = page.ElementID(e)
		}
	}
	m.Parts = []page.Part{
		{Kind: page.KindRecords, Extent: p.Siblings(main+1, main+1), Records: []page.Extent{p.Siblings(main+1, main+1), p.Siblings(box, box)}},
		{Kind: page.KindTOC, Extent: p.Siblings(box, box)},
	}
	out := compile(t, Site{Remove: []string{".box"}}).Apply(p, m)
	if len(out.Parts) != 1 || out.Parts[0].Kind != page.KindRecords || len(out.Parts[0].Records) != 1 {
		t.Errorf("parts are %+v", out.Parts)
	}
	if len(m.Parts) != 2 || len(m.Parts[0].Records) != 2 {
		t.Errorf("the marking itself was changed: %+v", m.Parts)
	}
	if out = compile(t, Site{Ignore: []string{"main"}}).Apply(p, m); out.Parts != nil {
		t.Errorf("a page that passes has parts: %+v", out.Parts)
	}
}

func TestKindsOfAHost(t *testing.T) {
	all := policy.Default()
	var none *Rules
	if got := none.Policy(all); got != all {
		t.Errorf("without rules: %+v", got)
	}
	r := compile(t, Site{KeepKinds: page.Kinds(page.KindNav, page.KindComments), DropKinds: page.Kinds(page.KindPagination)})
	if got, want := r.Policy(all), (policy.Policy{Keep: page.Kinds(page.KindAction, page.KindNav, page.KindComments), Drop: page.Kinds(page.KindPagination)}); got != want {
		t.Errorf("policy %+v, want %+v", got, want)
	}
}
