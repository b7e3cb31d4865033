package rules

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
)

// A sentence that stands on every page of a host is no part of what any of them is about. The weights give way to their
// evidence by the page alone where such a text reads like the article around it, so a rule decides. On the sites that
// weights are fitted on, 1 % of the blocks that it takes are content.

const (
	// recurringWords is the least number of words of such a text: shorter ones are the labels of facts.
	recurringWords = 6
	// recurringShare is the least share of the pages that have it, recurringPages the least number of pages to tell.
	recurringShare = .9
	recurringPages = 4
	// recurringOdds is the least log-odds of noise that it has.
	recurringOdds = 2.5
	// freshContent is the least number of new words that are content on a page that the rule is for. Without these, all
	// pages known of the host may be versions of one.
	freshContent = 40
)

// dropRecurring raises the log-odds of noise of sentences that recur on all pages.
func dropRecurring(ev *features.Evidence, odds []float32) {
	if ev.Recall.Pages() < recurringPages {
		return
	}
	fresh := int32(0)
	for i := range odds {
		if ev.IsNew(i) && odds[i] < 0 {
			fresh += ev.Page.Blocks[i].Words
		}
	}
	if fresh < freshContent {
		return
	}
	for i := range odds {
		b := &ev.Page.Blocks[i]
		if odds[i] < recurringOdds && b.Words >= recurringWords && ev.Texts[i].Text.All >= recurringShare {
			odds[i] = recurringOdds
		}
	}
}
