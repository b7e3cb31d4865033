package blend

import "github.com/winnow-proxy/winnow/model/page"

// What surrounds an article is for other pages, and the people who judged pages of news counted headline and text
// alone. So a page that reads as an article is judged by their convention as well.

// readsAsArticle reports whether what is kept of a page is an article: most of it running text, no table of facts with
// it, and no topic of a forum.
func (v *view) readsAsArticle(noisy []bool) bool {
	verdicts := make([]page.Verdict, len(noisy))
	facts := 0
	for i, n := range noisy {
		verdicts[i].Noise = n
		if b := &v.blocks[i]; !n && b.label.kind != 0 && b.fellows >= factRow {
			facts++
		}
	}
	if v.declared().isForum() {
		return false // its replies are comments to people who judge news
	}
	s := v.shapeOfContent(verdicts)
	return facts < factRow && s.kind() == page.PageArticle && s.prose*2 >= s.words
}

// leastProse is the least number of words of running text of a page that may be an article.
const leastProse = 120

// readAsArticle reports whether the page is an article, by what is kept of it or by what would be kept by the
// convention that headline and text alone are content, and takes the log-odds by that convention into odds. Of a page
// that is an article either way they count alone, for what the host teaches rests mostly on archives, and there
// whatever is new beside an article was content. They count half on a host's first page, on pages that only one of both
// takes for an article, and for byline and date, which readers want.
func (ev *evidence) readAsArticle(odds []float32, noisy []bool) bool {
	v := ev.v
	if v.total.prose < leastProse {
		return false
	}
	sure := v.readsAsArticle(noisy)
	article := ev.articleOdds()
	v.dropDetails(article)
	if !sure {
		if noisy, _ = ev.page.w.decide(v, article); !v.readsAsArticle(noisy) {
			return false
		}
	}
	half := !sure || ev.m.pages() == 0
	for i, o := range article {
		if half || v.isDateline(i) {
			o = (odds[i] + o) / 2
		}
		odds[i] = o
	}
	return true
}

// articleOdds are the log-odds by the convention that headline and text alone are content. The evidence is of that
// convention from then on.
func (ev *evidence) articleOdds() []float32 {
	ev.v.convention = Convention{Byline: -1, Date: -1, Caption: -1, Comments: -1, Grid: -1}
	if j := &ev.page; j.w.page != nil {
		of := features().convention
		j.compare(of[0], of[1], ev.v.conventionRow)
		j.odds = j.w.page.logOdds(j.comparison)
		ev.rescore(probabilities(j.odds))
	}
	return ev.odds()
}

const (
	// datelineWords is the most words of a byline or date; above and below are how many blocks before and behind the title
	// it stands at most.
	datelineWords = 15
	datelineAbove = 4
	datelineBelow = 6
)

// isDateline reports whether block i looks like the byline or date of the page: short, near the title, with a date in
// it or named so.
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
