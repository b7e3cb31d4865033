package rules

import (
	"slices"

	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
)

// judgeAsArticle changes the odds of a page that is an article, perhaps only without its teasers. It reports whether
// there is anything to decide again.
func (r *Case) judgeAsArticle(odds []float32, noisy []bool) (changed bool) {
	without := slices.Clone(odds)
	if r.On.Has(Teasers) && dropTeasers(r.Outline.Page, without) {
		if labels, _ := r.J.Decide(without); r.ReadsAsArticle(labels) {
			copy(odds, without)
			noisy, changed = labels, true
		}
	}
	if r.On.Has(Article) && r.readAsArticle(odds, noisy) {
		if r.On.Has(Teasers) {
			dropTeasers(r.Outline.Page, odds)
		}
		changed = true
	}
	return changed
}

// dropTeasers raises the log-odds of noise of lists of teasers on a page that begins with an article. It reports
// whether there are any.
func dropTeasers(v *view.Page, odds []float32) (found bool) {
	lists := parts.TeaserLists(v, odds)
	if len(lists) == 0 || opening(v, lists, odds) < parts.OpeningWords {
		return false
	}
	for _, l := range lists {
		if l.Mean >= parts.TeaserMean {
			dropList(v, l.Entries, odds)
			found = true
		}
	}
	return found
}

// opening returns the number of words of running text between the title and the first teaser below it.
func opening(v *view.Page, lists []parts.TeaserList, odds []float32) (words int32) {
	if v.TitleBlock == page.None {
		return 0
	}
	end := page.BlockID(len(v.Blocks))
	for _, l := range lists {
		if from := v.Doc.Elements[l.Entries[0]].BlockStart; l.Texts && l.Mean < parts.TemplateMean && from > v.TitleBlock {
			end = min(end, from)
		}
	}
	for b := v.TitleBlock + 1; b < end; b++ {
		if odds[b] < 0 {
			words += v.Blocks[b].Prose
		}
	}
	return words
}

// dropList raises the log-odds of noise of the teasers of a list, and of a heading directly above it.
func dropList(v *view.Page, list []page.ElementID, odds []float32) {
	for _, e := range list {
		if parts.HeadlineTarget(v, e) == 0 {
			continue
		}
		for b := v.Doc.Elements[e].BlockStart; b < v.Doc.Elements[e].BlockEnd; b++ {
			odds[b] = max(odds[b], parts.TeaserOdds)
		}
	}
	first := v.Doc.Elements[list[0]].BlockStart
	for b := first - 1; b >= max(first-2, 0); b-- {
		if b != v.TitleBlock && v.HeadingLevel(b) > 0 && v.ScopeOf(b) > first {
			odds[b] = max(odds[b], parts.TeaserOdds)
			break
		}
	}
}
