package fragments

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
)

// index is the inverted index of a batch of pages: from chains to the pages that have them. Chains of exactly the same
// pages form one class, because no comparison of pages can distinguish them. So a site's template is a handful of
// classes. Most chains occur on one page only and are in no class.
type index struct {
	classes []*class
	// of lists the classes of each page, ascending: the rarest first.
	of [][]int32
	// bytes is the length of each page, including chains that no other page has.
	bytes []int64
}

// class is a set of chains that occur on the same pages.
type class struct {
	// bytes is the total length of the chains.
	bytes  int64
	pages  []int32 // ascending
	chains []uint64
}

// newIndex inverts the documents.
func newIndex(docs []document) *index {
	x := &index{of: make([][]int32, len(docs)), bytes: make([]int64, len(docs))}
	type posting struct {
		chain
		page int32
	}
	var all []posting
	for i, d := range docs {
		x.bytes[i] = d.bytes()
		for _, c := range d {
			all = append(all, posting{c, int32(i)})
		}
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return a.hash < b.hash || a.hash == b.hash && a.page < b.page
	})
	bySet := map[string]int{} // the class of a set of pages
	var set []byte
	for from := 0; from < len(all); {
		to := from
		for set = set[:0]; to < len(all) && all[to].hash == all[from].hash; to++ {
			set = binary.LittleEndian.AppendUint32(set, uint32(all[to].page))
		}
		if to-from > 1 {
			i, known := bySet[string(set)]
			if !known {
				i = len(x.classes)
				bySet[string(set)] = i
				c := &class{pages: make([]int32, 0, to-from)}
				for _, p := range all[from:to] {
					c.pages = append(c.pages, p.page)
				}
				x.classes = append(x.classes, c)
			}
			x.classes[i].bytes += all[from].bytes
			x.classes[i].chains = append(x.classes[i].chains, all[from].hash)
		}
		from = to
	}
	x.rank()
	return x
}

// rank orders the classes, those of the fewest pages first, and lists the classes of each page.
func (x *index) rank() {
	slices.SortFunc(x.classes, func(a, b *class) int {
		return cmp.Or(cmp.Compare(len(a.pages), len(b.pages)), cmp.Compare(a.chains[0], b.chains[0]))
	})
	for i, c := range x.classes {
		for _, p := range c.pages {
			x.of[p] = append(x.of[p], int32(i))
		}
	}
}
