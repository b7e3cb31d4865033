package wisdom

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/base"
	"github.com/winnow-proxy/winnow/model/internal/entropy"
	"github.com/winnow-proxy/winnow/model/internal/modeltest"
	"github.com/winnow-proxy/winnow/model/page"
)

func TestContract(t *testing.T) {
	small := model.Limits{Memory: 64 << 10, Encoded: 16 << 10}
	modeltest.Check(t, Detector{Options: Options{Limits: small}}, small)
}

// coverageOf returns the tree of a page whose words have the entropies en, or 0 where en has none.
func coverageOf(t testing.TB, doc string, o Options, en map[string]float64) *coverage {
	t.Helper()
	p := modeltest.Parse(t, doc)
	h := modeltest.Key().Hasher()
	o = base.OrDefault(o, DefaultOptions())
	hashed := map[term]float64{}
	for w, v := range en {
		hashed[term(h.String(w))] = v
	}
	return newCoverage(p, readTerms(p, h), hashed, &o)
}

// By hand, with m = 4 pages. "menu" occurs once on each: EN = 1. "tea" occurs equally on two: EN = log_4 2 = ½.
// "oolong" occurs three times on one: EN = 0.
func TestEntropies(t *testing.T) {
	site := []string{"menu tea", "menu tea", "menu oolong oolong Oolong", "menu"}
	h := newHost(modeltest.Key(), Options{})
	for i, doc := range site[:3] {
		h.Observe(modeltest.Parse(t, doc), modeltest.Visit(i))
	}
	counts := readTerms(modeltest.Parse(t, strings.Join(site, " ")), h.Hasher()).counts
	last := readTerms(modeltest.Parse(t, site[3]), h.Hasher())
	h.terms.add(last.counts)
	got := h.terms.entropies(counts, true)
	for w, want := range map[string]float64{"menu": 1, "tea": 0.5, "oolong": 0} {
		if en := got[term(h.Hasher().String(w))]; math.Abs(en-want) > 1e-6 {
			t.Errorf("EN(%s) = %v, want %v", w, en, want)
		}
	}
}

// By hand: "ab cd" outside links with weights 1 − ½ and 1 − 0, and "ef" inside with 1/EN = 1/¼ = 4; "gh" has EN = 0,
// which counts as 0.1: 10. API(N) = 4 + 10.
func TestFeatures(t *testing.T) {
	c := coverageOf(t, `<div>ab <a href=/x>ef</a></div><div>cd <a href=/y>gh <b>ef</b></a> <a name=z>cd</a></div>`, Options{},
		map[string]float64{"ab": 0.5, "ef": 0.25})
	want := features{alen: 6, clen: 6, weight: 2.5, words: 3, api: 18, anchors: 3}
	if diff := cmp.Diff(want, c.features(c.root()), cmp.AllowUnexported(features{})); diff != "" {
		t.Errorf("features of the page (-want +got):\n%s", diff)
	}
	first := features{alen: 2, clen: 2, weight: 0.5, words: 1, api: 4, anchors: 1}
	if diff := cmp.Diff(first, c.features(node{from: 0, to: 1}), cmp.AllowUnexported(features{})); diff != "" {
		t.Errorf("features of the first block (-want +got):\n%s", diff)
	}
}

// By hand: shares ½ ½ give 1, ¼ ¾ with m = 2 give ¼·2 + ¾·log₂ 4/3 = 0.8113, ½ ¼ ¼ with m = 3 give 1.5/log₂ 3 = 0.9464,
// all in one of two 0, a single child 0.
func TestSII(t *testing.T) {
	clen := articles().feature
	for doc, want := range map[string]float64{
		`<p>aaaa<p>bbbb`:                       1,
		`<p>aa<p>bbbbbb`:                       0.8113,
		`<p>aaaa<p>bb<p>cc`:                    0.9464,
		`<p>aaaa<p><a href=/x>link</a>`:        0,
		`<div><p>aaaa<p>bbbb</div>`:            0,
		`<p>aaaa<br><hr><p>bbbb<img src=x>`:    1, // what shows no text is no child
		`aaaa<p>bb</p>cc`:                      0.9464,
		`<p>aaaa <b>b</b><p><i>bb</i> bbb`:     1,
		`<p><a href=/x>aa</a><p><a href>b</a>`: 0, // no text outside links at all
	} {
		c := coverageOf(t, doc, Options{}, nil)
		if got := c.sii(c.root(), clen); math.Abs(got-want) > 1e-4 {
			t.Errorf("%s: SII %.4f, want %.4f", doc, got, want)
		}
	}
}

// texts returns the text of each run.
func texts(c *coverage, runs []run) (out []string) {
	for _, r := range runs {
		var blocks []string
		for b := r.from; b < r.to; b++ {
			blocks = append(blocks, string(c.p.BlockText(nil, b)))
		}
		out = append(out, strings.Join(blocks, "|"))
	}
	return out
}

// The search by hand on CLEN. body spreads 2+20+2 unevenly (SII 0.41 over four children), so the search continues with
// its children, the largest first. main spreads 10+10 evenly and is a block.
func TestMIB(t *testing.T) {
	const doc = `<div>aa</div><main><p>bbbbbbbbbb<p>cccccccccc</main><div>dd</div><nav><a href=/x>eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee</a></nav>`
	search := func(o Options, en map[string]float64) []string {
		c := coverageOf(t, doc, o, en)
		var runs []run
		for _, n := range c.mib(articles()) {
			runs = append(runs, run{from: n.from, to: n.to})
		}
		return texts(c, runs)
	}
	for name, tt := range map[string]struct {
		o    Options
		en   map[string]float64
		want []string
	}{
		"the largest comes first; the nav has no text outside links": {Options{}, nil, []string{"bbbbbbbbbb|cccccccccc", "aa", "dd"}},
		"k":                                 {Options{Blocks: 1}, nil, []string{"bbbbbbbbbb|cccccccccc"}},
		"a lower threshold takes the page":  {Options{Threshold: 0.3}, nil, nil}, // which is more link than not
		"terms on every page weigh nothing": {Options{}, map[string]float64{"aa": 1, "dd": 1}, []string{"bbbbbbbbbb|cccccccccc"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, search(tt.o, tt.en)); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMerging(t *testing.T) {
	noise := map[string]float64{"menu": 1}
	for name, tt := range map[string]struct {
		doc  string
		want []string
	}{
		// The search finds the paragraphs (k = 2). The merge adds the title and the date.
		"siblings grow":              {`<div><h1>aa</h1><i>b</i><p>cccccccccccccccccccccc<p>dddddddd</div><div>menu</div>`, []string{"aa|b|cccccccccccccccccccccc|dddddddd"}},
		"not over what does not fit": {`<div><h1>aa</h1><p>menu<p>cccccccccccccccccccc<p>dd</div>`, []string{"aa", "cccccccccccccccccccc|dd"}},
		"cells of two rows": {`<table><tr><td>menu menu<td>aaaaaaaaaaaaaaaaaaaaaaa<tr><td>menu menu<td>bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb<tr><td>menu menu menu<td>c</table>`,
			[]string{"aaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}},
		"rows that fit": {`<div>menu menu<table><tr><td>aaaaaaaaaaaaaaaaaaa<td>x<tr><td>y y<td>bbbbbbbbbbbbbbbbbbbbbbbb</table></div><div>menu</div>`,
			[]string{"aaaaaaaaaaaaaaaaaaa|x|y y|bbbbbbbbbbbbbbbbbbbbbbbb"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := coverageOf(t, tt.doc, Options{Blocks: 2, Threshold: 0.95, MinWeight: 0.5}, noise)
			if diff := cmp.Diff(tt.want, texts(c, c.blocks(articles()))); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCollateralMerging(t *testing.T) {
	c := coverageOf(t, `<section><div><p>aa<p>x</div><div><p>y<p>bb</div><ul><li>cc</ul></section><footer>dd</footer>`, Options{}, map[string]float64{"x": 1})
	find := func(name string, nth int) page.ElementID {
		for e := range c.p.Elements {
			if c.p.Elements[e].Name == name {
				if nth--; nth < 0 {
					return page.ElementID(e)
				}
			}
		}
		t.Fatalf("no %s", name)
		return page.None
	}
	first, second, list := run{find("div", 0), 0, 1}, run{find("div", 1), 3, 4}, run{find("ul", 0), 4, 5}
	if got, ok := c.collateral(first, second, articles()); !ok || got != (run{find("section", 0), 0, 4}) {
		t.Errorf("two divs: %+v, %v", got, ok)
	}
	if got, ok := c.collateral(second, list, articles()); ok {
		t.Errorf("a div and a ul are joined: %+v", got)
	}
}

// site returns n pages with a menu, an article and a footer.
func site(n int) (docs []string) {
	for i := range n {
		words := func(k int) string {
			var b strings.Builder
			for j := range k {
				b.WriteString(strings.Repeat(string(rune('a'+(i+j)%26)), 1+(i*7+j)%9) + string(rune('a'+i%26)) + " ")
			}
			return b.String()
		}
		docs = append(docs, `<nav><a href=/>Home page</a> <a href=/a>About us</a></nav><main><h1>`+words(3)+`</h1><p>`+words(40)+`</p><p>`+
			words(30)+`</p></main><ul><li><a href=/n1>`+words(5)+`</a><li><a href=/n2>`+words(6)+`</a></ul><footer>All rights are reserved here</footer>`)
	}
	return docs
}

func TestMark(t *testing.T) {
	docs := site(6)
	h := modeltest.Learned(t, Detector{}, docs[:5]...)
	p := modeltest.Parse(t, docs[5])
	m := h.Mark(p, modeltest.Visit(5))
	var got []string
	for b, k := range m.Kinds() {
		got = append(got, p.Elements[p.Blocks[b].Element].Name+" "+k.String())
	}
	want := []string{"nav other", "h1 article", "p article", "p article", "a toc", "a toc", "footer other"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	if m.Pages != 5 || m.Pass != "" {
		t.Errorf("pages %d, pass %q", m.Pages, m.Pass)
	}
}

// On a page without an article its table of contents is the content.
func TestFrontPage(t *testing.T) {
	const nav = `<nav><a href=/>Home page</a> <a href=/a>About us</a></nav>`
	h := modeltest.Learned(t, Detector{}, site(5)...)
	p := modeltest.Parse(t, nav+`<ul><li><a href=/1>Kestrels nest again</a><li><a href=/2>Bridge opens after years</a></ul>`)
	m := h.Mark(p, modeltest.Visit(9))
	if got := m.Kinds(); !slices.Equal(got, []page.Kind{page.KindOther, page.KindTOC, page.KindTOC}) {
		t.Errorf("kinds %v", got)
	}
	if m.Verdicts[1].Noise {
		t.Error("the table of contents is noise")
	}
	if m = h.Mark(modeltest.Parse(t, nav), modeltest.Visit(10)); m.Pass == "" || len(m.Parts) > 0 {
		t.Errorf("a page of navigation alone: %+v", m)
	}
}

// A page is marked equally before and after it was learned.
func TestLearnedOrNot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := site(rapid.IntRange(1, 8).Draw(t, "pages"))
		h := newHost(modeltest.Key(), Options{})
		parse := func(i int) *page.Page {
			p, err := page.Parse([]byte(docs[i]), "text/html")
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		last := len(docs) - 1
		for i := range last {
			h.Observe(parse(i), modeltest.Visit(i))
		}
		p := parse(last)
		before := h.Mark(p, modeltest.Visit(last))
		h.Observe(p, modeltest.Visit(last))
		after := h.Mark(p, modeltest.Visit(last))
		after.Pages = before.Pages
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("before and after (-before +after):\n%s", diff)
		}
	})
}

func TestEvictKeepsWhatIsCommon(t *testing.T) {
	h := newHost(modeltest.Key(), Options{})
	for i, doc := range []string{"menu home rare", "menu home odd", "menu other"} {
		h.Observe(modeltest.Parse(t, doc), modeltest.Visit(i))
	}
	h.terms.evict(3)
	want := map[term]entropy.Sums{
		term(h.Hasher().String("menu")): {Total: 3 * entropy.One}, term(h.Hasher().String("home")): {Total: 2 * entropy.One},
	}
	if diff := cmp.Diff(want, h.terms.sums); diff != "" {
		t.Errorf("terms left (-want +got):\n%s", diff)
	}
	h.terms.evict(0)
	if len(h.terms.sums) > 0 {
		t.Errorf("%d terms left", len(h.terms.sums))
	}
}

func TestHalve(t *testing.T) {
	h := newHost(modeltest.Key(), Options{DecayEvery: 2})
	for i, doc := range []string{"menu", "menu", "menu", "menu"} {
		h.Observe(modeltest.Parse(t, doc), modeltest.Visit(i))
	}
	if got := h.terms.sums[term(h.Hasher().String("menu"))].Total; got != 2*entropy.One || h.terms.pages != 2*entropy.One {
		t.Errorf("after four pages the term counts %v, of %v pages", got.Float(), h.terms.pages.Float())
	}
	for range 6 {
		h.terms.halve()
	}
	if len(h.terms.sums) > 0 {
		t.Errorf("%d terms never vanish", len(h.terms.sums))
	}
}

func FuzzDecode(f *testing.F) {
	b, err := modeltest.Learned(f, Detector{}, site(4)...).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b[13 : len(b)-8])
	f.Fuzz(func(t *testing.T, body []byte) {
		h, err := Detector{}.Decode(modeltest.Key(), base.Format(Name, "wwis").Seal(modeltest.Key(), body)) // as if the key had signed it
		if err != nil {
			return
		}
		h.Observe(modeltest.Parse(t, site(1)[0]), modeltest.Visit(0))
		h.Mark(modeltest.Parse(t, site(1)[0]), modeltest.Visit(0))
		if _, err := h.Encode(); err != nil {
			t.Fatal(err)
		}
	})
}
