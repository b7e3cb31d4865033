package rules

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
)

const (
	// factPages is the least number of pages that must have shown a label.
	factPages = 2
	// maxConstant is the largest share of the pages with a label that may have the same value after it.
	maxConstant = .9
	// factOdds is the most log-odds of noise that a fact has.
	factOdds = -2
)

// liftFacts lowers the log-odds of noise of facts.
func liftFacts(ev *features.Evidence, odds []float32) {
	blocks := ev.Page.Blocks
	for i := 0; i < len(blocks); {
		if blocks[i].Label.Kind == 0 {
			i++
			continue
		}
		end := i + 1
		for end < len(blocks) && blocks[end].Label.Kind != 0 {
			end++
		}
		if end-i >= parts.FactRow {
			liftRow(ev, odds, i, end)
		}
		i = end
	}
}

// liftRow does so for the labelled blocks in [from, to) if at least one of them has a value of its own on most pages.
func liftRow(ev *features.Evidence, odds []float32, from, to int) {
	facts, own := make([]bool, to-from), false
	for i := from; i < to; i++ {
		l := &ev.Page.Blocks[i].Label
		p := ev.Recall.Place(hashes.Mix(l.Key, memory.SaltLabel))
		isLink := ev.Page.Blocks[i].LinkChars*2 > ev.Page.Blocks[i].Chars // to another message of an archive, say
		if p.Visits < factPages || p.Finds*2 > p.Visits*3 || l.Words == 0 || isLink {
			continue
		}
		repeats := ev.Recall.Rate(hashes.Mix(hashes.Mix(l.Key, l.Value), memory.SaltLabel)).Count
		facts[i-from] = repeats <= maxConstant*float32(p.Visits)
		own = own || float32(p.Novel) >= .6*float32(p.Finds) && repeats <= 1
	}
	for i := range facts {
		if own && facts[i] {
			odds[from+i] = min(odds[from+i], factOdds)
		}
	}
}
