package blend

// Facts of a page are labelled values in a row ("ISBN-13: 978…", "Publisher: …", "Date: …"). Each label recurs on every
// page, once on each, and the value after it changes. To features that count recurring shapes they look like template.
// So a rule decides on them: too few sites have them to fit weights.

const (
	// factRow is the least number of labelled values in a row.
	factRow = 3
	// factPages is the least number of pages that must have shown a label.
	factPages = 2
	// maxConstant is the largest share of the pages with a label that may have the same value after it.
	maxConstant = .9
	// factOdds is the most log-odds of noise that a fact has.
	factOdds = -2
)

// liftFacts lowers the log-odds of noise of facts.
func (ev *evidence) liftFacts(odds []float32) {
	blocks := ev.v.blocks
	for i := 0; i < len(blocks); {
		if blocks[i].label.kind == 0 {
			i++
			continue
		}
		end := i + 1
		for end < len(blocks) && blocks[end].label.kind != 0 {
			end++
		}
		if end-i >= factRow {
			ev.liftRow(odds, i, end)
		}
		i = end
	}
}

// liftRow does so for the labelled blocks in [from, to) if at least one of them has a value of its own on most pages.
func (ev *evidence) liftRow(odds []float32, from, to int) {
	facts, own := make([]bool, to-from), false
	for i := from; i < to; i++ {
		l := &ev.v.blocks[i].label
		p := ev.m.place(mix(l.label, saltLabel))
		if p.visits < factPages || p.finds*2 > p.visits*3 || l.words == 0 {
			continue
		}
		repeats := ev.m.rate(mix(mix(l.label, l.text), saltLabel)).count
		facts[i-from] = repeats <= maxConstant*float32(p.visits)
		own = own || float32(p.novel) >= .6*float32(p.finds) && repeats <= 1
	}
	for i := range facts {
		if own && facts[i] {
			odds[from+i] = min(odds[from+i], factOdds)
		}
	}
}
