package features

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
)

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
	row = appendContainer(ev.Page, row, ev.learned, i)
	row = append(row, ev.learnedShare, ev.learnedPages)
	row = appendContainer(ev.Page, row, ev.massive, i)
	if ev.massive == page.None {
		return append(row, 0)
	}
	return append(row, view.Ratio(ev.Page.Elements[ev.massive].Words, ev.Page.Total.Words))
}
