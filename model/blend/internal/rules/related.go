package rules

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
)

// Links under "Related news" are new on each page, and may repeat its title, so that single blocks look like content. A
// heading that is certainly noise takes the links under it with it. So does a text that announces other pages, where no
// tag or name says that it is a heading.

const (
	// relatedWords is the most words of such a heading.
	relatedWords = 12
	// relatedCertain is the least log-odds of noise of the heading, relatedOdds that of the links.
	relatedCertain = 3
	relatedOdds    = 2.5
	// relatedEntryWords is the most words of an entry.
	relatedEntryWords = 40
	// relatedBlocks is the most blocks under the heading that are looked at.
	relatedBlocks = 60
)

// dropRelated raises the log-odds of noise of links under such headings. It reports whether there are any.
func dropRelated(v *view.Page, odds []float32) (found bool) {
	for i := range v.Blocks {
		b := page.BlockID(i)
		if v.Blocks[i].Words > relatedWords || odds[i] < relatedCertain {
			continue
		}
		end := min(v.ScopeOf(b), b+1+relatedBlocks)
		if s := v.SectionOf[i]; s >= 0 && v.Sections[s].Heading == b {
			end = min(end, v.Sections[s].End)
		} else if !vocab.BeginsRelated(v.Texts[i].Folded) {
			continue
		}
		if !areLinks(v, b+1, end) {
			continue
		}
		for j := b + 1; j < end; j++ {
			found = found || odds[j] < relatedOdds
			odds[j] = max(odds[j], relatedOdds)
		}
	}
	return found
}

// areLinks reports whether at least half of the blocks in [from, to) begin with a link, and all are short. The title of
// the page is not among them.
func areLinks(v *view.Page, from, to page.BlockID) bool {
	links := page.BlockID(0)
	for b := from; b < to; b++ {
		if b == v.TitleBlock || v.Blocks[b].Words > relatedEntryWords {
			return false
		}
		if parts.BeginsWithLink(v, b) {
			links++
		}
	}
	return links > 0 && links*2 >= to-from
}
