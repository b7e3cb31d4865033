package write_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
)

// markParts marks noise as [pagetest.MarkNoise] does and names parts by data-part: article, toc or records, whose
// children are records, or pairs of children where data-pairs is set.
func markParts(p *page.Page) *page.Marking {
	m := pagetest.MarkNoise(p)
	for i := range p.Elements {
		e := page.ElementID(i)
		name, _ := p.Attr(e, "data-part")
		part := page.Part{Weight: 0.5}
		switch name {
		case "article":
			part.Kind, part.Extent = page.KindArticle, p.Siblings(e, e)
		case "toc":
			part.Kind, part.Extent = page.KindTOC, p.Siblings(e, e)
		case "records":
			part = recordsOf(p, e)
		default:
			continue
		}
		m.Parts = append(m.Parts, part)
	}
	return m
}

func recordsOf(p *page.Page, e page.ElementID) page.Part {
	if p.Elements[e].Name == "table" {
		e++ // the tbody
	}
	var children []page.ElementID
	for c := range p.Children(e) {
		children = append(children, c)
	}
	step := 1
	if _, pairs := p.Attr(e, "data-pairs"); pairs {
		step = 2
	}
	part := page.Part{Kind: page.KindRecords, Weight: 0.25, Extent: p.Siblings(children[0], children[len(children)-1])}
	for i := 0; i+step <= len(children); i += step {
		part.Records = append(part.Records, p.Siblings(children[i], children[i+step-1]))
	}
	return part
}

func TestPartsGolden(t *testing.T) {
	src, err := os.ReadFile("testdata/parts/shop.html")
	if err != nil {
		t.Fatal(err)
	}
	p := pagetest.MustParse(t, src, "text/html; charset=utf-8")
	m := markParts(p)
	for _, mode := range []page.Mode{page.ModeTag, page.ModeJSON} {
		out, err := write.Page(p, m, mode)
		if err != nil {
			t.Fatal(err)
		}
		pagetest.Golden(t, "testdata/parts/shop."+mode.String()+".golden", out.Body)
	}
}

func TestTagParts(t *testing.T) {
	const score = ` data-winnow-score="0.12"`
	content := func(kind string) string { return ` data-winnow="content" data-winnow-kind="` + kind + `"` + score }
	for name, c := range map[string]struct{ src, want string }{
		"the maximal content element": {`<div data-part=article>a</div>`, `<div` + content("article") + ` data-part=article>a</div>`},
		"inside content": {`<main><p>a</p><div data-part=toc>b</div></main>`,
			`<main` + content("content") + `><p>a</p><div` + content("toc") + ` data-part=toc>b</div></main>`},
		"around noise": {`<div data-part=article>a<p class=noise>n</p></div>`,
			`<div data-winnow-kind="article"` + ` data-winnow-score="0.44"` + ` data-part=article>a<p data-winnow="noise" data-winnow-kind="other" data-winnow-score="0.75" class=noise>n</p></div>`},
		"in noise": {`<p>a</p><div class=noise id=toc data-part=toc>n</div>`,
			`<p` + content("content") + `>a</p><div data-winnow="noise" data-winnow-kind="toc" data-winnow-score="0.75" class=noise id=toc data-part=toc>n</div>`},
		"below noise": {`<p>a</p><div class=noise><p data-part=toc>n</p></div>`,
			`<p` + content("content") + `>a</p><div data-winnow="noise" data-winnow-kind="other" data-winnow-score="0.75" class=noise><p data-part=toc>n</p></div>`},
		"a row without its tbody": {`<table data-part=records><tr><td>a<tr><td>b</table>`,
			`<table` + content("records") + ` data-part=records><tr` + content("record") + `><td>a<tr` + content("record") + `><td>b</table>`},
		"records": {`<ul data-part=records><li>a<li>b</ul>`,
			`<ul` + content("records") + ` data-part=records><li` + content("record") + `>a<li` + content("record") + `>b</ul>`},
	} {
		t.Run(name, func(t *testing.T) {
			p := pagetest.MustParse(t, []byte(c.src), "")
			m := markParts(p)
			m.PageKind = page.PageUnknown
			out, err := write.Page(p, m, page.ModeTag)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(out.Body)); diff != "" {
				t.Errorf("tag (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJSONParts(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"none":                 {`<p>a</p>`, ``},
		"article":              {`<div data-part=article><p>a</p><p class=noise>n</p></div>`, `articles:[{weight:0.5 noise:false text:a links:[]}]`},
		"toc beside the rest":  {`<p>a</p><div data-part=toc class=noise><a href=" /b ">b</a></div>`, `tocs:[{weight:0.5 noise:true text:b links:[{text:b url:/b}]}]`},
		"a link that is gone":  {`<div data-part=article>a<p class=noise><a href=/n>n</a></p></div>`, `articles:[{weight:0.5 noise:false text:a links:[]}]`},
		"a link runs a script": {`<div data-part=article><a href="/a">a</a><a href="javascript:x()">b</a><a name=c>c</a></div>`, `articles:[{weight:0.5 noise:false text:abc links:[{text:a url:/a}]}]`},
		"pairs": {`<dl data-part=records data-pairs><dt><a href=/a>A</a><dd>one<dt>B<dd>two</dl>`,
			`records:[{weight:0.25 noise:false items:[{text:A one links:[{text:A url:/a}]} {text:B two links:[]}]}]`},
		"records in a line of text": {`<div data-part=records><a href=/a><b>A</b> one</a> <a href=/b><b>B</b></a></div>`,
			`records:[{weight:0.25 noise:false items:[{text:A one links:[{text:A one url:/a}]} {text:B links:[{text:B url:/b}]}]}]`},
		"a record that is gone": {`<ul data-part=records><li>a<li class=noise>n<li>b</ul>`,
			`records:[{weight:0.25 noise:false items:[{text:a links:[]} {text:b links:[]}]}]`},
	} {
		t.Run(name, func(t *testing.T) {
			p := pagetest.MustParse(t, []byte(c.src), "")
			out, err := write.Page(p, markParts(p), page.ModeJSON)
			if err != nil {
				t.Fatal(err)
			}
			var all struct{ Articles, TOCs, Records json.RawMessage }
			if err := json.Unmarshal(out.Body, &all); err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, raw := range []json.RawMessage{all.Articles, all.TOCs, all.Records} {
				if len(raw) > 0 {
					got = append(got, []string{"articles:", "tocs:", "records:"}[i]+strings.NewReplacer(`"`, "", `\n`, " ", ",", " ").Replace(string(raw)))
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("json (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBareText(t *testing.T) {
	p := pagetest.MustParse(t, []byte(`<div><p>p</p>a <a href=/b>b <i>i</i></a> c<p>q</p></div>`), "")
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks)), Parts: []page.Part{{Kind: page.KindArticle, Extent: page.Bare(1, 2)}}}
	out, err := write.Page(p, m, page.ModeJSON)
	if err != nil {
		t.Fatal(err)
	}
	var d jsondoc.Document
	if err := json.Unmarshal(out.Body, &d); err != nil {
		t.Fatal(err)
	}
	want := []jsondoc.Part{{Item: jsondoc.Item{Text: "a b i c", Links: []jsondoc.Link{{Text: "b i", URL: "/b"}}}}}
	if diff := cmp.Diff(want, d.Articles); diff != "" {
		t.Errorf("articles (-want +got):\n%s", diff)
	}
	if got := d.Blocks[1].Kind; got != "article" {
		t.Errorf("the block's kind is %s", got)
	}
}

// The narrowest part names a block, and noise has the name of its mark.
func TestKinds(t *testing.T) {
	p := pagetest.MustParse(t, []byte(`<div data-part=article><p>a</p><ul data-part=records><li>b<li>c<p class=noise id=ad>n</p></ul><p data-part=toc>d</p></div><p>e</p>`), "")
	var got []string
	for _, k := range markParts(p).Kinds() {
		got = append(got, k.String())
	}
	want := "article record record ad toc content"
	if strings.Join(got, " ") != want {
		t.Errorf("kinds are %v, want %s", got, want)
	}
}

func TestSiblings(t *testing.T) {
	p := pagetest.MustParse(t, []byte(`<div><i>a</i><p>b</p><b>c</b> d <p>e</p></div>`), "")
	find := func(name string) page.ElementID {
		for e := range p.Elements {
			if p.Elements[e].Name == name {
				return page.ElementID(e)
			}
		}
		t.Fatalf("no %s", name)
		return page.None
	}
	for _, c := range []struct {
		first, last string
		from, to    page.BlockID
	}{
		{"i", "i", 0, 1}, {"i", "p", 0, 2}, {"p", "b", 1, 2}, {"b", "b", 2, 2}, {"i", "b", 0, 2},
	} {
		x := p.Siblings(find(c.first), find(c.last))
		if x.BlockStart != c.from || x.BlockEnd != c.to {
			t.Errorf("%s to %s: blocks %d to %d, want %d to %d", c.first, c.last, x.BlockStart, x.BlockEnd, c.from, c.to)
		}
	}
}

// Parts only add attributes: except for data-winnow attributes the page is unchanged, and no element has two of one
// name.
func TestTagPartsKeepsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := pagetest.Implied(t)
		p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
		if err != nil {
			t.Skip(err)
		}
		m := pagetest.RandomMarking(p, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "draw") })
		m.Parts = randomParts(t, p)
		out, err := write.Page(p, m, page.ModeTag)
		if err != nil {
			t.Fatal(err)
		}
		tagged := string(out.Body)
		for tag := range strings.SplitSeq(tagged, "<") {
			tag, _, _ = strings.Cut(tag, ">")
			for _, attr := range []string{"data-winnow=", "data-winnow-kind=", "data-winnow-score="} {
				if strings.Count(tag, attr) > 1 {
					t.Fatalf("two of %s in <%s>", attr, tag)
				}
			}
		}
		if got := withoutLabels(tagged); got != src {
			t.Fatalf("without its labels the page is\n%s\nwant\n%s", got, src)
		}
		if _, err := write.Page(p, m, page.ModeJSON); err != nil {
			t.Fatal(err)
		}
	})
}

func randomParts(t *rapid.T, p *page.Page) []page.Part {
	var parts []page.Part
	for range rapid.IntRange(0, 5).Draw(t, "parts") {
		e := page.ElementID(rapid.IntRange(0, len(p.Elements)-1).Draw(t, "at"))
		last := e
		for next := p.Elements[last].Sub; rapid.Bool().Draw(t, "longer") && int(next) < len(p.Elements) &&
			p.Elements[next].Parent == p.Elements[e].Parent; next = p.Elements[last].Sub {
			last = next
		}
		part := page.Part{Kind: rapid.SampledFrom([]page.Kind{page.KindArticle, page.KindTOC, page.KindRecords}).Draw(t, "kind"), Extent: p.Siblings(e, last)}
		if part.Kind == page.KindRecords && e > 0 {
			for top := range p.Tops(part.Extent) {
				part.Records = append(part.Records, p.Siblings(top, top))
			}
		}
		parts = append(parts, part)
	}
	return parts
}

func withoutLabels(src string) string {
	return regexp.MustCompile(`( data-winnow="[a-z]+")? data-winnow-kind="[a-z-]+" data-winnow-score="[0-9.]+"`).ReplaceAllString(src, "")
}
