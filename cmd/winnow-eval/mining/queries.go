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

// siteWideShare is the share of a site's titles that makes a word site-wide, like the site's name: as a query it would
// match any page of the site.
const siteWideShare = 1. / 3

// minQuery is the least number of words of a query.
const minQuery = 2

// titleQueries makes a query of each page's title: its words without site-wide ones. Pages with equal queries are left
// out, because the query does not identify one of them. It returns the queries, and each document's heading: its title
// from the first to the last of these words, as it occurs on the page.
func titleQueries(docs []Document) (queries []query, headings [][]string) {
	titles, siteWide := titleWords(docs)
	asked := map[string]int{}
	headings = make([][]string, len(docs))
	for i, d := range docs {
		own := slices.DeleteFunc(distinct(titles[i]), func(w string) bool { return siteWide(d.Site, w) })
		if len(own) < minQuery {
			continue
		}
		queries = append(queries, query{i, own})
		asked[key(own)]++
		first, last := slices.Index(titles[i], own[0]), len(titles[i])-1
		for siteWide(d.Site, titles[i][last]) {
			last--
		}
		headings[i] = titles[i][first : last+1]
	}
	return slices.DeleteFunc(queries, func(q query) bool { return asked[key(q.words)] > 1 }), headings
}

// titleWords are the words of each title, and a function that reports the site-wide ones.
func titleWords(docs []Document) (titles [][]string, siteWide func(site, word string) bool) {
	titles = make([][]string, len(docs))
	pages := map[string]int{}
	in := map[[2]string]int{}
	for i, d := range docs {
		titles[i] = strings.Fields(words(d.Title))
		pages[d.Site]++
		for _, w := range distinct(titles[i]) {
			in[[2]string{d.Site, w}]++
		}
	}
	return titles, func(site, word string) bool {
		n := in[[2]string{site, word}]
		return n > 1 && float64(n) > siteWideShare*float64(pages[site])
	}
}

// without removes every occurrence of run, which has at least two words, from a text.
func without(text string, run []string) string {
	if len(run) < minQuery {
		return text
	}
	all := strings.Fields(text)
	var left []string
	for i := 0; i < len(all); {
		if i+len(run) <= len(all) && slices.Equal(all[i:i+len(run)], run) {
			i += len(run)
			continue
		}
		left = append(left, all[i])
		i++
	}
	return strings.Join(left, " ")
}

// distinct removes repeated words.
func distinct(words []string) (out []string) {
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// key is equal for the same words in any order.
func key(words []string) string {
	sorted := slices.Sorted(slices.Values(words))
	return strings.Join(sorted, " ")
}
