package view

import (
	"github.com/winnow-proxy/winnow/model/page"
)

// A page has a main container: the innermost element that holds its purpose. Three estimates of it are features: one by
// running text on the page, one by the content according to the page forest, and one by where earlier pages of the host
// had new text.

// mainByProse returns the element that collects most running text, similar to Readability: text counts in full for the
// element around a paragraph, half for the next one up, a third for the one above.
func (v *Page) mainByProse() page.ElementID {
	points := make([]float32, len(v.Elements))
	for i := range v.Blocks {
		if !v.Blocks[i].IsProse() {
			continue
		}
		words := float32(min(v.Blocks[i].Words, 200))
		e := v.Blocks[i].Home
		for divisor := float32(1); divisor <= 3 && e > v.Doc.Body; divisor++ {
			e = v.Doc.Elements[e].Parent
			points[max(e, 0)] += words / divisor
		}
	}
	best := page.ElementID(page.None)
	for e := range points {
		points[e] *= 1 - float32(v.Elements[e].LinkDensity())
		if points[e] > 0 && (best == page.None || points[e] > points[best]) {
			best = page.ElementID(e)
		}
	}
	return best
}

// HolderOf returns the innermost element that holds at least the given share of a mass, which is summed by element. It
// returns None if there is no such element.
func (v *Page) HolderOf(mass []float32, share float32) page.ElementID {
	e := max(v.Doc.Body, 0)
	if len(mass) == 0 || mass[e] <= 0 {
		return page.None
	}
	least := mass[e] * share
	for {
		next := page.ElementID(page.None)
		for c := range v.Doc.Children(e) {
			if mass[c] >= least {
				next = c
				break
			}
		}
		if next == page.None {
			return e
		}
		e = next
	}
}
