package blend

import (
	"math"
	"math/bits"

	"github.com/winnow-proxy/winnow/model/page"
)

// The features of a block that the page alone gives. The table is in features.go.

// levels is the number of ancestors of a block, from its home up, that are measured one by one.
const levels = 7

// log1 is the logarithm of n+1.
func log1(n int32) float32 {
	if uint32(n) < uint32(len(logs)) {
		return logs[n]
	}
	return float32(math.Log1p(float64(n)))
}

// logs are the logarithms of small numbers, because most numbers are small.
//
//nolint:gochecknoglobals // it never changes
var logs = func() (table [256]float32) {
	for n := range table {
		table[n] = float32(math.Log1p(float64(n)))
	}
	return table
}()

func ratio(a, b int32) float32 {
	if b == 0 {
		return 0
	}
	return float32(a) / float32(b)
}

// pageRow returns all page features of block b.
func (v *pageInput) pageRow(b int) (row []float32) {
	for _, g := range features().page {
		row = g.fill(v, row, b)
	}
	return row
}

// textRow describes the block's own text.
func (v *pageInput) textRow(row []float32, i int) []float32 {
	b := &v.blocks[i]
	return append(row, log1(b.chars), log1(b.words), ratio(b.linkChars, b.chars), float32(b.links), ratio(b.chars, b.words),
		ratio(b.punct, b.chars), float32(b.stops), ratio(b.stops, b.words), ratio(b.digits, b.chars),
		ratio(b.upper, b.chars), b.inTitle, float32(b.twins), b.leaning, b.phrase, float32(b.linkKind), float32(b.linkTwins),
		ratio(b.linkChars, b.links), float32(b.maskedTwins))
}

// shapeRow gives the shape of the text bit by bit.
func (v *pageInput) shapeRow(row []float32, i int) []float32 {
	for bit := range shapes {
		row = append(row, float32(v.blocks[i].shape>>bit&1))
	}
	return row
}

// nameRow says, for every group of names and tags, how near the nearest ancestor of the group is: 1 for the block's own
// element, 1/2 for its parent and so on, 0 for none.
func (v *pageInput) nameRow(row []float32, i int) []float32 {
	start := len(row)
	for range groups {
		row = append(row, 0)
	}
	near, step, seen := row[start:], 0, nameSet(0)
	for e := v.p.Blocks[i].Element; e != page.None && e > v.p.Body; e = v.p.Elements[e].Parent {
		step++
		for set := v.elems[e].names &^ seen; set != 0; set &= set - 1 {
			near[bits.TrailingZeros64(uint64(set))] = 1 / float32(step)
		}
		seen |= v.elems[e].names
	}
	return row
}

// leaningRow says what the names of the ancestors mean: one by one, and the sum and extremes of all.
func (v *pageInput) leaningRow(row []float32, i int) []float32 {
	start := len(row)
	row = append(row, make([]float32, levels+3)...)
	near, all := row[start:start+levels], row[start+levels:]
	step := 0
	for e := v.p.Blocks[i].Element; e != page.None && e > v.p.Body; e = v.p.Elements[e].Parent {
		l := v.elems[e].leaning
		if step < levels {
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
func (v *pageInput) positionRow(row []float32, i int) []float32 {
	b := &v.blocks[i]
	ev := &v.elems[b.home]
	row = append(row, float32(i)/float32(len(v.blocks)), ratio(b.before, v.total.chars), float32(min(i, 50)),
		float32(min(len(v.blocks)-i, 50)), float32(v.p.Elements[b.home].Depth), float32(min(ev.alike, 50)),
		ratio(ev.index, ev.alike), float32(min(ev.index, 50)))
	row = appendReach(row, v.prose, i)
	title, end := float32(-100), float32(-100)
	if v.titleBlock != page.None {
		title = float32(max(-50, min(i-int(v.titleBlock), 50)))
		end = float32(v.p.Elements[b.home].Depth - v.p.Elements[v.blocks[v.titleBlock].home].Depth)
	}
	hidden := float32(0)
	if b.hidden {
		hidden = 1
	}
	return append(row, title, end, hidden)
}

// reach is the first and the last block of some kind on a page, -1 when there is none.
type reach struct{ first, last int }

// appendReach appends the distance of block i from the first and to the last block of a kind.
func appendReach(row []float32, r reach, i int) []float32 {
	if r.first < 0 {
		return append(row, -100, -100)
	}
	clip := func(n int) float32 { return float32(max(-50, min(n, 50))) }
	return append(row, clip(i-r.first), clip(r.last-i))
}

// reachOf finds the first and last of n blocks for which in holds.
func reachOf(n int, in func(i int) bool) reach {
	r := reach{-1, -1}
	for i := range n {
		if in(i) {
			if r.first < 0 {
				r.first = i
			}
			r.last = i
		}
	}
	return r
}

// levelRow measures an ancestor.
func (v *pageInput) levelRow(row []float32, e page.ElementID) []float32 {
	return append(row, v.elems[e].level[:]...)
}

// ancestry is an element with its ancestors as far as body. Above, body repeats.
type ancestry [levels]page.ElementID

// ancestryOf returns the ancestors of e.
func (v *view) ancestryOf(e page.ElementID) (a ancestry) {
	for level := range a {
		a[level] = e
		if up := v.p.Elements[e].Parent; up != page.None && e > v.p.Body {
			e = up
		}
	}
	return a
}

// findAncestors fills in homes and owners.
func (v *view) findAncestors() {
	both := make([]ancestry, 2*len(v.blocks))
	v.homes, v.owners = both[:len(v.blocks)], both[len(v.blocks):]
	for i := range v.blocks {
		home, owner := v.blocks[i].home, v.p.Blocks[i].Element
		v.homes[i] = v.ancestryOf(home)
		if v.owners[i] = v.homes[i]; owner != home {
			v.owners[i] = v.ancestryOf(owner)
		}
	}
}

func (v *pageInput) homeAt(i, level int) page.ElementID { return v.homes[i][level] }

// measureLevels measures the elements that have blocks: how much text, which share of the page's text, how many links,
// how long the blocks are.
func (v *view) measureLevels() {
	v.findAncestors()
	for e := range v.elems {
		ev := &v.elems[e]
		if s := &ev.size; s.blocks > 0 {
			ev.level = [...]float32{log1(s.chars), ratio(s.chars, v.total.chars), ratio(s.linkChars, s.chars), log1(s.blocks),
				ratio(s.words, s.blocks), ratio(s.prose, v.total.prose), log1(ev.images)}
		}
	}
}

// neighbourRow measures the two blocks before and the two after.
func (v *pageInput) neighbourRow(row []float32, i int) []float32 {
	for _, d := range [...]int{-2, -1, 1, 2} {
		j := i + d
		if j < 0 || j >= len(v.blocks) {
			row = append(row, -1, -1, -1, -1)
			continue
		}
		n := &v.blocks[j]
		same := float32(0)
		if n.place == v.blocks[i].place {
			same = 1
		}
		row = append(row, log1(n.words), ratio(n.linkChars, n.chars), float32(n.stops), same)
	}
	return row
}

// wholeRow describes the page.
func (v *pageInput) wholeRow(row []float32, _ int) []float32 {
	return append(row, log1(v.total.chars), log1(v.total.blocks), ratio(v.total.linkChars, v.total.chars),
		ratio(v.total.words, v.total.blocks), log1(v.total.prose), float32(min(v.headings, 100)), ratio(v.hidden, v.total.blocks))
}

// conventionRow says what counts as content.
func (v *pageInput) conventionRow(row []float32, _ int) []float32 {
	c := &v.convention
	return append(row, c.Byline, c.Date, c.Caption, c.Comments, c.Grid)
}
