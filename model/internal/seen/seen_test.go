package seen

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A set is bounded whatever is added and merged, contains the members that were added last, and counts every member
// that it dropped.
func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Set[int] {
			g := New(rapid.IntRange(1, 5).Draw(t, name+" limit"), cmp.Compare[int])
			for _, v := range rapid.SliceOfN(rapid.IntRange(0, 30), 0, 30).Draw(t, name) {
				before, known := g.Len(), g.Has(v)
				dropped := g.Add(v)
				if !g.Has(v) || !known && g.Len()+dropped != before+1 || known && dropped != 0 {
					t.Fatalf("adding %d to %d members dropped %d and left %d", v, before, dropped, g.Len())
				}
			}
			return g
		}
		a, b := draw("a"), draw("b")
		union := map[int]bool{}
		for _, v := range slices.Concat(a.recent, a.older, b.recent, b.older) {
			union[v] = true
		}
		dropped := a.Merge(&b)
		if a.Len()+dropped != len(union) {
			t.Fatalf("%d members and %d dropped, of %d", a.Len(), dropped, len(union))
		}
		if len(a.recent) > a.limit || len(a.older) > 2*a.limit {
			t.Fatalf("%d recent and %d older members, limit %d", len(a.recent), len(a.older), a.limit)
		}
		if !slices.IsSorted(a.recent) || !slices.IsSorted(a.older) {
			t.Fatal("not sorted")
		}
	})
}
