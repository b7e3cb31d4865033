package rules

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
)

// minProse is the least number of words of running text on a page that may be an article.
const minProse = 120

// MayBeArticle reports whether there is enough running text for an article.
func MayBeArticle(v *view.Page) bool { return v.Total.Prose >= minProse }

// readAsArticle reports whether the page is an article, by its kept blocks or, where it declares that it is one, by
// those that the convention of news (only headline and text are content) would keep. It adds the log-odds by that
// convention to odds. On a page that is an article either way, only they count: the evidence of the host comes mostly
// from archives, where everything new beside an article was content. They count half on a host's first page, on pages
// that are an article by only one of both, and for byline and date, which readers want.
func (r *Case) readAsArticle(odds []float32, noisy []bool) bool {
	if !MayBeArticle(r.Page) {
		return false
	}
	sure := r.ReadsAsArticle(noisy)
	if !sure && !r.Declared().IsArticle() {
		return false
	}
	article := r.articleOdds()
	if !sure {
		if noisy, _ = r.J.Decide(article); !r.ReadsAsArticle(noisy) {
			return false
		}
	}
	half := !sure || r.Ev.Recall.Pages() == 0
	for i, o := range article {
		if half || parts.IsDateline(r.Outline.Page, i) {
			o = (odds[i] + o) / 2
		}
		odds[i] = o
	}
	return true
}

// articleOdds are the log-odds by the convention that only headline and text are content. Afterwards the evidence
// follows that convention.
func (r *Case) articleOdds() []float32 {
	r.J.TurnTo(features.Convention{Byline: -1, Date: -1, Caption: -1, Comments: -1, Grid: -1})
	return r.odds()
}
