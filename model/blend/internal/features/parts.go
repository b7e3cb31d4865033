package features

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
)

// Features describe parts of the page: a block, an ancestor of it, the section that it is in, the whole page.
// Neighbouring blocks of one part have the same values, so that these are computed and compared once.

// The kinds of parts of a page, beside the single blocks.
const (
	// sameNames are blocks whose ancestors have the same names.
	sameNames forest.Part = iota + 1
	sameSection
	samePlace
	wholePage
	// sameHome is the ancestor of a block at level 0, counted from its home, and the levels follow. sameOwner is the same
	// from its element.
	sameHome
	sameOwner    = sameHome + view.Levels
	kindsOfParts = sameOwner + view.Levels
)

// FindStarts finds where parts begin.
func FindStarts(c *forest.Comparison, v *view.Page) {
	c.StartParts(int(kindsOfParts))
	for i := range c.Rows {
		if i%forest.GroupSize == 0 {
			continue
		}
		before := i - 1
		if v.SectionOf[i] != v.SectionOf[before] {
			c.Start(sameSection, i)
		}
		if v.PlaceOf[i] != v.PlaceOf[before] {
			c.Start(samePlace, i)
		}
		if !haveSameNames(v, i, before) {
			c.Start(sameNames, i)
		}
		for level := 0; level < view.Levels && v.Homes[i][level] != v.Homes[before][level]; level++ {
			c.Start(sameHome+forest.Part(level), i)
		}
		for level := 0; level < view.Levels && v.Owners[i][level] != v.Owners[before][level]; level++ {
			c.Start(sameOwner+forest.Part(level), i)
		}
	}
}

// haveSameNames reports whether two blocks have ancestors with the same names.
func haveSameNames(v *view.Page, i, j int) bool {
	a, b := v.Doc.Blocks[i].Element, v.Doc.Blocks[j].Element
	for a != b {
		if v.Elements[a].Names != v.Elements[b].Names || v.Elements[a].NameOdds != v.Elements[b].NameOdds || min(a, b) <= v.Doc.Body {
			return false
		}
		a, b = v.Doc.Elements[a].Parent, v.Doc.Elements[b].Parent
	}
	return true
}
