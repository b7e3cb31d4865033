package features

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/hashes"
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
)

// container is the element that held most of the words of some kind on earlier pages.
type container struct {
	// element is None if there is none.
	element page.ElementID
	// share is the mean share of the words that it held, pages the logarithm of the number of pages that had it.
	share, pages float32
}

const (
	// holds is the share of its parent's words that a place needs to become the container instead, minHeld the share of
	// all words that a container's parent has.
	holds   = .6
	minHeld = .2
)

// findContainer descends from body to the place that had most of the words that sum counts, in 1/255 of a page's. It is
// the idea of GoldMiner: one container for each template of a host.
func (ev *Evidence) findContainer(sum func(memory.PlaceSums) uint32) container {
	v, found := ev.Page, container{element: page.None}
	e, have := max(v.Doc.Body, 0), float32(1)
	for have > minHeld {
		next, best, visits := page.ElementID(page.None), float32(0), uint32(0)
		for c := range v.Doc.Children(e) {
			if v.Elements[c].Blocks == 0 {
				continue
			}
			p := ev.Recall.Place(hashes.Mix(v.Elements[c].Place, memory.SaltElemPlace))
			if share := float32(sum(p)) / float32(max(p.Visits, 1)) / 255; share > best {
				next, best, visits = c, share, p.Visits
			}
		}
		if next == page.None || best < holds*have {
			break
		}
		found = container{next, best, view.Log1(int32(visits))}
		e, have = next, best
	}
	return found
}

// appendContainer describes the position of block i relative to container c: inside or not, the number of blocks before
// (-) or after it, the number of steps up from c to the nearest element that holds both, and the depth below c.
func appendContainer(v *view.Page, row []float32, c page.ElementID, i int) []float32 {
	if c == page.None {
		return append(row, -1, 0, -1, -1)
	}
	el, home := &v.Doc.Elements[c], v.Blocks[i].Home
	if v.Doc.Contains(c, home) {
		return append(row, 1, 0, 0, float32(v.Doc.Elements[home].Depth-el.Depth))
	}
	away := float32(0)
	switch b := page.BlockID(i); {
	case b < el.BlockStart:
		away = float32(max(-50, b-el.BlockStart))
	case b >= el.BlockEnd:
		away = float32(min(50, b-el.BlockEnd+1))
	}
	up, steps := c, 0
	for up > 0 && !v.Doc.Contains(up, home) {
		up = v.Doc.Elements[up].Parent
		steps++
	}
	return append(row, 0, away, float32(min(steps, 12)), -1)
}

// mainRow describes the position of block i relative to the page's own container, and the container's share of the
// page's prose.
func (v *Input) mainRow(row []float32, i int) []float32 {
	row = appendContainer(v.Page, row, v.Main, i)
	if v.Main == page.None {
		return append(row, 0)
	}
	return append(row, view.Ratio(v.Elements[v.Main].Prose, v.Total.Prose))
}

// mainRow does the same for the containers by the host's pages and by the page scores.
func (ev *Evidence) mainRow(row []float32, i int) []float32 {
	for _, c := range [...]*container{&ev.learned, &ev.judged} {
		row = append(appendContainer(ev.Page, row, c.element, i), c.share, c.pages)
	}
	row = appendContainer(ev.Page, row, ev.massive, i)
	if ev.massive == page.None {
		return append(row, 0)
	}
	return append(row, view.Ratio(ev.Page.Elements[ev.massive].Words, ev.Page.Total.Words))
}
