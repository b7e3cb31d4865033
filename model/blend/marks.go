package blend

import "github.com/winnow-proxy/winnow/model/page"

// findMarks turns labelled blocks into marks on maximal elements: the topmost that hold noise alone, and runs of
// noisy blocks that no element holds without content.
func (v *view) findMarks(verdicts []page.Verdict) []page.Mark {
	f := markFinder{v: v, noisy: make([]int32, len(verdicts)+1), verdicts: verdicts}
	for i, d := range verdicts {
		f.noisy[i+1] = f.noisy[i]
		if d.Noise {
			f.noisy[i+1]++
		}
	}
	if v.p.Body != page.None {
		f.below(v.p.Body)
	}
	return f.marks
}

type markFinder struct {
	v        *view
	verdicts []page.Verdict
	// noisy[i] is the number of noisy blocks before block i.
	noisy []int32
	marks []page.Mark
}

// below marks what is noisy inside e, which is not noise as a whole.
func (f *markFinder) below(e page.ElementID) {
	next := f.v.p.Elements[e].BlockStart
	for c := range f.v.p.Children(e) {
		el := &f.v.p.Elements[c]
		f.run(next, el.BlockStart)
		next = max(next, el.BlockEnd)
		if el.BlockStart == el.BlockEnd {
			continue
		}
		switch f.noisy[el.BlockEnd] - f.noisy[el.BlockStart] {
		case 0:
		case int32(el.BlockEnd - el.BlockStart):
			f.mark(c, el.BlockStart, el.BlockEnd)
		default:
			f.below(c)
		}
	}
	f.run(next, f.v.p.Elements[e].BlockEnd)
}

// run marks the noisy blocks in [from, to), which lie in no child element as a whole.
func (f *markFinder) run(from, to page.BlockID) {
	for b := from; b < to; b++ {
		if !f.verdicts[b].Noise {
			continue
		}
		end := b + 1
		for end < to && f.verdicts[end].Noise {
			end++
		}
		f.mark(page.None, b, end)
		b = end
	}
}

func (f *markFinder) mark(e page.ElementID, from, to page.BlockID) {
	var sum, weight float32
	for b := from; b < to; b++ {
		w := float32(f.v.blocks[b].words) + 1
		sum += w * f.verdicts[b].Score
		weight += w
	}
	f.marks = append(f.marks, page.Mark{Element: e, BlockStart: from, BlockEnd: to, Kind: f.v.kindOf(e, from, to), Score: sum / weight})
}
