package purify_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/modeltest"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/purify"
)

func TestContract(t *testing.T) {
	limits := model.Limits{Memory: 48 << 10, Encoded: 16 << 10}
	modeltest.Check(t, purify.Detector{Options: purify.Options{Limits: limits}}, limits)
}

// learned returns a model of m-1 pages, each with a paragraph. p-1 of them also have a table.
func learned(t *testing.T, opts purify.Options, m, p int) model.Host {
	t.Helper()
	h := purify.Detector{Options: opts}.New(modeltest.Key())
	for i := range m - 1 {
		body := fmt.Sprintf("<p>Only on page %d", i)
		if i < p-1 {
			body += "<table><tr><td>All rights reserved</table>"
		}
		h.Observe(modeltest.Parse(t, body), modeltest.Visit(i))
	}
	return h
}

// NodeIMP by hand, on the last of m pages. P of them have a table.
func TestNodeImportance(t *testing.T) {
	for _, tt := range []struct {
		m, p  int
		beta  float64 // 0: the paper's
		stays bool
	}{
		{1, 1, 0, true}, // log_1 is not defined
		{2, 1, 0, true}, // 1
		{2, 2, 0, false},
		{15, 2, 0, false},    // 0.744
		{16, 2, 0, false},    // 0.75, which is not above
		{17, 2, 0, true},     // 0.755
		{81, 3, 0, false},    // 0.75
		{82, 3, 0, true},     // 0.7507
		{100, 3, 0, true},    // 0.761
		{100, 4, 0, false},   // 0.699
		{100, 4, 0.65, true}, // the paper's table 1 has these three thresholds
		{100, 5, 0.65, true}, // 0.6505
		{100, 6, 0.65, false},
		{100, 1, 0.85, true},
		{100, 2, 0.85, false}, // 0.8495
		{101, 2, 0.85, false}, // 0.8498
		{110, 2, 0.85, true},  // 0.8525
	} {
		t.Run(fmt.Sprintf("m=%d P=%d beta=%g", tt.m, tt.p, tt.beta), func(t *testing.T) {
			h := learned(t, purify.Options{Beta: tt.beta}, tt.m, tt.p)
			noise := modeltest.Noise(t, h, "<p>Text<table><tr><td>All rights reserved</table>", 1<<20)
			if stays := len(noise) == 0; stays != tt.stays {
				t.Errorf("noise %q", noise)
			}
		})
	}
}

// What stays of a site's first page.
func TestWhatStays(t *testing.T) {
	tests := []struct {
		name, body string
		noise      []string
	}{
		{"all but paragraphs and tables goes", "<h1>Title</h1>bare<ul><li>item</ul><pre>pre</pre><p>Text<table><td>cell</table>",
			[]string{"Title", "bare", "item", "pre"}},
		{"what is in a table stays", "<table><tr><td><h1>Title</h1><ul><li>item</ul></table>", nil},
		{"what is in a paragraph stays", "<p>Some <b>bold <i>text</i></b>", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := purify.Detector{}.New(modeltest.Key())
			if diff := cmp.Diff(tt.noise, modeltest.Noise(t, h, tt.body, 0)); diff != "" {
				t.Errorf("noise:\n%s", diff)
			}
		})
	}
}

// Nested tables are taken apart: a template table around a new table takes only its own text with it.
func TestNestedTables(t *testing.T) {
	page := func(i int) string {
		return fmt.Sprintf("<table><tr><td>Menu<td><table><tr><td>Text %d<p>Par %d</table><td>Right</table>", i, i)
	}
	h := purify.Detector{}.New(modeltest.Key())
	h.Observe(modeltest.Parse(t, page(1)), modeltest.Visit(1))
	if diff := cmp.Diff([]string{"Menu", "Right"}, modeltest.Noise(t, h, page(2), 2)); diff != "" {
		t.Errorf("noise:\n%s", diff)
	}
	if noise := modeltest.Noise(t, h, page(1), 1); noise != nil {
		t.Errorf("on the page that was learned: noise %q, although one page is no repetition", noise)
	}
}

// Content counts pages: a paragraph that occurs many times on one page is no template.
func TestContentCountsOnceAPage(t *testing.T) {
	h := purify.Detector{}.New(modeltest.Key())
	for i := range 20 {
		h.Observe(modeltest.Parse(t, fmt.Sprintf("<p>Text %d<p>Text %d", i, i)), modeltest.Visit(i))
	}
	if noise := modeltest.Noise(t, h, "<p>Text 7", 7); noise != nil {
		t.Errorf("noise %q", noise)
	}
}

func TestPictures(t *testing.T) {
	h := purify.Detector{}.New(modeltest.Key())
	doc := `<body><p>Text %d<div><img src=logo></div><table><tr><td><img src=photo%d></table><table><tr><td><img src=banner></table>`
	h.Observe(modeltest.Parse(t, fmt.Sprintf(doc, 1, 1)), modeltest.Visit(1))
	p := modeltest.Parse(t, fmt.Sprintf(doc, 2, 2))
	m := h.Mark(p, modeltest.Visit(2))
	var gone []string
	for _, mark := range m.Marks {
		src, _ := p.Attr(mark.Element, "src")
		gone = append(gone, src)
	}
	if diff := cmp.Diff([]string{"logo", "banner"}, gone); diff != "" {
		t.Errorf("pictures taken out:\n%s", diff)
	}
}

func TestNothingLeft(t *testing.T) {
	m := purify.Detector{}.New(modeltest.Key()).Mark(modeltest.Parse(t, "<div>An application"), modeltest.Visit(0))
	if m.Pass != page.PassNoContent || len(m.Marks) > 0 {
		t.Errorf("marking %+v, want the page to pass", m)
	}
}
