package features

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/memory"
)

const (
	// minVisits is the least number of pages that must have had a place before it is no longer strange.
	minVisits = 12
	// minConstant is the least number of occurrences of a place whose text counts as constant, and rarelyNew the greatest
	// share of them whose text was new.
	minConstant = 8
	maxNovel    = .25
	// maxChanged is the number of changed blocks that say nothing.
	maxChanged = 2
)

// Looks sums up what is new on the page.
func (ev *Evidence) Looks() memory.Looks {
	l := memory.Looks{Repeated: ev.Repeated[0]}
	for i := range ev.Page.Blocks {
		p := &ev.places[i]
		if p.Visits < minVisits {
			l.Strange++
		}
		if ev.IsNew(i) && p.Finds >= minConstant && float32(p.Novel) <= maxNovel*float32(p.Finds) {
			l.Changed++
		}
	}
	l.Strange /= float32(len(ev.Page.Blocks))
	l.Changed = max(0, l.Changed-maxChanged) / float32(len(ev.Page.Blocks))
	return l
}
