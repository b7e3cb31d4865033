package page

import (
	"strings"
	"testing"
)

// White space folds as fields of the text do, in pieces too, and what is no UTF-8 becomes replacement characters.
func FuzzAppendFolded(f *testing.F) {
	f.Add(" a  b\tc", "\u00a0d\u2003")
	f.Add("a\x00b\x7f", "\xff \x85é")
	f.Fuzz(func(t *testing.T, a, b string) {
		before := "x "
		got := appendFolded(appendFolded([]byte(before), len(before), a), len(before), b)
		all := string([]rune(a)) + string([]rune(b))
		want := before + strings.Join(strings.Fields(all), " ")
		if strings.TrimSuffix(string(got), " ") != strings.TrimSuffix(want, " ") {
			t.Fatalf("%q: %q, want %q", all, got, want)
		}
	})
}
