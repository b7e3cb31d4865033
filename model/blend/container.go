package blend

import "github.com/winnow-proxy/winnow/model/page"

// A page has a main container: the innermost element that holds its purpose. Three estimates of it are features: one by
// running text on the page, one by the content according to the page forest, and one by where earlier pages of the host
// had new text.

// mainByProse returns the element that collects most running text, similar to Readability: text counts in full for the
// element around a paragraph, half for the next one up, a third for the one above.
func (v *view) mainByProse() page.ElementID {
	points := make([]float32, len(v.elems))
	for i := range v.blocks {
		if !v.blocks[i].isProse() {
			continue
		}
		words := float32(min(v.blocks[i].words, 200))
		e := v.blocks[i].home
		for divisor := float32(1); divisor <= 3 && e > v.p.Body; divisor++ {
			e = v.p.Elements[e].Parent
			points[max(e, 0)] += words / divisor
		}
	}
	best := page.ElementID(page.None)
	for e := range points {
		points[e] *= 1 - float32(v.elems[e].linkDensity())
		if points[e] > 0 && (best == page.None || points[e] > points[best]) {
			best = page.ElementID(e)
		}
	}
	return best
}

// holderOf returns the innermost element that holds at least the given share of a mass, which is summed by element. It
// returns None if there is no such element.
func (v *view) holderOf(mass []float32, share float32) page.ElementID {
	e := max(v.p.Body, 0)
	if len(mass) == 0 || mass[e] <= 0 {
		return page.None
	}
	least := mass[e] * share
	for {
		next := page.ElementID(page.None)
		for c := range v.p.Children(e) {
			if mass[c] >= least {
				next = c
				break
			}
		}
		if next == page.None {
			return e
		}
		e = next
	}
}

// appendContainer describes the position of block i relative to container c: inside or not, the number of blocks before
// (-) or after it, the number of steps up from c to the nearest element that holds both, and the depth below c.
func (v *view) appendContainer(row []float32, c page.ElementID, i int) []float32 {
	if c == page.None {
		return append(row, -1, 0, -1, -1)
	}
	el, home := &v.p.Elements[c], v.blocks[i].home
	if v.p.Contains(c, home) {
		return append(row, 1, 0, 0, float32(v.p.Elements[home].Depth-el.Depth))
	}
	away := float32(0)
	switch b := page.BlockID(i); {
	case b < el.BlockStart:
		away = float32(max(-50, b-el.BlockStart))
	case b >= el.BlockEnd:
		away = float32(min(50, b-el.BlockEnd+1))
	}
	up, steps := c, 0
	for up > 0 && !v.p.Contains(up, home) {
		up = v.p.Elements[up].Parent
		steps++
	}
	return append(row, 0, away, float32(min(steps, 12)), -1)
}

// mainRow describes the position of block i relative to the page's own container, and the container's share of the
// page's prose.
func (v *pageInput) mainRow(row []float32, i int) []float32 {
	row = v.appendContainer(row, v.main, i)
	if v.main == page.None {
		return append(row, 0)
	}
	return append(row, ratio(v.elems[v.main].prose, v.total.prose))
}

// mainRow does the same for the containers by the host's pages and by the page scores.
func (ev *evidence) mainRow(row []float32, i int) []float32 {
	row = ev.v.appendContainer(row, ev.learned, i)
	row = append(row, ev.learnedShare, ev.learnedPages)
	row = ev.v.appendContainer(row, ev.massive, i)
	if ev.massive == page.None {
		return append(row, 0)
	}
	return append(row, ratio(ev.v.elems[ev.massive].words, ev.v.total.words))
}

// findMassive fills in massive.
func (ev *evidence) findMassive() {
	v := ev.v
	mass := make([]float32, len(v.elems))
	for i := range v.blocks {
		mass[v.p.Blocks[i].Element] += float32(v.blocks[i].words) * (1 - ev.score[i])
	}
	for e := len(v.elems) - 1; e > 0; e-- {
		mass[v.p.Elements[e].Parent] += mass[e]
	}
	ev.massive = v.holderOf(mass, .75)
}

// learnedShareOf is the mean share of a page's new words that earlier pages had in the place of e.
func (ev *evidence) learnedShareOf(e page.ElementID) (share, pages float32) {
	p := ev.m.place(mix(ev.v.elems[e].place, saltElemPlace))
	if p.visits == 0 {
		return 0, 0
	}
	return float32(p.fresh) / float32(p.visits) / 255, float32(p.visits)
}

// learnedHold is the share of its parent's new words that a place needs to become the container instead.
const learnedHold = .6

// findLearned descends from body to the place of most new text on earlier pages.
func (ev *evidence) findLearned() {
	v := ev.v
	ev.learned = page.None
	e, have := max(v.p.Body, 0), float32(1)
	for have > .2 {
		next, best, pages := page.ElementID(page.None), float32(0), float32(0)
		for c := range v.p.Children(e) {
			if v.elems[c].blocks == 0 {
				continue
			}
			if share, n := ev.learnedShareOf(c); share > best {
				next, best, pages = c, share, n
			}
		}
		if next == page.None || best < learnedHold*have {
			return
		}
		ev.learned, ev.learnedShare, ev.learnedPages = next, best, log1(int32(pages))
		e, have = next, best
	}
}
