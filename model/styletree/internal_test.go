package styletree

import (
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/internal/entropy"
	"github.com/winnow-proxy/winnow/model/page"
)

// features returns features with the totals, in pages, hashed 1, 2, 3…
func features(pages ...fixed) []feature {
	var out []feature
	for i, n := range pages {
		out = append(out, feature{uint32(i + 1), entropy.Sums{Total: n * one, CLogC: 8}})
	}
	return out
}

func hashes(c content) (out []uint32) {
	for _, f := range c.features {
		out = append(out, f.hash)
	}
	return out
}

func TestContentTrimsTheRarestAndCountsThem(t *testing.T) {
	tests := []struct {
		name  string
		pages []fixed
		limit int
		want  []uint32
		rest  uint32
	}{
		{"within", []fixed{1, 2}, 2, []uint32{1, 2}, 0},
		{"the rarest goes", []fixed{3, 1, 2}, 2, []uint32{1, 3}, 1},
		{"of equals the later", []fixed{1, 2, 1, 1}, 2, []uint32{1, 2}, 2},
		{"without bound", []fixed{1, 1, 1}, -1, []uint32{1, 2, 3}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := content{features: features(tt.pages...)}
			c.trim(tt.limit)
			if diff := gocmp.Diff(tt.want, hashes(c)); diff != "" || c.rest != tt.rest {
				t.Errorf("rest %d, want %d; features (-want +got):\n%s", c.rest, tt.rest, diff)
			}
		})
	}
}

func TestContentHalves(t *testing.T) {
	c := content{features: features(4, 2), rest: 6}
	c.features = append(c.features, feature{9, entropy.Sums{Total: 1}})
	c.halve()
	want := []feature{{1, entropy.Sums{Total: 2 * one, CLogC: 4}}, {2, entropy.Sums{Total: one, CLogC: 4}}}
	if !slices.Equal(c.features, want) || c.rest != 3 {
		t.Errorf("halved: %+v, want %+v and a rest of 3", c, want)
	}
}

// Features that were evicted count as ones without entropy: with one word on both of two pages and three evicted,
// 1 − 1/(1+3) = 0.75.
func TestEvictedFeaturesCount(t *testing.T) {
	c := content{features: []feature{{1, entropy.Sums{Total: 2 * one}}}, rest: 3}
	if got := c.importance(2 * one); got != 0.75 {
		t.Errorf("importance %v, want 0.75", got)
	}
}

func TestMergeAddsEvictedFeatures(t *testing.T) {
	crowded := func(url string) *Tree {
		tree := New(model.Key{1}, Options{MaxFeatures: 1})
		p, err := page.Parse([]byte("<body><p>one two three"), "text/html")
		if err != nil {
			t.Fatal(err)
		}
		tree.Observe(p, model.Visit{URL: url})
		return tree
	}
	a, b := crowded("a"), crowded("b")
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	if len(a.contents) != 1 || a.contents[0].rest != 4 || len(a.contents[0].features) != 1 {
		t.Errorf("contents %+v, want one with one feature and four evicted", a.contents)
	}
}

// While a page is being added, the tree exceeds its budget by at most what one page may bring, plus the growth of
// slices.
func TestAHugePageIsCopiedInPart(t *testing.T) {
	p, err := page.Parse([]byte("<body>"+strings.Repeat("<div><p>one</p></div>", 50000)), "text/html")
	if err != nil {
		t.Fatal(err)
	}
	tree := New(model.Key{1}, Options{Limits: model.Limits{Memory: 32 << 10}})
	tree.insert(newOutline(p, tree.Hasher(), nil))
	if got := tree.bytes(); got > 64<<10 {
		t.Errorf("%d bytes before anything is evicted, budget %d", got, 32<<10)
	}
}
