package blend

import "github.com/winnow-proxy/winnow/model/page"

// The surroundings of an article belong to other pages, and in corpora of news only headline and text are content. So a
// page that reads as an article is also scored by that convention.

// readsAsArticle reports whether the kept blocks of a page are an article: mostly running text, without a table of
// facts, and not the topic of a forum.
func (v *outline) readsAsArticle(noisy []bool) bool {
	verdicts := make([]page.Verdict, len(noisy))
	facts := 0
	for i, n := range noisy {
		verdicts[i].Noise = n
		if b := &v.blocks[i]; !n && b.label.kind != 0 && b.fellows >= factRow {
			facts++
		}
	}
	if v.declared().isForum() {
		return false // in corpora of news its replies count as comments
	}
	s := v.shapeOfContent(verdicts)
	return facts < factRow && s.kind() == page.PageArticle && s.prose*2 >= s.words
}

// leastProse is the least number of words of running text on a page that may be an article.
const leastProse = 120

// readAsArticle reports whether the page is an article, by its kept blocks or by those that the convention of news
// (only headline and text are content) would keep. It adds the log-odds by that convention to odds. On a page that is
// an article either way, only they count: the evidence of the host comes mostly from archives, where everything new
// beside an article was content. They count half on a host's first page, on pages that are an article by only one of
// both, and for byline and date, which readers want.
func (r *ruling) readAsArticle(odds []float32, noisy []bool) bool {
	if r.total.prose < leastProse {
		return false
	}
	sure := r.readsAsArticle(noisy)
	article := r.articleOdds()
	if !sure {
		if noisy, _ = r.j.decide(article); !r.readsAsArticle(noisy) {
			return false
		}
	}
	half := !sure || r.ev.m.pages() == 0
	for i, o := range article {
		if half || r.isDateline(i) {
			o = (odds[i] + o) / 2
		}
		odds[i] = o
	}
	return true
}

// articleOdds are the log-odds by the convention that only headline and text are content. Afterwards the evidence
// follows that convention.
func (r *ruling) articleOdds() []float32 {
	r.j.turnTo(Convention{Byline: -1, Date: -1, Caption: -1, Comments: -1, Grid: -1})
	return r.odds()
}

const (
	// datelineWords is the most words of a byline or date. above and below are the most blocks between it and the
	// title.
	datelineWords = 15
	datelineAbove = 4
	datelineBelow = 6
)

// isDateline reports whether block i looks like the byline or date of the page: it is short and near the title, and
// contains a date or is named so.
func (v *view) isDateline(i int) bool {
	b := &v.blocks[i]
	away := i - int(v.titleBlock)
	if v.titleBlock == page.None || b.words > datelineWords || away < -datelineAbove || away > datelineBelow {
		return false
	}
	names := v.elems[b.home].names
	if up := v.p.Elements[b.home].Parent; up != page.None {
		names |= v.elems[up].names
	}
	return b.shape&(shapeDate|shapeClock) != 0 || names.has(groupMeta)
}
