package mining

import (
	"slices"
	"strings"
)

// query looks for one document.
type query struct {
	doc   int
	words []string
}

// siteWide is the share of a site's titles from which on a word in them is the site's and not the page's: its name, which
// would ask for any page of the site.
const siteWide = 1. / 3

// minQuery is the least number of words of a query.
const minQuery = 2

// titleQueries makes a query of each page's title: its words, without those that are the site's own. Pages that share
// their query with another are left out, as nobody could say which of them was meant.
func titleQueries(docs []Document) (queries []query) {
	titles := make([][]string, len(docs))
	pages := map[string]int{}
	in := map[[2]string]int{}
	for i, d := range docs {
		titles[i] = distinct(strings.Fields(words(d.Title)))
		pages[d.Site]++
		for _, w := range titles[i] {
			in[[2]string{d.Site, w}]++
		}
	}
	asked := map[string]int{}
	for i, d := range docs {
		own := slices.DeleteFunc(titles[i], func(w string) bool {
			n := in[[2]string{d.Site, w}]
			return n > 1 && float64(n) > siteWide*float64(pages[d.Site])
		})
		if len(own) >= minQuery {
			queries = append(queries, query{i, own})
			asked[key(own)]++
		}
	}
	return slices.DeleteFunc(queries, func(q query) bool { return asked[key(q.words)] > 1 })
}

// distinct keeps the first of equal words.
func distinct(words []string) (out []string) {
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// key is the same for the same words in any order.
func key(words []string) string {
	sorted := slices.Sorted(slices.Values(words))
	return strings.Join(sorted, " ")
}
