package evaluate

import (
	"slices"

	"github.com/winnow-proxy/winnow/model/page"
)

// wrongPart is an element that is marked wrongly, with the ink of its wrong blocks.
type wrongPart struct {
	e page.ElementID
	// truth is what the gold says of all its blocks that are not optional.
	truth Truth
	ink   int
}

// wrongParts returns the largest elements that are all content or all noise by the gold, and for the most part marked
// as the opposite.
func wrongParts(p *page.Page, m *page.Marking, gold []Truth) (parts []wrongPart) {
	for e := max(p.Body, 0) + 1; int(e) < len(p.Elements); e++ {
		el := p.Elements[e]
		blocks := gold[el.BlockStart:el.BlockEnd]
		truth, other := Noise, Content
		if slices.Contains(blocks, Content) {
			truth, other = Content, Noise
		}
		if slices.Contains(blocks, other) || !slices.Contains(blocks, truth) {
			continue
		}
		wrong, all := 0, 0
		for b := el.BlockStart; b < el.BlockEnd; b++ {
			if gold[b] == Optional {
				continue
			}
			ink := p.BlockLen(b)
			all += ink
			if m.Verdicts[b].Noise == (truth == Content) {
				wrong += ink
			}
		}
		if 2*wrong > all {
			parts = append(parts, wrongPart{e, truth, wrong})
			e = el.Sub - 1
		}
	}
	return parts
}
