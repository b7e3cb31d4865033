package evaluate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPagesThatAreRight(t *testing.T) {
	for _, tc := range []struct {
		name string
		c    Chars
		want bool
	}{
		{"perfect", Chars{Gold: 100, Kept: 100, Noise: 300}, true},
		{"5 % lost", Chars{Gold: 100, Kept: 95}, true},
		{"6 % lost", Chars{Gold: 100, Kept: 94}, false},
		{"5 % of the output is noise", Chars{Gold: 95, Kept: 95, Noise: 50, Left: 5}, true},
		{"6 % of the output is noise", Chars{Gold: 94, Kept: 94, Noise: 50, Left: 6}, false},
		{"nothing left", Chars{Gold: 100, Noise: 50}, false},
	} {
		if got := tc.c.right(); got != tc.want {
			t.Errorf("%s: right is %v", tc.name, got)
		}
	}
}

// Ten pages all wrong, then two right, one wrong and one without gold.
func TestAccuracyLeavesOutTheFirstPages(t *testing.T) {
	right := PageScore{Gold: 1, Chars: Chars{Gold: 60, Kept: 60, Noise: 40}}
	wrong := PageScore{Gold: 1, Chars: Chars{Gold: 60, Kept: 60, Noise: 40, Left: 40}}
	var pages []PageScore
	for range AccuracySkips {
		pages = append(pages, wrong)
	}
	if a := accuracyAfterFirst(pages); a != (Accuracy{}) {
		t.Errorf("accuracy of no page: %+v", a)
	}
	pages = append(pages, right, right, wrong, PageScore{Chars: Chars{Noise: 50, Left: 50}})
	// 3 × 60 characters of content are there, 80 of the 120 of noise are gone: 260 of 300 are right.
	want := Accuracy{N: 3, Right: 2. / 3, Chars: 260. / 300}
	if d := cmp.Diff(want, accuracyAfterFirst(pages), cmp.Comparer(near)); d != "" {
		t.Errorf("accuracy (-want +got):\n%s", d)
	}
}

func TestAccuracyByClass(t *testing.T) {
	site := func(class string, right float64, n int) SiteScore {
		return SiteScore{Class: class, Accuracy: Accuracy{N: n, Right: right, Chars: right}}
	}
	all, by := accuracyOfSites([]SiteScore{site("news", 1, 30), site("news", 0.5, 2), site("", 0.75, 5), site("blog", 0.1, 0)})
	if d := cmp.Diff(Accuracy{N: 3, Right: 0.75, Chars: 0.75}, all, cmp.Comparer(near)); d != "" {
		t.Errorf("all sites, long or short, weigh the same (-want +got):\n%s", d)
	}
	want := map[string]Accuracy{"news": {N: 2, Right: 0.75, Chars: 0.75}}
	if d := cmp.Diff(want, by, cmp.Comparer(near)); d != "" {
		t.Errorf("by class (-want +got):\n%s", d)
	}
}
