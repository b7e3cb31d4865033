package blend

import (
	"math"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/styletree"
)

// The features of a block that earlier pages of the host give. The table is in features.go.

// evidence is what the memory knows about the parts of one page.
type evidence struct {
	recurrence
	v *view
	m recall
	// score is the probability of noise of each block by the page alone.
	score []float32
	// places is what the memory knows about the place of each block.
	places []placeRecord
	// mean is the mean page score below each element.
	mean []float32
	// partners is what the style tree knows about each element.
	partners []styletree.Partner
	// novel are the first and the last block with a long new text.
	novel reach
	// regions are the values of each element in regionRow, computed for the first block below it.
	regions []regionValues
	// learned is the container by what was new on earlier pages, with its share of that and the log of the number of
	// pages that had it. massive is the container by the page scores. Each is None if there is none.
	learned                    page.ElementID
	learnedShare, learnedPages float32
	massive                    page.ElementID
	// knownPlaces is the share of the blocks whose place earlier pages had.
	knownPlaces float32
	// lists, sections and kins are the means over the blocks of each.
	lists, sections, kins []opinion
}

// placeRecord is what the place of a block has shown, with the mean page score there.
type placeRecord struct {
	placeStat
	mean float32
}

// opinion is the mean of page scores and memory over several blocks, weighted by words.
type opinion struct{ words, score, known, fresh float32 }

func (o *opinion) add(words int32, score, known float32) {
	w := float32(words) + 1
	o.words += w
	o.score += w * score
	o.known += w * known
	if known == 0 {
		o.fresh += w
	}
}

// row appends the means.
func (o *opinion) row(row []float32) []float32 {
	if o.words == 0 {
		return append(row, -1, -1, -1)
	}
	return append(row, o.score/o.words, o.known/o.words, o.fresh/o.words)
}

// evidence collects what rests on no score.
func (m recall) evidence(v *view) *evidence {
	ev := &evidence{recurrence: m.read(v), v: v, m: m, places: make([]placeRecord, len(v.blocks))}
	known := 0
	for i := range ev.places {
		p := &ev.places[i]
		p.placeStat = m.place(mix(v.blocks[i].place, saltBlockPlace))
		p.mean = float32(p.score) / float32(max(p.finds, 1)) / 255
		if p.visits > 0 {
			known++
		}
	}
	if n := len(v.blocks); n > 0 {
		ev.knownPlaces = float32(known) / float32(n)
	}
	ev.findLearned()
	ev.novel = reachOf(len(v.blocks), func(i int) bool { return ev.isNew(i) && v.blocks[i].words >= 10 })
	return ev
}

// formShare is the share of the other pages that have a form with this subtree, or 0 if there are too few pages.
func (ev *evidence) formShare(subtree uint64) float32 {
	if ev.m.pages() < templatePages || subtree == 0 {
		return 0
	}
	return ev.m.rate(mix(subtree, saltSubtree)).all
}

// templatePages is the least number of pages that tell which forms are template.
const templatePages = 3

// rescore takes new page scores and updates everything that follows from them.
func (ev *evidence) rescore(scores []float32) {
	v := ev.v
	ev.score, ev.mean = scores, v.meanScores(scores)
	ev.lists, ev.sections, ev.kins = make([]opinion, len(v.lists)), make([]opinion, len(v.sections)), make([]opinion, len(v.kins))
	for i := range v.blocks {
		b := &v.blocks[i]
		if l := v.listOf(b.home); l >= 0 {
			ev.lists[l].add(b.words, ev.score[i], ev.texts[i].known)
		}
		if s := v.sectionOf[i]; s >= 0 && int(v.sections[s].heading) != i {
			ev.sections[s].add(b.words, ev.score[i], ev.texts[i].known)
		}
		ev.kins[v.kinOf[i]].add(b.words, ev.score[i], ev.texts[i].known)
	}
	ev.findMassive()
}

// hostRow appends all host features of block i.
func (ev *evidence) hostRow(row []float32, i int) []float32 {
	for _, g := range features().host {
		row = g.fill(ev, row, i)
	}
	return row
}

// wholeRow describes the page.
func (ev *evidence) wholeRow(row []float32, _ int) []float32 {
	return append(row, log1(int32(ev.m.pages())), share(ev.repeated[0], ev.v.total.words), share(ev.fresh[0], ev.v.total.words),
		float32(math.Log1p(float64(ev.fresh[0]))), ev.knownPlaces)
}

// listRow describes the innermost list that contains block i.
func (ev *evidence) listRow(row []float32, i int) []float32 {
	if l := ev.v.listOf(ev.v.blocks[i].home); l >= 0 {
		return ev.lists[l].row(row)
	}
	return append(row, -1, -1, -1)
}

// kinRow describes the blocks at the place of block i.
func (ev *evidence) kinRow(row []float32, i int) []float32 { return ev.kins[ev.v.kinOf[i]].row(row) }

// sectionRow describes the blocks under the heading of block i.
func (ev *evidence) sectionRow(row []float32, i int) []float32 {
	if s := ev.v.sectionOf[i]; s >= 0 {
		return ev.sections[s].row(row)
	}
	return append(row, -1, -1, -1)
}

func share(part float32, whole int32) float32 {
	if whole == 0 {
		return 0
	}
	return part / float32(whole)
}

// scoreRow gives the page scores of the block and of its ancestors.
func (ev *evidence) scoreRow(row []float32, i int) []float32 {
	row = append(row, ev.score[i])
	for _, e := range ev.v.homes[i] {
		row = append(row, ev.mean[e])
	}
	return row
}

func (ev *evidence) homeAt(i, level int) page.ElementID    { return ev.v.homes[i][level] }
func (ev *evidence) elementAt(i, level int) page.ElementID { return ev.v.owners[i][level] }

// repeatRow says how regularly the block's text and link occur.
func (ev *evidence) repeatRow(row []float32, i int) []float32 {
	b, m, link := &ev.v.blocks[i], ev.m, rate{}
	if b.link != 0 {
		link = m.rate(mix(b.link, saltLink))
	}
	for _, r := range [...]rate{ev.texts[i].text, ev.texts[i].masked, link} {
		row = append(row, r.all, r.since, r.count)
	}
	at := max(float32(ev.places[i].visits), 1)
	return append(row, m.rate(mix(mix(b.place, b.text), saltAtPlace)).count/at,
		m.rate(mix(mix(b.place, b.masked), saltMaskedAtPlace)).count/at)
}

// teaserRow says whether the block names a page that the host has shown, and links to it.
func (ev *evidence) teaserRow(row []float32, i int) []float32 {
	b, m := &ev.v.blocks[i], ev.m
	target, teaser := float32(0), float32(0)
	if b.target != 0 {
		target, teaser = m.rate(mix(b.target, saltVisited)).count, m.rate(mix(mix(b.target, b.text), saltTeaser)).count
	}
	return append(row, m.rate(mix(b.text, saltTitle)).count, target, teaser)
}

// blockPlaceRow says what the block's place has shown.
func (ev *evidence) blockPlaceRow(row []float32, i int) []float32 {
	return ev.placeRow(row, ev.places[i].placeStat, true)
}

// placeRow says what a place has shown on earlier pages: how often it occurred, how much of it was new, and the means
// of score, share of the page's new words, link density and length. The last five are only used if all is set.
func (ev *evidence) placeRow(row []float32, p placeStat, all bool) []float32 {
	r := ev.m.rateOf(p.visits, p.age)
	finds := float32(max(p.finds, 1))
	score, fresh := float32(-1), float32(-1)
	if p.finds > 0 {
		score, fresh = float32(p.score)/finds/255, float32(p.fresh)/max(r.count, 1)/255
	}
	row = append(row, r.since, float32(p.novel)/finds, score, fresh)
	if all {
		row = append(row, r.all, r.count, finds/max(r.count, 1), float32(p.links)/finds/255, float32(p.words)/finds/16)
	}
	return row
}

// regionRow says the same about an ancestor: how much of its text recurs, how much of the page's new text it holds, and
// what its place and names have shown.
func (ev *evidence) regionRow(row []float32, e page.ElementID) []float32 {
	if ev.regions == nil { // learning asks for none
		ev.regions = make([]regionValues, len(ev.v.elems))
	}
	r := &ev.regions[e]
	if !r.known {
		ev.readRegion(r, e)
	}
	return append(row, r.values[:]...)
}

// regionValues are the values of one element, once they are computed.
type regionValues struct {
	known  bool
	values [12]float32
}

func (ev *evidence) readRegion(r *regionValues, e page.ElementID) {
	el := &ev.v.elems[e]
	row := append(r.values[:0], share(ev.repeated[e], el.words), share(ev.fresh[e], el.words),
		ev.fresh[e]/max(ev.fresh[0], 1), ev.m.rate(mix(el.subtree, saltSubtree)).since)
	row = ev.placeRow(row, ev.m.place(mix(el.place, saltElemPlace)), false)
	spot := placeStat{}
	if el.spot != 0 {
		spot = ev.m.place(mix(el.spot, saltSpot))
	}
	ev.placeRow(row, spot, false)
	r.known = true
}

// treeRow gives the style tree's values for a block's element or an ancestor.
func (ev *evidence) treeRow(row []float32, e page.ElementID) []float32 {
	p := &ev.partners[e]
	return append(row, p.Importance, float32(p.Styles), float32(p.Verdict))
}

// aroundRow says how regularly the neighbours occur, and where the long new texts are.
func (ev *evidence) aroundRow(row []float32, i int) []float32 {
	for _, d := range [...]int{-3, -2, -1, 1, 2, 3} {
		if j := i + d; j < 0 || j >= len(ev.texts) {
			row = append(row, -1, -1, -1)
		} else {
			row = append(row, ev.texts[j].known, ev.score[j], ev.places[j].mean)
		}
	}
	return appendReach(row, ev.novel, i)
}
