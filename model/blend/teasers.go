package blend

import (
	"slices"

	"github.com/winnow-proxy/winnow/model/page"
)

// Beside an article are lists of other articles: each entry has a linked headline, and often the beginning of the text.
// They are new on each page and read like the article, so the scores of single blocks are uncertain. A rule judges each
// list as a whole, and only on pages that begin with an article: on the front page of a section, the list is the
// content.

const (
	// headlineWords is the least number of words of a linked headline.
	headlineWords = 3
	// teaserWords is the most words that the entries of a list of teasers have on average.
	teaserWords = 120
	// headlineDensity is the share of linked characters above which a list has headlines only.
	headlineDensity = .6
	// teaserMean is the least mean probability of noise of a list that the rule drops.
	teaserMean = .25
	// templateMean is the mean probability of noise from which on a list is certainly template.
	templateMean = .75
	// openingWords is the least number of words of running text between the title of an article and the first teaser.
	openingWords = 60
	// teaserOdds is the least log-odds of noise that a teaser has.
	teaserOdds = 2.5
)

// teaserList is a list of headlines of other pages.
type teaserList struct {
	entries []page.ElementID
	// texts says that the entries have text beside their headlines.
	texts bool
	// mean is the mean probability of noise of the words.
	mean float32
}

// judgeAsArticle changes the odds of a page that is an article, perhaps only without its teasers. It reports whether
// there is anything to decide again.
func (r *ruling) judgeAsArticle(odds []float32, noisy []bool) (changed bool) {
	without := slices.Clone(odds)
	if r.dropTeasers(without) {
		if labels, _ := r.j.decide(without); r.readsAsArticle(labels) {
			copy(odds, without)
			noisy, changed = labels, true
		}
	}
	if r.readAsArticle(odds, noisy) {
		r.dropTeasers(odds)
		changed = true
	}
	return changed
}

// dropTeasers raises the log-odds of noise of lists of teasers on a page that begins with an article. It reports
// whether there are any.
func (v *view) dropTeasers(odds []float32) (found bool) {
	lists := v.teaserLists(odds)
	if len(lists) == 0 || v.opening(lists, odds) < openingWords {
		return false
	}
	for _, l := range lists {
		if l.mean >= teaserMean {
			v.dropList(l.entries, odds)
			found = true
		}
	}
	return found
}

// opening returns the number of words of running text between the title and the first teaser below it.
func (v *view) opening(lists []teaserList, odds []float32) (words int32) {
	if v.titleBlock == page.None {
		return 0
	}
	end := page.BlockID(len(v.blocks))
	for _, l := range lists {
		if from := v.p.Elements[l.entries[0]].BlockStart; l.texts && l.mean < templateMean && from > v.titleBlock {
			end = min(end, from)
		}
	}
	for b := v.titleBlock + 1; b < end; b++ {
		if odds[b] < 0 {
			words += v.blocks[b].prose
		}
	}
	return words
}

// teaserLists returns the lists of which at least four fifths of the entries have a headline.
func (v *view) teaserLists(odds []float32) (found []teaserList) {
	entries := make([][]page.ElementID, len(v.lists))
	for e, l := range v.listed {
		if l >= 0 && v.elems[e].words > 0 && v.lists[l].links*5 >= v.lists[l].items*4 {
			entries[l] = append(entries[l], page.ElementID(e))
		}
	}
	for l, list := range entries {
		if len(list) >= minItems && v.haveHeadlines(list) {
			found = append(found, teaserList{list, v.lists[l].linkDensity() < headlineDensity, v.meanNoise(list, odds)})
		}
	}
	return found
}

// haveHeadlines reports whether at least four fifths of the entries of a list are short and begin with a headline, and
// the headlines lead to different pages.
func (v *view) haveHeadlines(list []page.ElementID) bool {
	words, headlines := int32(0), 0
	targets := make(map[uint64]bool, len(list))
	for _, e := range list {
		words += v.elems[e].words
		if target := v.headlineTarget(e); target != 0 {
			headlines++
			targets[target] = true
		}
	}
	return headlines*5 >= len(list)*4 && len(targets)*2 > len(list) && words <= teaserWords*int32(len(list))
}

// headlineTarget returns the hash of the path that the headline of entry e leads to, or 0 if e has no headline. A date
// may stand before it.
func (v *view) headlineTarget(e page.ElementID) uint64 {
	tried := 0
	for b := v.p.Elements[e].BlockStart; b < v.p.Elements[e].BlockEnd && tried < 2; b++ {
		if v.blocks[b].words == 0 {
			continue
		}
		if v.blocks[b].target != 0 && v.beginsWithLink(b) {
			return v.blocks[b].target
		}
		tried++
	}
	return 0
}

// beginsWithLink reports whether block b begins with a link of several words.
func (v *view) beginsWithLink(b page.BlockID) bool {
	words, link := 0, page.ElementID(page.None)
	for _, t := range v.p.Texts[v.p.Blocks[b].TextStart:v.p.Blocks[b].TextEnd] {
		if t.Block != b || page.Ink(t.Data) == 0 {
			continue
		}
		a := v.anchorOf(t.Parent)
		if a == page.None || link != page.None && a != link {
			break
		}
		link = a
		for range page.Words(t.Data) {
			words++
		}
	}
	return words >= headlineWords
}

// meanNoise is the mean probability of noise of the words in a list.
func (v *view) meanNoise(list []page.ElementID, odds []float32) float32 {
	var words, noise float32
	for _, e := range list {
		for b := v.p.Elements[e].BlockStart; b < v.p.Elements[e].BlockEnd; b++ {
			w := float32(v.blocks[b].words)
			words += w
			noise += w * probability(odds[b])
		}
	}
	return noise / max(words, 1)
}

// dropList raises the log-odds of noise of the teasers of a list, and of a heading directly above it.
func (v *view) dropList(list []page.ElementID, odds []float32) {
	for _, e := range list {
		if v.headlineTarget(e) == 0 {
			continue
		}
		for b := v.p.Elements[e].BlockStart; b < v.p.Elements[e].BlockEnd; b++ {
			odds[b] = max(odds[b], teaserOdds)
		}
	}
	first := v.p.Elements[list[0]].BlockStart
	for b := first - 1; b >= max(first-2, 0); b-- {
		if b != v.titleBlock && v.headingLevel(b) > 0 && v.scopeOf(b) > first {
			odds[b] = max(odds[b], teaserOdds)
			break
		}
	}
}
