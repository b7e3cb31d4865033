// Package marks turns labelled blocks into marks on elements, each with its kind.
package marks

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/page"
)

// FindMarks turns labelled blocks into marks on maximal elements: the topmost elements with only noise, runs of noisy
// blocks that no element holds without content, and noise without text. Controls of form, the form that is the purpose
// of the page (or None), stay.
func FindMarks(v *parts.Outline, verdicts []page.Verdict, form page.ElementID) []page.Mark {
	f := markFinder{v: v, noisy: page.NoisyBefore(verdicts), verdicts: verdicts, form: form}
	f.findCore()
	if v.Doc.Body != page.None {
		f.below(v.Doc.Body)
	}
	return f.marks
}

type markFinder struct {
	v        *parts.Outline
	verdicts []page.Verdict
	// noisy[i] is the number of noisy blocks before block i.
	noisy []int32
	form  page.ElementID
	// core is the innermost element that holds all content; first and last are the outermost blocks of content.
	core        page.ElementID
	first, last page.BlockID
	marks       []page.Mark
	// comments has the blocks of readers' comments. It is nil until it is needed.
	comments []bool
}

// findCore finds where the content is.
func (f *markFinder) findCore() {
	f.core, f.first, f.last = page.None, page.None, page.None
	for i, d := range f.verdicts {
		if d.Noise {
			continue
		}
		b := page.BlockID(i)
		if f.last = b; f.first == page.None {
			f.first, f.core = b, f.v.Doc.Blocks[b].Element
		}
		for !f.v.Doc.Contains(f.core, f.v.Doc.Blocks[b].Element) {
			f.core = f.v.Doc.Elements[f.core].Parent
		}
	}
}

// below marks the noise inside e, which is not removed as a whole.
func (f *markFinder) below(e page.ElementID) {
	next := f.v.Doc.Elements[e].BlockStart
	for c := range f.v.Doc.Children(e) {
		el := &f.v.Doc.Elements[c]
		f.run(next, el.BlockStart)
		next = max(next, el.BlockEnd)
		switch noisy := f.noisy[el.BlockEnd] - f.noisy[el.BlockStart]; {
		case el.BlockStart == el.BlockEnd:
			f.textless(c, f.between(e, el.BlockStart))
		case noisy == 0:
			f.strays(c)
		case noisy == int32(el.BlockEnd-el.BlockStart) && !f.holdsForm(c) && !f.holdsPicture(c):
			f.mark(c, el.BlockStart, el.BlockEnd)
		default:
			f.below(c)
		}
	}
	f.run(next, f.v.Doc.Elements[e].BlockEnd)
}

// run marks the noisy blocks in [from, to), which no child element holds completely.
func (f *markFinder) run(from, to page.BlockID) {
	for start, end := range page.NoisyRuns(f.verdicts, from, to) {
		f.mark(page.None, start, end)
	}
}

func (f *markFinder) mark(e page.ElementID, from, to page.BlockID) {
	var sum, weight float32
	for b := from; b < to; b++ {
		w := float32(f.v.Blocks[b].Words) + 1
		sum += w * f.verdicts[b].Score
		weight += w
	}
	f.marks = append(f.marks, page.Mark{Element: e, BlockStart: from, BlockEnd: to, Kind: f.kindOf(e, from, to), Score: sum / weight})
}

func (f *markFinder) holdsForm(e page.ElementID) bool {
	return f.form != page.None && f.v.Doc.Contains(e, f.form)
}
