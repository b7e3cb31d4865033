package features

import (
	"math/bits"

	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
)

// PageRow returns all page features of block b.
func (v *Input) PageRow(b int) (row []float32) {
	for _, g := range All().Page {
		row = g.Fill(v, row, b)
	}
	return row
}

// textRow describes the block's own text.
func (v *Input) textRow(row []float32, i int) []float32 {
	b := &v.Blocks[i]
	return append(row, view.Log1(b.Chars), view.Log1(b.Words), view.Ratio(b.LinkChars, b.Chars), float32(b.Links), view.Ratio(b.Chars, b.Words),
		view.Ratio(b.Punct, b.Chars), float32(b.Stops), view.Ratio(b.Stops, b.Words), view.Ratio(b.Digits, b.Chars),
		view.Ratio(b.Upper, b.Chars), b.InTitle, float32(b.SameText), b.WordOdds, b.PhraseOdds, float32(b.LinkKind), float32(b.SameLink),
		view.Ratio(b.LinkChars, b.Links), float32(b.SameMasked))
}

// shapeRow gives the shape of the text bit by bit.
func (v *Input) shapeRow(row []float32, i int) []float32 {
	for bit := range view.Shapes {
		row = append(row, float32(v.Blocks[i].Shape>>bit&1))
	}
	return row
}

// nameRow says, for every group of names and tags, how near the nearest ancestor of the group is: 1 for the block's own
// element, 1/2 for its parent and so on, 0 for none.
func (v *Input) nameRow(row []float32, i int) []float32 {
	start := len(row)
	for range vocab.Groups {
		row = append(row, 0)
	}
	near, step, seen := row[start:], 0, vocab.NameSet(0)
	for e := v.Doc.Blocks[i].Element; e != page.None && e > v.Doc.Body; e = v.Doc.Elements[e].Parent {
		step++
		for set := v.Elements[e].Names &^ seen; set != 0; set &= set - 1 {
			near[bits.TrailingZeros64(uint64(set))] = 1 / float32(step)
		}
		seen |= v.Elements[e].Names
	}
	return row
}

// leaningRow says what the names of the ancestors mean: one by one, and the sum and extremes of all.
func (v *Input) leaningRow(row []float32, i int) []float32 {
	start := len(row)
	row = append(row, make([]float32, view.Levels+3)...)
	near, all := row[start:start+view.Levels], row[start+view.Levels:]
	step := 0
	for e := v.Doc.Blocks[i].Element; e != page.None && e > v.Doc.Body; e = v.Doc.Elements[e].Parent {
		l := v.Elements[e].NameOdds
		if step < view.Levels {
			near[step] = l
		}
		step++
		all[0] += l
		all[1], all[2] = min(all[1], l), max(all[2], l)
	}
	return row
}

// positionRow describes the position of the block on the page, and relative to the first and the last prose and to the
// title.
func (v *Input) positionRow(row []float32, i int) []float32 {
	b := &v.Blocks[i]
	ev := &v.Elements[b.Home]
	row = append(row, float32(i)/float32(len(v.Blocks)), view.Ratio(b.Before, v.Total.Chars), float32(min(i, 50)),
		float32(min(len(v.Blocks)-i, 50)), float32(v.Doc.Elements[b.Home].Depth), float32(min(ev.Alike, 50)),
		view.Ratio(ev.Rank, ev.Alike), float32(min(ev.Rank, 50)))
	row = appendReach(row, v.Prose, i)
	title, end := float32(-100), float32(-100)
	if v.TitleBlock != page.None {
		title = float32(max(-50, min(i-int(v.TitleBlock), 50)))
		end = float32(v.Doc.Elements[b.Home].Depth - v.Doc.Elements[v.Blocks[v.TitleBlock].Home].Depth)
	}
	hidden := float32(0)
	if b.Hidden {
		hidden = 1
	}
	return append(row, title, end, hidden)
}

// appendReach appends the distance of block i from the first and to the last block of a kind.
func appendReach(row []float32, r view.Reach, i int) []float32 {
	if r.First < 0 {
		return append(row, -100, -100)
	}
	clip := func(n int) float32 { return float32(max(-50, min(n, 50))) }
	return append(row, clip(i-r.First), clip(r.Last-i))
}

// levelRow measures an ancestor.
func (v *Input) levelRow(row []float32, e page.ElementID) []float32 {
	return append(row, v.Elements[e].Level[:]...)
}

func (v *Input) homeAt(i, level int) page.ElementID { return v.Homes[i][level] }

// neighbourRow measures the two blocks before and the two after.
func (v *Input) neighbourRow(row []float32, i int) []float32 {
	for _, d := range [...]int{-2, -1, 1, 2} {
		j := i + d
		if j < 0 || j >= len(v.Blocks) {
			row = append(row, -1, -1, -1, -1)
			continue
		}
		n := &v.Blocks[j]
		same := float32(0)
		if n.Place == v.Blocks[i].Place {
			same = 1
		}
		row = append(row, view.Log1(n.Words), view.Ratio(n.LinkChars, n.Chars), float32(n.Stops), same)
	}
	return row
}

// wholeRow describes the page.
func (v *Input) wholeRow(row []float32, _ int) []float32 {
	return append(row, view.Log1(v.Total.Chars), view.Log1(v.Total.Blocks), view.Ratio(v.Total.LinkChars, v.Total.Chars),
		view.Ratio(v.Total.Words, v.Total.Blocks), view.Log1(v.Total.Prose), float32(min(v.Headings, 100)), view.Ratio(v.Hidden, v.Total.Blocks))
}

// conventionRow says what counts as content.
func (v *Input) conventionRow(row []float32, _ int) []float32 {
	c := &v.Convention
	return append(row, c.Byline, c.Date, c.Caption, c.Comments, c.Grid)
}
