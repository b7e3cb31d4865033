package evaluate

import (
	"slices"

	"github.com/winnow-proxy/winnow/model/page"
)

// wrongPart is an element that is marked wrongly, with the ink of its wrong blocks.
type wrongPart struct {
	e   page.ElementID
	ink int
}

// wrongParts returns the largest elements that are all content or all noise by the gold, and for the most part marked
// as the opposite.
func wrongParts(p *page.Page, m *page.Marking, gold []bool) (parts []wrongPart) {
	for e := max(p.Body, 0) + 1; int(e) < len(p.Elements); e++ {
		el := p.Elements[e]
		if el.BlockStart == el.BlockEnd || !pure(gold, el) {
			continue
		}
		wrong, all := 0, 0
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			ink := p.BlockLen(b)
			all += ink
			if m.Verdicts[b].Noise == gold[b] {
				wrong += ink
			}
		}
		if 2*wrong > all {
			parts = append(parts, wrongPart{e, wrong})
			e = el.Sub - 1
		}
	}
	return parts
}

// pure reports whether the gold says the same of all blocks of an element.
func pure(gold []bool, el page.Element) bool {
	return !slices.Contains(gold[el.BlockStart:el.BlockEnd], !gold[el.BlockStart])
}
