package cssrules

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"github.com/antchfx/htmlquery"
	"golang.org/x/net/html"
)

// What a selector reaches in the search is what CSS and XPath engines find by its two forms, on pages with everything
// that selectors name.
func TestEnginesAgree(t *testing.T) {
	pages := []string{article(1), article(2), `<body class="home wide"><table bgcolor="#ffffff" width="100%"><tr><td width=150 align=left data-noise>menu menu<td class=text>
<table><tr><td>one two<td>three</table><p>four<p>five</table><section id=comments role=region><h2>six</h2><div><div>seven</div><div data-noise>eight</div></div></section>`}
	var samples []Sample
	for _, src := range pages {
		samples = append(samples, marked(t, src))
	}
	w := newWood(samples)
	checked := map[string]bool{}
	for e := range w.elems {
		w.describe(int32(e), func(s Selector) {
			if css := s.String(); !checked[css] {
				checked[css] = true
				w.compare(t, pages, s)
			}
		})
	}
	if len(checked) < 300 {
		t.Errorf("%d selectors were compared", len(checked))
	}
}

// compare compares what a selector matches on all pages, as numbers of elements in document order.
func (w *wood) compare(t *testing.T, pages []string, s Selector) {
	t.Helper()
	group, err := cascadia.ParseGroup(s.String())
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	for i, src := range pages {
		doc, err := html.Parse(bytes.NewReader([]byte(src)))
		if err != nil {
			t.Fatal(err)
		}
		var own, css, xpath []int
		for e := w.first[i]; int(e) < len(w.elems) && w.elems[e].sample == int32(i); e++ {
			if w.matches(s, e) {
				own = append(own, int(e-w.first[i]))
			}
		}
		number := map[*html.Node]int{}
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if number[n] = len(number); group.Match(n) {
				css = append(css, number[n])
			}
		}
		found, err := htmlquery.QueryAll(doc, s.XPath())
		if err != nil {
			t.Fatalf("%s: %v", s.XPath(), err)
		}
		for _, n := range found {
			xpath = append(xpath, number[n])
		}
		slices.Sort(xpath)
		if !slices.Equal(own, css) || !slices.Equal(css, slices.Compact(xpath)) {
			t.Errorf("page %d, %s or %s: own %v, CSS %v, XPath %v", i, s, s.XPath(), own, css, xpath)
		}
	}
}

// Names of elements that mean something else in CSS or XPath stand in no selector: those of office programs and
// widgets, and what a typing error makes. The rest of the page has its rules all the same.
func TestOddTagsAreNotNamed(t *testing.T) {
	odd := strings.NewReplacer(`<meta name="author" content="Ada Pier">`, "", "</h1>", `</h1><o:p rel="author">Ada Pier</o:p>`,
		`<div class="share" data-noise>`, "<fb:like data-noise>", "all the networks</div>", "all the networks</fb:like>",
		"<div data-noise><p>Printed", "<p,body data-noise><p>Printed", "mole</p></div>", "mole</p></p,body>")
	var samples []Sample
	for i := range 10 {
		samples = append(samples, marked(t, odd.Replace(article(i+1))))
	}
	r := made(t, samples)
	for _, f := range []*Field{r.Title, r.Author, r.Date} {
		if f != nil {
			checkPortable(t, f.Selector.String())
		}
	}
	for _, set := range []Set{r.Hide, r.Hold, r.Strip} {
		for _, rule := range set.Rules {
			checkPortable(t, rule.CSS)
			if strings.Contains(rule.CSS, ",") {
				t.Errorf("%s is more than one selector", rule.CSS)
			}
		}
	}
	if !strings.Contains(list(r.Rules.Hide), ".top") || r.Hold.F1 < .9 {
		t.Errorf("hide %s; hold %s with an F1 of %v", list(r.Rules.Hide), list(r.Rules.Hold), r.Hold.F1)
	}
}

// Short selectors by name are cheaper than long ones and those by position.
func TestCosts(t *testing.T) {
	named := Selector{{id: "main"}}
	below := Selector{{id: "main"}, {classes: []string{"share"}}}
	placed := Selector{{id: "main"}, {tag: "div", nth: 3, child: true}}
	if !(named.cost() < below.cost() && below.cost() < placed.cost()) {
		t.Errorf("costs %v, %v, %v", named.cost(), below.cost(), placed.cost())
	}
	if got := placed.String() + " " + placed.XPath(); got != "#main > div:nth-of-type(3) //*[@id='main']/div[3]" || strings.Contains(got, "tbody") {
		t.Error(got)
	}
}
