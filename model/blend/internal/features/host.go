package features

import (
	"math"

	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
)

// HostRow appends all host features of block i.
func (ev *Evidence) HostRow(row []float32, i int) []float32 {
	for _, g := range All().Host {
		row = g.Fill(ev, row, i)
	}
	return row
}

// wholeRow describes the page.
func (ev *Evidence) wholeRow(row []float32, _ int) []float32 {
	return append(row, view.Log1(int32(ev.Recall.Pages())), share(ev.Repeated[0], ev.Page.Total.Words), share(ev.Fresh[0], ev.Page.Total.Words),
		float32(math.Log1p(float64(ev.Fresh[0]))), ev.knownPlaces)
}

// listRow describes the innermost list that contains block i.
func (ev *Evidence) listRow(row []float32, i int) []float32 {
	if l := ev.Page.ListOf(ev.Page.Blocks[i].Home); l >= 0 {
		return ev.listMeans[l].appendTo(row)
	}
	return append(row, -1, -1, -1)
}

// placeMeanRow describes the blocks at the place of block i.
func (ev *Evidence) placeMeanRow(row []float32, i int) []float32 {
	return ev.placeMeans[ev.Page.PlaceOf[i]].appendTo(row)
}

// sectionRow describes the blocks under the heading of block i.
func (ev *Evidence) sectionRow(row []float32, i int) []float32 {
	if s := ev.Page.SectionOf[i]; s >= 0 {
		return ev.sectionMeans[s].appendTo(row)
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
func (ev *Evidence) scoreRow(row []float32, i int) []float32 {
	row = append(row, ev.Score[i])
	for _, e := range ev.Page.Homes[i] {
		row = append(row, ev.mean[e])
	}
	return row
}

func (ev *Evidence) homeAt(i, level int) page.ElementID { return ev.Page.Homes[i][level] }

func (ev *Evidence) elementAt(i, level int) page.ElementID { return ev.Page.Owners[i][level] }

// repeatRow says how regularly the block's text and link occur.
func (ev *Evidence) repeatRow(row []float32, i int) []float32 {
	b, m, link := &ev.Page.Blocks[i], ev.Recall, memory.Rate{}
	if b.Link != 0 {
		link = m.Rate(hashes.Mix(b.Link, memory.SaltLink))
	}
	for _, r := range [...]memory.Rate{ev.Texts[i].Text, ev.Texts[i].Masked, link} {
		row = append(row, r.All, r.Since, r.Count)
	}
	at := max(float32(ev.places[i].Visits), 1)
	return append(row, m.Rate(hashes.Mix(hashes.Mix(b.Place, b.Text), memory.SaltAtPlace)).Count/at,
		m.Rate(hashes.Mix(hashes.Mix(b.Place, b.Masked), memory.SaltMaskedAtPlace)).Count/at)
}

// teaserRow says whether the block names a page that the host has shown, and links to it.
func (ev *Evidence) teaserRow(row []float32, i int) []float32 {
	b, m := &ev.Page.Blocks[i], ev.Recall
	target, teaser := float32(0), float32(0)
	if b.Target != 0 {
		target, teaser = m.Rate(hashes.Mix(b.Target, memory.SaltVisited)).Count, m.Rate(hashes.Mix(hashes.Mix(b.Target, b.Text), memory.SaltTeaser)).Count
	}
	return append(row, m.Rate(hashes.Mix(b.Text, memory.SaltTitle)).Count, target, teaser)
}

// blockPlaceRow says what the block's place has shown.
func (ev *Evidence) blockPlaceRow(row []float32, i int) []float32 {
	return ev.placeRow(row, ev.places[i].PlaceSums, true)
}

// placeRow says what a place has shown on earlier pages: how often it occurred, how much of it was new, and the means
// of score, share of the page's new words, link density and length. The last five are only used if all is set.
func (ev *Evidence) placeRow(row []float32, p memory.PlaceSums, all bool) []float32 {
	r := ev.Recall.RateOf(p.Visits, p.Age)
	finds := float32(max(p.Finds, 1))
	score, fresh := float32(-1), float32(-1)
	if p.Finds > 0 {
		score, fresh = float32(p.Score)/finds/255, float32(p.Fresh)/max(r.Count, 1)/255
	}
	row = append(row, r.Since, float32(p.Novel)/finds, score, fresh)
	if all {
		row = append(row, r.All, r.Count, finds/max(r.Count, 1), float32(p.Links)/finds/255, float32(p.Words)/finds/16)
	}
	return row
}

// regionRow says the same about an ancestor: how much of its text recurs, how much of the page's new text it holds, and
// what its place and names have shown.
func (ev *Evidence) regionRow(row []float32, e page.ElementID) []float32 {
	if ev.regions == nil { // learning asks for none
		ev.regions = ev.Page.Floats.Take(len(ev.Page.Elements) * regionSize)
	}
	r := ev.regions[int(e)*regionSize:][:regionSize]
	if r[0] == 0 {
		ev.readRegion(append(r[:0], 1), e)
	}
	return append(row, r[1:]...)
}

// regionSize is the number of values of one element, after one that says that they are known.
const regionSize = 1 + 12

// readRegion appends the values of an element.
func (ev *Evidence) readRegion(row []float32, e page.ElementID) {
	el := &ev.Page.Elements[e]
	row = append(row, share(ev.Repeated[e], el.Words), share(ev.Fresh[e], el.Words),
		ev.Fresh[e]/max(ev.Fresh[0], 1), ev.Recall.Rate(hashes.Mix(el.Subtree, memory.SaltSubtree)).Since)
	row = ev.placeRow(row, ev.Recall.Place(hashes.Mix(el.Place, memory.SaltElemPlace)), false)
	spot := memory.PlaceSums{}
	if el.Spot != 0 {
		spot = ev.Recall.Place(hashes.Mix(el.Spot, memory.SaltSpot))
	}
	ev.placeRow(row, spot, false)
}

// treeRow gives the style tree's values for a block's element or an ancestor.
func (ev *Evidence) treeRow(row []float32, e page.ElementID) []float32 {
	p := &ev.Partners[e]
	return append(row, p.Importance, float32(p.Styles), float32(p.Verdict))
}

// aroundRow says how regularly the neighbours occur, and where the long new texts are.
func (ev *Evidence) aroundRow(row []float32, i int) []float32 {
	for _, d := range [...]int{-3, -2, -1, 1, 2, 3} {
		if j := i + d; j < 0 || j >= len(ev.Texts) {
			row = append(row, -1, -1, -1)
		} else {
			row = append(row, ev.Texts[j].Known, ev.Score[j], ev.places[j].mean)
		}
	}
	return appendReach(row, ev.novel, i)
}
