package view

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/page"
)

// Repeated structure: similar siblings are entries of one list, and blocks at the same place of the tree are of one
// kind. Teasers, comments and rows of products are distinguished by their common properties.

// Place sums up the blocks at one place.
type Place struct {
	Size
	First, Last int32
}

// List sums up siblings with the same tag and the same classes.
type List struct {
	Size
	Likes  Likes
	Items  int32
	Images int32
}

// MinItems is the least number of similar siblings that make a list.
const MinItems = 3

// findPlaces groups the blocks by the place of their homes.
func (v *Page) findPlaces(m *Measurer) {
	numbers := m.Counter(0, len(v.Blocks)) // of the kins, from 1
	for i := range v.Blocks {
		b := &v.Blocks[i]
		number := numbers.Of(v.Elements[b.Home].Place)
		if *number == 0 {
			v.Places = append(v.Places, Place{First: int32(i)})
			*number = int32(len(v.Places))
		}
		k := *number - 1
		v.Places[k].Add(b.Size)
		v.Places[k].Last = int32(i)
		v.PlaceOf[i] = k
	}
}

// findLists finds the lists among the children of every element. listed has for each element the list that it is an
// entry of, or -1.
func (v *Page) findLists(m *Measurer) {
	for i := range v.Listed {
		v.Listed[i] = -1
	}
	counts, numbers := m.Counter(0, len(v.Elements)), m.Counter(1, len(v.Elements))
	for e := max(v.Doc.Body, 0); int(e) < len(v.Doc.Elements); e++ {
		if v.Elements[e].Blocks >= MinItems {
			v.listChildren(e, counts, numbers)
		}
	}
}

// listChildren makes the lists of the children of e. It counts the children of each element at each place, and numbers
// the lists from 1.
func (v *Page) listChildren(e page.ElementID, counts, numbers *hashes.Counter[int32]) {
	for c := range v.Doc.Children(e) {
		if v.Elements[c].Blocks > 0 {
			*counts.Of(hashes.Mix(v.Elements[c].Place, uint64(e)))++
		}
	}
	for c := range v.Doc.Children(e) {
		el := &v.Elements[c]
		if el.Blocks == 0 || *counts.Of(hashes.Mix(el.Place, uint64(e))) < MinItems {
			continue
		}
		number := numbers.Of(hashes.Mix(el.Place, uint64(e)))
		if *number == 0 {
			v.Lists = append(v.Lists, List{})
			*number = int32(len(v.Lists))
		}
		l := *number - 1
		v.Lists[l].Add(el.Size)
		v.Lists[l].Items++
		v.Lists[l].Images += el.Images
		v.Listed[c] = l
	}
}

// ListOf returns the innermost list that has e in an entry, or -1.
func (v *Page) ListOf(e page.ElementID) int32 {
	for step := 0; e > v.Doc.Body && step < 12; e, step = v.Doc.Elements[e].Parent, step+1 {
		if v.Listed[e] >= 0 {
			return v.Listed[e]
		}
	}
	return -1
}
