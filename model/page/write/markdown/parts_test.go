package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPartsEndBeforeHeadings(t *testing.T) {
	one, two := strings.TrimSpace(strings.Repeat("one ", 70)), strings.TrimSpace(strings.Repeat("two ", 40))
	want := []string{"# A\n\n" + one, "# B\n\n" + two}
	if diff := cmp.Diff(want, Parts("# A\n\n"+one+"\n\n# B\n\n"+two+"\n", 120)); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if got := Parts("", 100); len(got) != 1 {
		t.Errorf("an empty page has %d parts", len(got))
	}
}

// No part is longer than asked for, and together they have every word in order.
func TestPartsKeepEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zäж漢#]{1,12}`), 1, 300).Draw(t, "words")
		var b strings.Builder
		for _, w := range words {
			b.WriteString(w)
			b.WriteString(rapid.SampledFrom([]string{" ", "\n", "\n\n", "\n\n# "}).Draw(t, "gap"))
		}
		limit := rapid.IntRange(100, 300).Draw(t, "limit")
		var got []string
		for _, p := range Parts(b.String(), limit) {
			if n := Tokens(p); n > limit {
				t.Fatalf("a part of %d tokens, want at most %d: %q", n, limit, p)
			}
			got = append(got, strings.Fields(p)...)
		}
		if diff := cmp.Diff(strings.Fields(b.String()), got); diff != "" {
			t.Fatal(diff)
		}
	})
}
