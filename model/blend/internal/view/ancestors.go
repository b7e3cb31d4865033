package view

import (
	"github.com/winnow-proxy/winnow/model/page"
)

// The features of a block that the page alone gives. The table is in features.go.

// Levels is the number of ancestors of a block, from its home up, that are measured one by one.
const Levels = 7

// ancestry is an element with its ancestors as far as body. Above, body repeats.
type ancestry [Levels]page.ElementID

// ancestryOf returns the ancestors of e.
func (v *Page) ancestryOf(e page.ElementID) (a ancestry) {
	for level := range a {
		a[level] = e
		if up := v.Doc.Elements[e].Parent; up != page.None && e > v.Doc.Body {
			e = up
		}
	}
	return a
}

// findAncestors fills in homes and owners.
func (v *Page) findAncestors() {
	v.Homes, v.Owners = v.ancestors[:len(v.Blocks)], v.ancestors[len(v.Blocks):]
	for i := range v.Blocks {
		home, owner := v.Blocks[i].Home, v.Doc.Blocks[i].Element
		v.Homes[i] = v.ancestryOf(home)
		if v.Owners[i] = v.Homes[i]; owner != home {
			v.Owners[i] = v.ancestryOf(owner)
		}
	}
}

// measureLevels measures the elements that have blocks: how much text, which share of the page's text, how many links,
// how long the blocks are.
func (v *Page) measureLevels() {
	v.findAncestors()
	for e := range v.Elements {
		ev := &v.Elements[e]
		if s := &ev.Size; s.Blocks > 0 {
			ev.Level = [...]float32{Log1(s.Chars), Ratio(s.Chars, v.Total.Chars), Ratio(s.LinkChars, s.Chars), Log1(s.Blocks),
				Ratio(s.Words, s.Blocks), Ratio(s.Prose, v.Total.Prose), Log1(ev.Images)}
		}
	}
}
