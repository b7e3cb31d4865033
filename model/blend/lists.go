package blend

import "github.com/winnow-proxy/winnow/model/page"

// Repeated structure: similar siblings are entries of one list, and blocks at the same place of the tree are of one
// kind. Teasers, comments and rows of products are distinguished by their common properties.

// kin sums up the blocks at one place.
type kin struct {
	size
	first, last int32
}

// entries sums up siblings with the same tag and the same classes.
type entries struct {
	size
	items  int32
	images int32
}

// minItems is the least number of similar siblings that make a list.
const minItems = 3

// findKin groups the blocks by the place of their homes.
func (v *view) findKin(m *measurer) {
	v.kinOf = make([]int32, len(v.blocks))
	numbers := m.counter(0, len(v.blocks)) // of the kins, from 1
	for i := range v.blocks {
		b := &v.blocks[i]
		number := numbers.of(v.elems[b.home].place)
		if *number == 0 {
			v.kins = append(v.kins, kin{first: int32(i)})
			*number = int32(len(v.kins))
		}
		k := *number - 1
		v.kins[k].add(b.size)
		v.kins[k].last = int32(i)
		v.kinOf[i] = k
	}
}

// findLists finds the lists among the children of every element. listed has for each element the list that it is an
// entry of, or -1.
func (v *view) findLists(m *measurer) {
	v.listed = make([]int32, len(v.p.Elements))
	for i := range v.listed {
		v.listed[i] = -1
	}
	counts, numbers := m.counter(0, len(v.elems)), m.counter(1, len(v.elems))
	for e := max(v.p.Body, 0); int(e) < len(v.p.Elements); e++ {
		if v.elems[e].blocks >= minItems {
			v.listChildren(e, counts, numbers)
		}
	}
}

// listChildren makes the lists of the children of e. It counts the children of each element at each place, and numbers
// the lists from 1.
func (v *view) listChildren(e page.ElementID, counts, numbers *openTable[int32]) {
	for c := range v.p.Children(e) {
		if v.elems[c].blocks > 0 {
			*counts.of(mix(v.elems[c].place, uint64(e)))++
		}
	}
	for c := range v.p.Children(e) {
		el := &v.elems[c]
		if el.blocks == 0 || *counts.of(mix(el.place, uint64(e))) < minItems {
			continue
		}
		number := numbers.of(mix(el.place, uint64(e)))
		if *number == 0 {
			v.lists = append(v.lists, entries{})
			*number = int32(len(v.lists))
		}
		l := *number - 1
		v.lists[l].add(el.size)
		v.lists[l].items++
		v.lists[l].images += el.images
		v.listed[c] = l
	}
}

// kinRow describes the blocks at the place of block i.
func (v *pageInput) kinRow(row []float32, i int) []float32 {
	k := &v.kins[v.kinOf[i]]
	return append(row, log1(k.blocks), log1(k.words), ratio(k.linkChars, k.chars), ratio(k.words, k.blocks), ratio(k.prose, k.words),
		float32(k.last-k.first+1)/float32(k.blocks))
}

// listRow describes the two innermost lists that contain block i.
func (v *pageInput) listRow(row []float32, i int) []float32 {
	e, step := v.blocks[i].home, 0
	for range 2 {
		for e > v.p.Body && v.listed[e] < 0 && step < 12 {
			e = v.p.Elements[e].Parent
			step++
		}
		if e <= v.p.Body || v.listed[e] < 0 {
			row = append(row, 0, -1, 0, 0, 0, 0, 0, 0)
			continue
		}
		l := &v.lists[v.listed[e]]
		row = append(row, float32(min(l.items, 100)), float32(step), ratio(l.words, l.items), ratio(l.linkChars, l.chars),
			ratio(l.words, v.total.words), ratio(l.prose, l.words), ratio(l.words, l.blocks), ratio(l.images, l.items))
		e = v.p.Elements[e].Parent
		step++
	}
	return row
}

// listOf returns the innermost list that has e in an entry, or -1.
func (v *view) listOf(e page.ElementID) int32 {
	for step := 0; e > v.p.Body && step < 12; e, step = v.p.Elements[e].Parent, step+1 {
		if v.listed[e] >= 0 {
			return v.listed[e]
		}
	}
	return -1
}
