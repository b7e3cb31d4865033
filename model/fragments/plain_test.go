package fragments

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// plain is the algorithm exactly as in the paper: on sets, comparing all pairs.
type plain struct {
	docs []map[uint64]int64
	o    Options
}

func total(set map[uint64]int64) (sum int64) {
	for _, bytes := range set {
		sum += bytes
	}
	return sum
}

func intersection(a, b map[uint64]int64) map[uint64]int64 {
	both := map[uint64]int64{}
	for c, bytes := range a {
		if _, ok := b[c]; ok {
			both[c] = bytes
		}
	}
	return both
}

func (p plain) pair(free map[int]bool) (first [2]int, ok bool) {
	best := int64(0)
	for b := range p.docs {
		for a := range b {
			if !free[a] || !free[b] {
				continue
			}
			bytes := total(intersection(p.docs[a], p.docs[b]))
			longer := max(total(p.docs[a]), total(p.docs[b]))
			if bytes > best && float64(bytes) <= p.o.Duplicate*float64(longer) {
				best, first, ok = bytes, [2]int{a, b}, true
			}
		}
	}
	return first, ok
}

func (p plain) grow(first [2]int, free map[int]bool, share float64) (pages []int, nav map[uint64]int64) {
	pages, nav = first[:], intersection(p.docs[first[0]], p.docs[first[1]])
	least := share * float64(total(nav))
	for {
		best, most := -1, int64(-1)
		for d := range p.docs {
			if free[d] && !slices.Contains(pages, d) {
				if bytes := total(intersection(nav, p.docs[d])); bytes > most {
					best, most = d, bytes
				}
			}
		}
		if best < 0 || float64(most) < least {
			return pages, nav
		}
		pages, nav = append(pages, best), intersection(nav, p.docs[best])
	}
}

func (p plain) find() (found []string) {
	free := map[int]bool{}
	for d := range p.docs {
		free[d] = true
	}
	for _, share := range []float64{0.8, 0.6, 0.4} {
		for len(free) >= p.o.ClusterPages {
			first, ok := p.pair(free)
			if !ok {
				break
			}
			pages, nav := p.grow(first, free, share)
			if len(pages) < p.o.ClusterPages {
				break
			}
			found = append(found, show(pages, nav))
			for _, d := range pages {
				delete(free, d)
			}
		}
	}
	return found
}

// show describes a cluster.
func show[T ~map[uint64]int64](pages []int, nav T) string {
	chains := []uint64{}
	for c := range nav {
		chains = append(chains, c)
	}
	slices.Sort(chains)
	return fmt.Sprintf("pages %v share %v", pages, chains)
}

// clusters describes what find finds.
func clusters(docs []document, o Options) (found []string) {
	for _, c := range find(docs, o) {
		pages, nav := []int{}, map[uint64]int64{}
		for _, p := range c.pages {
			pages = append(pages, int(p))
		}
		for _, ch := range c.nav {
			nav[ch] = 1
		}
		found = append(found, show(pages, nav))
	}
	return found
}

// sets generates pages of one or two sites as sets of chains: some chains are on all pages of a kind, some on many,
// some on one. There are few lengths, so that matches are often equal.
func sets(t *rapid.T) []document {
	kinds := rapid.IntRange(1, 3).Draw(t, "kinds")
	template := rapid.IntRange(0, 8).Draw(t, "template")
	pages := rapid.SampledFrom([]int{0, 1, 2, 4, 8, 12, 16, 24}).Draw(t, "number of pages") // IntRange draws few large ones
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) document {
		kind := rapid.IntRange(1, kinds).Draw(t, "kind")
		var d []chain
		for c := range template {
			if rapid.IntRange(0, 5).Draw(t, "has") > 0 {
				d = append(d, chain{hash: uint64(100*kind + c), bytes: int64(1 + c%3)})
			}
		}
		for _, c := range rapid.SliceOfN(rapid.Uint64Range(1, 25), 0, 12).Draw(t, "own") {
			d = append(d, chain{hash: c, bytes: int64(1 + c%4)})
		}
		return newDocument(d)
	}), pages, pages).Draw(t, "pages")
}

// The clusters equal those of the plain, quadratic algorithm: the same pages in the same order with the same service
// part.
func TestClustersAreThoseOfThePlainAlgorithm(t *testing.T) {
	many := 0
	rapid.Check(t, func(t *rapid.T) {
		docs := sets(t)
		o := DefaultOptions()
		o.Duplicate = rapid.SampledFrom([]float64{0.3, 0.7, 1}).Draw(t, "duplicate")
		p := plain{o: o}
		for _, d := range docs {
			set := map[uint64]int64{}
			for _, c := range d {
				set[c.hash] = c.bytes
			}
			p.docs = append(p.docs, set)
		}
		want := p.find()
		if diff := cmp.Diff(want, clusters(docs, o)); diff != "" {
			t.Fatalf("the plain algorithm finds other clusters (-):\n%s", diff)
		}
		if len(want) > 1 {
			many++
		}
	})
	t.Logf("more than one cluster in %d cases", many)
	if many < 3 {
		t.Errorf("more than one cluster in %d of the cases: the generator makes too few such cases", many)
	}
}
