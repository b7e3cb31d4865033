package page

import "iter"

// PassNoContent is the [Marking.Pass] of a page of which nothing would be left.
const PassNoContent = "no-content"

// NewMarking returns the marking of a detector that only marks blocks. verdicts are its verdicts, pages the number of
// the host's pages that they are based on. The marks are those of [Page.MarkNoise] with textless. If all blocks are
// noise, or there are none, the page passes.
func (p *Page) NewMarking(verdicts []Verdict, pages int, textless func(ElementID) bool) *Marking {
	m := &Marking{Verdicts: verdicts, Pages: pages}
	if !HasContent(verdicts) {
		m.Pass = PassNoContent
		return m
	}
	m.Marks = p.MarkNoise(verdicts, textless)
	return m
}

// HasContent reports whether a block is content.
func HasContent(verdicts []Verdict) bool {
	for _, v := range verdicts {
		if !v.Noise {
			return true
		}
	}
	return false
}

// NoisyBefore returns, for each block and for the end of the page, the number of noisy blocks before it.
func NoisyBefore(verdicts []Verdict) []int32 {
	before := make([]int32, len(verdicts)+1)
	for i, v := range verdicts {
		before[i+1] = before[i]
		if v.Noise {
			before[i+1]++
		}
	}
	return before
}

// NoisyRuns yields the starts and ends of the runs of noisy blocks in [from, to), in order.
func NoisyRuns(verdicts []Verdict, from, to BlockID) iter.Seq2[BlockID, BlockID] {
	return func(yield func(start, end BlockID) bool) {
		for b := from; b < to; b++ {
			start := b
			for b < to && verdicts[b].Noise {
				b++
			}
			if start < b && !yield(start, b) {
				return
			}
		}
	}
}

// MarkNoise returns the marks that remove the noisy blocks, in document order: the topmost elements with only noise,
// and runs of noisy blocks that no element holds without content. An element that contains only a part of a block is
// never marked, so no sentence loses words. textless, when not nil, says which elements without a block (pictures,
// frames) are noise too. It is called for those that no mark removes already, a parent before its children.
func (p *Page) MarkNoise(verdicts []Verdict, textless func(ElementID) bool) []Mark {
	n := noiseMarker{p: p, verdicts: verdicts, textless: textless, noisy: NoisyBefore(verdicts)}
	if p.Body != None {
		n.below(p.Body)
	}
	return n.marks
}

type noiseMarker struct {
	p        *Page
	verdicts []Verdict
	textless func(ElementID) bool
	// noisy[i] is the number of noisy blocks before block i.
	noisy []int32
	marks []Mark
}

// below marks the noise inside e, which is not removed as a whole.
func (n *noiseMarker) below(e ElementID) {
	next := n.p.Elements[e].BlockStart
	for c := range n.p.Children(e) {
		el := &n.p.Elements[c]
		n.run(next, el.BlockStart)
		next = max(next, el.BlockEnd)
		noisy := n.noisy[el.BlockEnd] - n.noisy[el.BlockStart]
		switch {
		case el.BlockStart == el.BlockEnd:
			n.empty(c)
		case noisy == int32(el.BlockEnd-el.BlockStart) && n.p.HoldsWholeBlocks(c):
			n.mark(c, el.BlockStart, el.BlockEnd)
		default:
			n.below(c)
		}
	}
	n.run(next, n.p.Elements[e].BlockEnd)
}

// empty marks c, which has no block, or its contents.
func (n *noiseMarker) empty(c ElementID) {
	if n.textless == nil || !n.p.HoldsWholeBlocks(c) || n.p.IsInvisible(c) {
		return
	}
	if n.textless(c) {
		at := n.p.Elements[c].BlockStart
		n.marks = append(n.marks, Mark{Element: c, BlockStart: at, BlockEnd: at, Kind: KindOther, Score: 1})
		return
	}
	for d := range n.p.Children(c) {
		n.empty(d)
	}
}

// run marks the noisy blocks in [from, to), which no child element holds completely.
func (n *noiseMarker) run(from, to BlockID) {
	for start, end := range NoisyRuns(n.verdicts, from, to) {
		n.mark(None, start, end)
	}
}

func (n *noiseMarker) mark(e ElementID, from, to BlockID) {
	var sum, weight float32
	for b := from; b < to; b++ {
		w := float32(n.p.BlockLen(b))
		sum += w * n.verdicts[b].Score
		weight += w
	}
	n.marks = append(n.marks, Mark{Element: e, BlockStart: from, BlockEnd: to, Kind: KindOther, Score: sum / max(weight, 1)})
}

// HoldsWholeBlocks reports whether no block lies partly in e and partly outside.
func (p *Page) HoldsWholeBlocks(e ElementID) bool {
	el := &p.Elements[e]
	from, to := el.TextEnd, el.TextEnd
	if el.BlockStart < el.BlockEnd {
		from, to = p.Blocks[el.BlockStart].TextStart, p.Blocks[el.BlockEnd-1].TextEnd
	}
	return !p.ShowsText(el.TextStart, from) && !p.ShowsText(to, el.TextEnd)
}

// ShowsText reports whether one of the texts in [from, to) is part of a block.
func (p *Page) ShowsText(from, to int32) bool {
	for i := from; i < to; i++ {
		if p.Texts[i].Block != None {
			return true
		}
	}
	return false
}
