package view_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/page"
)

// headingsOf lists the blocks of a page with the headings above them, the innermost first.
func headingsOf(v *view.Page) (out []string) {
	for i, s := range v.SectionOf {
		line := string(v.Doc.BlockText(nil, page.BlockID(i)))
		for ; s >= 0; s = v.Sections[s].Outer {
			line += " < " + string(v.Doc.BlockText(nil, v.Sections[s].Heading))
		}
		out = append(out, line)
	}
	return out
}

func TestSections(t *testing.T) {
	v := viewtest.ViewOf(t, `<body><p>before</p><h1>Title</h1><p>one</p><h2>Part</h2><p>two</p>
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
	v := viewtest.ViewOf(t, `<body><ul><li class="t">a<li class="t">b<li class="t">c c<li class="other">d</ul><p>x</p><p>y</p><div>z</div>`)
	sizes := map[string]int32{}
	for i := range v.Blocks {
		if l := v.ListOf(v.Blocks[i].Home); l >= 0 {
			sizes[string(v.Doc.BlockText(nil, page.BlockID(i)))] = v.Lists[l].Items
		}
	}
	if d := cmp.Diff(map[string]int32{"a": 3, "b": 3, "c c": 3}, sizes); d != "" {
		t.Errorf("blocks in lists (-want +got):\n%s", d)
	}
}

func TestLabels(t *testing.T) {
	v := viewtest.ViewOf(t, `<body><p>Price: 12 crowns</p><p><strong>Publisher</strong> North Press</p><table><tr><th>Pages<td>336</table>
		<dl><dt>Weight<dd>2 kg</dl><p>A sentence without any label in it</p><p>https://example.org/: no</p>
		<p>He said this to everybody in the room: that it was late</p>`)
	var got []uint8
	for i := range v.Blocks {
		got = append(got, v.Blocks[i].Label.Kind)
	}
	// The address has a label as far as anyone can see: its words are few.
	if want := []uint8{1, 2, 0, 3, 0, 3, 0, 0, 0}; !slices.Equal(got[:len(got)-2], want[:len(want)-2]) || got[len(got)-1] != 0 {
		t.Errorf("labels %v, want %v", got, want)
	}
	if a, b := v.Blocks[0].Label, viewtest.ViewOf(t, "<body>PRICE : 15 crowns").Blocks[0].Label; a.Key != b.Key || a.Value == b.Value {
		t.Errorf("the same label with another value: %+v, %+v", a, b)
	}
}
