package blend

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// headingsOf lists the blocks of a page with the headings above them, the innermost first.
func headingsOf(v *view) (out []string) {
	for i, s := range v.sectionOf {
		line := string(v.p.BlockText(nil, page.BlockID(i)))
		for ; s >= 0; s = v.sections[s].outer {
			line += " < " + string(v.p.BlockText(nil, v.sections[s].heading))
		}
		out = append(out, line)
	}
	return out
}

func TestSections(t *testing.T) {
	v := viewOf(t, `<body><p>before</p><h1>Title</h1><p>one</p><h2>Part</h2><p>two</p>
		<aside><h3>More</h3><p>three</p></aside><p>four</p><h2>Next</h2><p>five</p>
		<div><p><b>Bold line</b></p><p>six</p></div><p>seven</p>`)
	want := []string{"before", "Title < Title", "one < Title", "Part < Part < Title", "two < Part < Title",
		"More < More < Part < Title", "three < More < Part < Title", "four < Part < Title", "Next < Next < Title",
		"five < Next < Title", "Bold line < Bold line < Next < Title", "six < Bold line < Next < Title", "seven < Next < Title"}
	if d := cmp.Diff(want, headingsOf(v)); d != "" {
		t.Errorf("headings (-want +got):\n%s", d)
	}
}

func TestLists(t *testing.T) {
	v := viewOf(t, `<body><ul><li class="t">a<li class="t">b<li class="t">c c<li class="other">d</ul><p>x</p><p>y</p><div>z</div>`)
	sizes := map[string]int32{}
	for i := range v.blocks {
		if l := v.listOf(v.blocks[i].home); l >= 0 {
			sizes[string(v.p.BlockText(nil, page.BlockID(i)))] = v.lists[l].items
		}
	}
	if d := cmp.Diff(map[string]int32{"a": 3, "b": 3, "c c": 3}, sizes); d != "" {
		t.Errorf("blocks in lists (-want +got):\n%s", d)
	}
}

func TestMainContainer(t *testing.T) {
	prose := strings.Repeat("All of these words make up a long paragraph of running text, which is what stories are made of. ", 2)
	v := viewOf(t, `<body><div id="menu"><a href="/a">A</a></div><div id="outer"><div id="story"><p>`+prose+`</p><p>`+prose+`</p></div>
		<div id="side"><p>`+prose+`</p></div></div>`)
	if id, _ := v.p.Attr(v.main, "id"); id != "story" {
		t.Errorf("the main container is %q", id)
	}
	for i := range v.blocks {
		row := (&pageInput{view: v}).mainRow(nil, i)
		inside := v.p.Contains(v.main, v.blocks[i].home)
		if len(row) != 5 || (row[0] == 1) != inside || inside != (row[1] == 0 && row[2] == 0) {
			t.Errorf("block %d, inside %v, has the row %v", i, inside, row)
		}
	}
}

func TestLabels(t *testing.T) {
	v := viewOf(t, `<body><p>Price: 12 crowns</p><p><strong>Publisher</strong> North Press</p><table><tr><th>Pages<td>336</table>
		<dl><dt>Weight<dd>2 kg</dl><p>A sentence without any label in it</p><p>https://example.org/: no</p>
		<p>He said this to everybody in the room: that it was late</p>`)
	var got []uint8
	for i := range v.blocks {
		got = append(got, v.blocks[i].label.kind)
	}
	// The address has a label as far as anyone can see: its words are few.
	if want := []uint8{1, 2, 0, 3, 0, 3, 0, 0, 0}; !slices.Equal(got[:len(got)-2], want[:len(want)-2]) || got[len(got)-1] != 0 {
		t.Errorf("labels %v, want %v", got, want)
	}
	if a, b := v.blocks[0].label, viewOf(t, "<body>PRICE : 15 crowns").blocks[0].label; a.label != b.label || a.text == b.text {
		t.Errorf("the same label with another value: %+v, %+v", a, b)
	}
}

func TestResolve(t *testing.T) {
	at := parseAddress("https://www.Example.org/news/today.html?x=1#y")
	for href, want := range map[string]struct {
		kind linkKind
		path string
	}{
		"#top": {linkInside, ""}, "": {linkInside, ""}, "mailto:a@b.c": {linkOther, ""}, "javascript:go()": {linkOther, ""},
		"/a?b#c": {linkPage, "/a?b"}, "b.html": {linkPage, "/news/b.html"}, "../c/": {linkPage, "/c"}, "?p=2": {linkPage, "/news/today.html?p=2"},
		"http://example.org/d": {linkPage, "/d"}, "//example.org": {linkPage, "/"}, "https://other.example/d": {linkPage, ""},
	} {
		if kind, path := at.resolve(href); kind != want.kind || path != want.path {
			t.Errorf("%q leads to %q, kind %d; want %q, %d", href, path, kind, want.path, want.kind)
		}
	}
}

// A block with a link to a page that was seen, and with that page's title, is recognised as a teaser.
func TestTeasersAreKnown(t *testing.T) {
	h := detector(t).newHost(model.Key{})
	h.Observe(parse(t, `<title>The old bridge - Gazette</title><body><h1>The old bridge</h1><p>It fell.</p>`), model.Visit{URL: "http://g.example/bridge"})
	j := h.weigh(h.read(parse(t, `<body><a href="/bridge">The old bridge</a><p><a href="/other">The old bridge</a><p>It fell.`), "http://g.example/"), false)
	v, ev := j.page, j.ev
	_, names := FeatureNames()
	title, target, teaser := slices.Index(names, "repeat.title"), slices.Index(names, "repeat.target"), slices.Index(names, "repeat.teaser")
	var got [][3]float32
	for i := range v.blocks {
		row := ev.hostRow(v.pageRow(i), i)
		got = append(got, [3]float32{row[title], row[target], row[teaser]})
	}
	if d := cmp.Diff([][3]float32{{1, 1, 1}, {1, 0, 0}, {0, 0, 0}}, got); d != "" {
		t.Errorf("title, target, teaser (-want +got):\n%s", d)
	}
}

// Where the page scores change, as for another convention, only the features of the groups that rest on them change, so
// that the others need not be read again.
func TestWhichHostFeaturesRestOnPageScores(t *testing.T) {
	h := taught(t, detector(t), 1, 2)
	j := h.weigh(h.read(parse(t, sitePage(3)), ""), false)
	v, ev := j.page, j.ev
	rows := func() (all [][]float32) {
		for i := range v.blocks {
			all = append(all, ev.hostRow(nil, i))
		}
		return all
	}
	before := rows()
	v.convention = Convention{Byline: -1, Date: -1, Caption: -1, Comments: -1, Grid: -1}
	scores := make([]float32, len(v.blocks))
	for i := range scores {
		scores[i] = float32(i%7) / 7
	}
	ev.rescore(scores)
	after := rows()
	at := 0
	for n, g := range features().host {
		changed := false
		for i := range before {
			changed = changed || !slices.Equal(before[i][at:at+len(g.columns)], after[i][at:at+len(g.columns)])
		}
		if changed && !features().scored[n] {
			t.Errorf("the group of %s changed", g.columns[0])
		}
		if n == 0 && !changed {
			t.Error("the page scores did not change")
		}
		at += len(g.columns)
	}
}

// Where a group of features says that a row has the values of the row before, it has, whether the rows are for all
// blocks or for some.
func TestBlocksOfOnePartHaveTheSameValues(t *testing.T) {
	h := taught(t, detector(t), 1, 2)
	j := h.weigh(h.read(parse(t, sitePage(3)+`<h2>Part</h2><div class=menu>a<br>b<br>c<p class=menu>d<p class=menu>e<p class=text>f</div>`), ""), false)
	v, ev := j.page, j.ev
	var all, some []int32
	for i := range int32(len(v.blocks)) {
		if all = append(all, i); i%3 != 1 {
			some = append(some, i)
		}
	}
	for _, blocks := range [][]int32{all, some} {
		c := &comparison{rows: len(blocks), blocks: blocks}
		c.findStarts(v.view)
		if same := partsAgree(t, c, features().page, v) + partsAgree(t, c, features().host, ev); same < 100 {
			t.Errorf("only %d times", same)
		}
	}
}

// partsAgree returns how often rows are of one part with the row before, and verifies that the values for them are the
// same.
func partsAgree[T any](t *testing.T, c *comparison, groups []featureGroup[T], of T) (same int) {
	t.Helper()
	for _, g := range groups {
		for i := range c.rows {
			if c.starts.of(g.part, i/together)>>(i%together)&1 != 0 {
				continue
			}
			same++
			if before, own := g.fill(of, nil, c.block(i-1)), g.fill(of, nil, c.block(i)); !slices.Equal(before, own) {
				t.Errorf("the group of %s: block %d of the same part has %v, the one before %v", g.columns[0], c.block(i), own, before)
			}
		}
	}
	return same
}

// The table names every value of a row exactly once.
func TestFeatureTable(t *testing.T) {
	first, full := FeatureNames()
	h := taught(t, detector(t), 1, 2)
	j := h.weigh(h.read(parse(t, sitePage(3)), ""), false)
	v, ev := j.page, j.ev
	for i := range v.blocks {
		if got := len(v.pageRow(i)); got != len(first) {
			t.Fatalf("a page row has %d values for %d names", got, len(first))
		}
		if got := len(ev.hostRow(v.pageRow(i), i)); got != len(full) {
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
	for _, g := range features().page {
		if got := len(g.fill(v, nil, 1)); got != len(g.columns) {
			t.Errorf("group %s gives %d values for %d names", g.columns[0], got, len(g.columns))
		}
	}
	for _, g := range features().host {
		if got := len(g.fill(ev, nil, 1)); got != len(g.columns) {
			t.Errorf("group %s gives %d values for %d names", g.columns[0], got, len(g.columns))
		}
	}
}

func TestWeightsOfOtherFeaturesAreRefused(t *testing.T) {
	b := Header()
	b[len(magic)] ^= 1
	if _, err := decodeWeights(append(b, 0, 0, 0, 0)); err == nil || !strings.Contains(err.Error(), "other features") {
		t.Errorf("weights with another hash: %v", err)
	}
	if _, err := decodeWeights(append(Header(), 0, 0, 0, 0)); err != nil {
		t.Errorf("weights with the right hash: %v", err)
	}
}

// bookPage is a product page whose facts have the shape of a template.
func bookPage(i int) string {
	names := []string{"North Press", "Old Mill", "Tern Books", "Harbour House", "Alder", "Kite & Son", "Low Road", "Quarry"}
	return strings.NewReplacer("$isbn", strings.Repeat(string(rune('0'+i)), 9), "$house", names[i], "$title", "Book of "+names[(i+3)%8]).Replace(
		`<title>$title</title><body><div><a href="/">Start</a> <a href="/s">Sales</a></div><h1>$title</h1><ul><li><strong>ISBN-13</strong>: 978$isbn</li>
		<li><strong>Publisher</strong>: $house</li><li><strong>Format</strong>: Paperback</li><li><strong>Pages</strong>: 3$isbn</li></ul>
		<p>Terms: all prices include tax</p>`)
}

func TestFactsAreKept(t *testing.T) {
	h := detector(t).newHost(model.Key{})
	for i := range 6 {
		h.Observe(parse(t, bookPage(i)), visit(i))
	}
	p := parse(t, bookPage(7))
	j := h.weigh(h.read(p, ""), false)
	v, ev := j.page, j.ev
	odds := make([]float32, len(v.blocks))
	for i := range odds {
		odds[i] = 3
	}
	ev.liftFacts(odds)
	for i, o := range odds {
		text := string(p.BlockText(nil, page.BlockID(i)))
		fact := strings.HasPrefix(text, "ISBN") || strings.HasPrefix(text, "Publisher") || strings.HasPrefix(text, "Pages")
		if (o < 0) != fact {
			t.Errorf("%q has the log-odds %g", text, o)
		}
	}
}

func TestCalibration(t *testing.T) {
	c := calibration{{.2, .1}, {.6, .5}, {.9, .95}}
	for x, want := range map[float32]float32{0: .1, .2: .1, .4: .3, .6: .5, .75: .725, 1: .95} {
		if got := c.at(x); got < want-1e-5 || got > want+1e-5 {
			t.Errorf("an expected F1 of %g comes to %g, want %g", x, got, want)
		}
	}
	b := AppendCalibration(nil, [][2]float32{{.2, .1}, {.6, .5}})
	if got, rest, err := decodeCalibration(b); err != nil || len(rest) != 0 || !slices.Equal(got, c[:2]) {
		t.Errorf("decoded %v, %d bytes over: %v", got, len(rest), err)
	}
	for _, bad := range [][][2]float32{{{.5, .1}, {.4, .2}}, {{.5, 1.5}}, make([][2]float32, maxKnots+1)} {
		if _, _, err := decodeCalibration(AppendCalibration(nil, bad)); err == nil {
			t.Errorf("the calibration %v is accepted", bad)
		}
	}
}

func TestCommentsUnderAnArticleGo(t *testing.T) {
	prose := "<p>" + strings.Repeat("The bridge was built by people who had never seen the sea before they came here. ", 4) + "</p>"
	src := `<title>The old bridge</title><body><h1>The old bridge</h1><div>` + strings.Repeat(prose, 3) + `</div>
		<ul class="comment b2"><li>Ann</li><li><p>What a fine bridge it is, and how well this was told to all of us who live by it.</p></li></ul>`
	for head, want := range map[string]bool{"": true, `<meta name="generator" content="phpBB">`: false} {
		v := viewOf(t, head+src)
		odds := make([]float32, len(v.blocks))
		for i := range odds {
			odds[i] = -1
		}
		if got := newOutline(v).dropComments(odds); got != want || odds[len(odds)-1] > 0 != want || odds[1] > 0 {
			t.Errorf("%q: comments go: %v, log-odds %v", head, got, odds)
		}
	}
}
