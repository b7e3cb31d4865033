package pagelets

import (
	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// partition returns the pagelets below body in document order. It is the paper's Partition(p), which descends from the
// root as long as a child has at least k links. It leaves out elements that contain no whole block.
func partition(p *page.Page, k int) []page.ElementID {
	links := countLinks(p)
	var out []page.ElementID
	var descend func(page.ElementID)
	descend = func(v page.ElementID) { // the parser bounds the depth to 512
		for c := range p.Children(v) {
			if links[c] >= k {
				for c := range p.Children(v) {
					descend(c)
				}
				return
			}
		}
		if el := &p.Elements[v]; el.BlockStart < el.BlockEnd {
			out = append(out, v)
		}
	}
	descend(p.Body)
	return out
}

// countLinks returns the number of links in each subtree.
func countLinks(p *page.Page) []int {
	links := make([]int, len(p.Elements))
	for e := len(p.Elements) - 1; e >= 0; e-- {
		el := &p.Elements[e]
		if _, linked := p.Attr(page.ElementID(e), "href"); linked && (el.Tag == atom.A || el.Tag == atom.Area) {
			links[e]++
		}
		if el.Parent != page.None {
			links[el.Parent] += links[e]
		}
	}
	return links
}
