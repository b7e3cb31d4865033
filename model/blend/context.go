package blend

import "github.com/winnow-proxy/winnow/model/page"

// The third forest sees what the second said of a block's surroundings (stacked sequential learning, Cohen and
// Carvalho 2005): a label between two paragraphs goes with them, whatever it says.

// contextRow appends the scores of the block, of its ancestors, and of the blocks around it; the row holds the block's
// other features already.
func (ev *evidence) contextRow(row []float32, i int, scores, means []float32) []float32 {
	row = append(row, scores[i])
	e := ev.v.blocks[i].home
	for range levels {
		row = append(row, means[e])
		e = ev.up(e)
	}
	for _, d := range [...]int{-4, -3, -2, -1, 1, 2, 3, 4} {
		if j := i + d; j < 0 || j >= len(scores) {
			row = append(row, -1)
		} else {
			row = append(row, scores[j])
		}
	}
	before, after := ev.siblingScores(i, means)
	row = append(row, before, after)
	kept := reachOf(len(scores), func(j int) bool { return scores[j] < .3 && ev.v.blocks[j].words >= 8 })
	return append(appendReach(row, kept, i), means[0])
}

// siblingScores returns the mean scores of the element siblings before and after the block's home, -1 without one.
func (ev *evidence) siblingScores(i int, means []float32) (before, after float32) {
	v := ev.v
	before, after = -1, -1
	home := v.blocks[i].home
	up := v.p.Elements[home].Parent
	if up == page.None {
		return before, after
	}
	for c := range v.p.Children(up) {
		switch {
		case v.elems[c].blocks == 0 || c == home:
		case c < home:
			before = means[c]
		default:
			return before, means[c]
		}
	}
	return before, after
}
