package mining

import (
	"maps"
	"slices"
)

// cell holds the pages of one class on one site.
type cell struct {
	site, language string
	class          int
	pages          []int
}

func newCells(docs []Document, class []int) (cells []cell) {
	type key struct {
		site  string
		class int
	}
	at := map[key]int{}
	for i, d := range docs {
		k := key{d.Site, class[i]}
		n, ok := at[k]
		if !ok {
			n = len(cells)
			at[k] = n
			cells = append(cells, cell{site: d.Site, language: d.Language, class: class[i]})
		}
		cells[n].pages = append(cells[n].pages, i)
	}
	return cells
}

// pair is the input of a confounded trial: train has class A on site A and class B on site B, test the classes swapped.
type pair struct {
	train, test [2][]int
}

// confoundedPairs finds all pairs of classes that two sites of one language share. Each gives two trials, because a
// class can be learned from either site.
func confoundedPairs(cells []cell) (pairs []pair) {
	find := func(site string, class int) []int {
		for _, c := range cells {
			if c.site == site && c.class == class && len(c.pages) >= minCell {
				return c.pages
			}
		}
		return nil
	}
	for _, one := range cells {
		for _, two := range cells {
			if one.site == two.site || one.class >= two.class || one.language != two.language ||
				len(one.pages) < minCell || len(two.pages) < minCell {
				continue
			}
			a, b := find(two.site, one.class), find(one.site, two.class)
			if a != nil && b != nil {
				pairs = append(pairs, pair{[2][]int{one.pages, two.pages}, [2][]int{a, b}})
			}
		}
	}
	return pairs
}

// group has the classes of one language that several sites have: by class, the pages of each site.
type group [][][]int

// transferGroups finds the languages with at least two such classes.
func transferGroups(cells []cell) (groups []group) {
	byLanguage := map[string]map[int][][]int{}
	for _, c := range cells {
		if byLanguage[c.language] == nil {
			byLanguage[c.language] = map[int][][]int{}
		}
		byLanguage[c.language][c.class] = append(byLanguage[c.language][c.class], c.pages)
	}
	for _, language := range slices.Sorted(maps.Keys(byLanguage)) {
		var g group
		for _, class := range slices.Sorted(maps.Keys(byLanguage[language])) {
			if sites := byLanguage[language][class]; len(sites) > 1 {
				g = append(g, sites)
			}
		}
		if len(g) > 1 {
			groups = append(groups, g)
		}
	}
	return groups
}
