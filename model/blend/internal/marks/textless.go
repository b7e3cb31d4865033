package marks

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// Elements without text have no verdict: frames and banners, rows of icons, empty boxes. They are removed if their name
// or source says that they are adverts or share buttons, or if they are among noise. Pictures, films and controls are
// never removed because of their neighbours.

// between reports whether the blocks of e before and after position b are noise.
func (f *markFinder) between(e page.ElementID, b page.BlockID) bool {
	el := &f.v.Doc.Elements[e]
	return b > el.BlockStart && b < el.BlockEnd && f.verdicts[b-1].Noise && f.verdicts[b].Noise
}

// textless marks c, or the noise in it. among says that c is between two noisy blocks.
func (f *markFinder) textless(c page.ElementID, among bool) {
	v := f.v
	if f.isNeeded(c) || f.inNoisyRun(c) {
		return
	}
	only := parts.Unwrapped(v.Page, c)
	kind := v.KindOfTextless(only)
	switch {
	case kind != page.KindOther:
		f.markTextless(c, kind, 1)
	case among && !v.HoldsWorth(c):
		b := v.Doc.Elements[c].BlockStart
		f.markTextless(c, f.kindBefore(b), (f.verdicts[b-1].Score+f.verdicts[b].Score)/2)
	default:
		for inner := range v.Doc.Children(only) {
			f.textless(inner, false)
		}
	}
}

// strays marks the adverts and rows of share icons inside c, whose text is only content.
func (f *markFinder) strays(c page.ElementID) {
	for e := c + 1; e < f.v.Doc.Elements[c].Sub; {
		el := &f.v.Doc.Elements[e]
		if el.BlockStart != el.BlockEnd {
			e++
			continue
		}
		f.textless(e, false)
		e = el.Sub
	}
}

func (f *markFinder) markTextless(e page.ElementID, k page.Kind, score float32) {
	b := f.v.Doc.Elements[e].BlockStart
	f.marks = append(f.marks, page.Mark{Element: e, BlockStart: b, BlockEnd: b, Kind: k, Score: score})
}

// kindBefore is the kind of the mark that ends at block b.
func (f *markFinder) kindBefore(b page.BlockID) page.Kind {
	if n := len(f.marks); n > 0 && f.marks[n-1].BlockEnd == b {
		return f.marks[n-1].Kind
	}
	return page.KindOther
}

// isNeeded reports whether e must stay: it is, contains or is in the form that is the purpose of the page, or the
// page's scripts and styles need it.
func (f *markFinder) isNeeded(e page.ElementID) bool {
	if f.form != page.None && (f.v.Doc.Contains(e, f.form) || f.v.Doc.Contains(f.form, e)) {
		return true
	}
	switch f.v.Doc.Elements[e].Tag {
	case atom.Script, atom.Style, atom.Link, atom.Meta, atom.Base, atom.Template, atom.Noscript, atom.Br, atom.Wbr, atom.Col,
		atom.Colgroup:
		return true
	}
	return false
}

// inNoisyRun reports whether e is in the middle of a noisy block, which is removed with it.
func (f *markFinder) inNoisyRun(e page.ElementID) bool {
	el := &f.v.Doc.Elements[e]
	b := el.BlockStart - 1
	return b >= 0 && f.verdicts[b].Noise && f.v.Doc.Blocks[b].TextEnd > el.TextStart
}
