package parts

import (
	"slices"

	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
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
	// TeaserMean is the least mean probability of noise of a list that the rule drops.
	TeaserMean = .25
	// TemplateMean is the mean probability of noise from which on a list is certainly template.
	TemplateMean = .75
	// OpeningWords is the least number of words of running text between the title of an article and the first teaser.
	OpeningWords = 60
	// TeaserOdds is the least log-odds of noise that a teaser has.
	TeaserOdds = 2.5
)

// TeaserList is a list of headlines of other pages.
type TeaserList struct {
	Entries []page.ElementID
	// Texts says that the entries have text beside their headlines.
	Texts bool
	// Mean is the mean probability of noise of the words.
	Mean float32
}

// TeaserLists returns the lists of which at least four fifths of the entries have a headline.
func TeaserLists(v *view.Page, odds []float32) (found []TeaserList) {
	entries, room := make([][]page.ElementID, len(v.Lists)), int32(0)
	for l := range v.Lists {
		room += v.Lists[l].Items
	}
	all := make([]page.ElementID, room)
	for l := range v.Lists {
		entries[l], all = all[:0:v.Lists[l].Items], all[v.Lists[l].Items:]
	}
	for e, l := range v.Listed {
		if l >= 0 && v.Elements[e].Words > 0 && v.Lists[l].Links*5 >= v.Lists[l].Items*4 {
			entries[l] = append(entries[l], page.ElementID(e))
		}
	}
	for l, list := range entries {
		if len(list) >= view.MinItems && haveHeadlines(v, list) {
			found = append(found, TeaserList{list, v.Lists[l].LinkDensity() < headlineDensity, meanNoise(v, list, odds)})
		}
	}
	return found
}

// haveHeadlines reports whether at least four fifths of the entries of a list are short and begin with a headline, and
// the headlines lead to different pages.
func haveHeadlines(v *view.Page, list []page.ElementID) bool {
	words, headlines := int32(0), 0
	targets := make([]uint64, 0, len(list))
	for _, e := range list {
		words += v.Elements[e].Words
		if target := HeadlineTarget(v, e); target != 0 {
			headlines++
			targets = append(targets, target)
		}
	}
	slices.Sort(targets)
	targets = slices.Compact(targets)
	return headlines*5 >= len(list)*4 && len(targets)*2 > len(list) && words <= teaserWords*int32(len(list))
}

// HeadlineTarget returns the hash of the path that the headline of entry e leads to, or 0 if e has no headline. A date
// may stand before it.
func HeadlineTarget(v *view.Page, e page.ElementID) uint64 {
	tried := 0
	for b := v.Doc.Elements[e].BlockStart; b < v.Doc.Elements[e].BlockEnd && tried < 2; b++ {
		if v.Blocks[b].Words == 0 {
			continue
		}
		if v.Blocks[b].Target != 0 && BeginsWithLink(v, b) {
			return v.Blocks[b].Target
		}
		tried++
	}
	return 0
}

// BeginsWithLink reports whether block b begins with a link of several words.
func BeginsWithLink(v *view.Page, b page.BlockID) bool {
	words, link := 0, page.ElementID(page.None)
	for _, t := range v.Doc.Texts[v.Doc.Blocks[b].TextStart:v.Doc.Blocks[b].TextEnd] {
		if t.Block != b || page.Ink(t.Data) == 0 {
			continue
		}
		a := v.AnchorOf(t.Parent)
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
func meanNoise(v *view.Page, list []page.ElementID, odds []float32) float32 {
	var words, noise float32
	for _, e := range list {
		for b := v.Doc.Elements[e].BlockStart; b < v.Doc.Elements[e].BlockEnd; b++ {
			w := float32(v.Blocks[b].Words)
			words += w
			noise += w * forest.Probability(odds[b])
		}
	}
	return noise / max(words, 1)
}
