package mining

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQueriesFromTitles(t *testing.T) {
	docs := []Document{
		{Site: "a", Title: "Green tea | The Tea House"},   // "the" and "house" are on all titles, "tea" too
		{Site: "a", Title: "White milk | The Tea House"},  //
		{Site: "a", Title: "Old bread | The Tea House"},   // like the first of b
		{Site: "a", Title: "Loaf | The Tea House"},        // one word of its own
		{Site: "b", Title: "Bread, old"},                  //
		{Site: "b", Title: "Black coffee, black as soot"}, // a word counts once
		{Site: "c", Title: "A page alone"},                // a site of one page has no words in common
		{Site: "d"},
	}
	queries, headings := titleQueries(docs)
	got := map[int][]string{}
	for _, q := range queries {
		got[q.doc] = q.words
	}
	want := map[int][]string{
		1: {"white", "milk"}, 5: {"black", "coffee", "as", "soot"}, 6: {"a", "page", "alone"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("queries (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"black", "coffee", "black", "as", "soot"}, headings[5]); d != "" {
		t.Errorf("a heading is the title as it stands (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"green"}, headings[0]); headings[0] != nil {
		t.Errorf("a page without a query has no heading: %s", d)
	}
}

func TestHeadingsAreCutOut(t *testing.T) {
	for _, tc := range []struct{ text, run, want string }{
		{"home white milk once white milk again milk white", "white milk", "home once again milk white"},
		{"white white milk", "white milk", "white"},
		{"white milk", "white milk", ""},
		{"white", "white milk", "white"},
		{"milk milk", "milk", "milk milk"},
		{"milk milk", "", "milk milk"},
	} {
		if got := without(tc.text, strings.Fields(tc.run)); got != tc.want {
			t.Errorf("%q without %q is %q, want %q", tc.text, tc.run, got, tc.want)
		}
	}
}

func TestFind(t *testing.T) {
	docs := []Document{
		{Site: "a", Title: "Green leaves", Text: "green leaves in a garden where the leaves are green"},
		{Site: "a", Title: "Dry wood", Text: "nothing of the sort"},
		{Site: "a", Title: "Brown roots", Text: "brown earth, and once more: dry wood, brown"},
		{Site: "a", Title: "茶水 茶", Text: "茶水茶茶水"},
	}
	s, err := Find(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	// The first, the third and the last are found first. The second is not found, because titles are not indexed.
	if s.Pages != 4 || s.Queries != 4 || !near(s.MRR, 0.75) || !near(s.First, 0.75) {
		t.Errorf("search %+v", s)
	}
	if s.TextBytes != 51+19+43+15 || s.IndexBytes < 100 {
		t.Errorf("bytes of text %d, of the index %d", s.TextBytes, s.IndexBytes)
	}
}

// The size of an index depends on its contents and not on how it was built.
func TestIndexBytes(t *testing.T) {
	small := []Document{{Title: "one two", Text: "one two three"}, {Title: "four five", Text: "four five six"}}
	large := []Document{small[0], small[1]}
	for range 200 {
		large[0].Text += " more"
	}
	large[1].Text += " with many new words of which none was there before today"
	a, err := Find(t.Context(), small)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Find(t.Context(), small)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Find(t.Context(), large)
	if err != nil {
		t.Fatal(err)
	}
	if a.IndexBytes != again.IndexBytes || a.IndexBytes >= b.IndexBytes {
		t.Errorf("index of %d bytes, again %d, of more words %d", a.IndexBytes, again.IndexBytes, b.IndexBytes)
	}
}
