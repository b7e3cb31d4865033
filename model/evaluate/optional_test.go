package evaluate

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const threadPage = `<!doctype html><body><nav>Home</nav>
<main><div class=post><p class=meta>Posted today by Ann</p><p>The bridge opens on Monday morning<a class=meta> 5 points</a></p></div>
<div class=post><p class=meta>Posted today by Bob</p><p>Thanks</p><p class=sig>Thanks</p></div></main>`

func optionalGold(t *testing.T) selectors {
	t.Helper()
	gold, err := compileGold([]string{"main"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if gold.optional, err = compileOptional(map[string]oneOrMany{"meta": {".meta"}, "signature": {".sig"}}); err != nil {
		t.Fatal(err)
	}
	return gold
}

// Keeping or dropping what readers differ on changes no figure but the shares of those parts.
func TestOptionalPartsCountNeitherWay(t *testing.T) {
	ref, err := newReference([]byte(threadPage), "", optionalGold(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, output string
		f1           float64
		noiseLeft    int
		want         map[string]PartCount
	}{
		{
			"all of it", "Posted today by Ann\nThe bridge opens on Monday morning 5 points\nPosted today by Bob\nThanks\nThanks", 1, 0,
			map[string]PartCount{"meta": {10, 10}, "signature": {1, 1}},
		},
		{"none of it", "The bridge opens on Monday morning\nThanks", 1, 0, map[string]PartCount{"meta": {10, 0}, "signature": {1, 0}}},
		{
			"some, and noise", "Home\nPosted today by Ann\nThe bridge opens on Monday morning\nThanks", 8.0 / 9, 1,
			map[string]PartCount{"meta": {10, 4}, "signature": {1, 0}},
		},
	} {
		s := ref.scoreText(tt.output)
		if math.Abs(s.F1-tt.f1) > 1e-9 || s.Left != tt.noiseLeft {
			t.Errorf("%s: F1 %v, %d words of noise, want %v and %d", tt.name, s.F1, s.Left, tt.f1, tt.noiseLeft)
		}
		if d := cmp.Diff(tt.want, s.Optional); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestGoldElementsTellOptionalParts(t *testing.T) {
	s := &Site{gold: optionalGold(t)}
	truths, err := s.GoldElements([]byte(threadPage), "")
	if err != nil {
		t.Fatal(err)
	}
	// html head body nav, main, post meta p a, post meta p sig
	want := []Truth{
		Noise, Noise, Noise, Noise, Content,
		Content, Optional, Content, Optional, Content, Optional, Content, Optional,
	}
	if d := cmp.Diff(want, truths); d != "" {
		t.Errorf("truths (-want +got):\n%s", d)
	}
}
