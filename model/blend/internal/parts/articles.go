package parts

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
)

// The surroundings of an article belong to other pages, and in corpora of news only headline and text are content. So a
// page that reads as an article is also scored by that convention.

// ReadsAsArticle reports whether the kept blocks of a page are an article: mostly running text, without a table of
// facts, and not the topic of a forum.
func (v *Outline) ReadsAsArticle(noisy []bool) bool {
	verdicts := make([]page.Verdict, len(noisy))
	facts := 0
	for i, n := range noisy {
		verdicts[i].Noise = n
		if b := &v.Blocks[i]; !n && b.Label.Kind != 0 && b.LabelsNear >= FactRow {
			facts++
		}
	}
	if d := v.Declared(); d.IsForum() || d.IsOffer() {
		return false // in corpora of news the replies of a forum count as comments
	}
	s := v.shapeOfContent(verdicts)
	return facts < FactRow && s.kind() == page.PageArticle && s.Prose*2 >= s.Words
}

const (
	// datelineWords is the most words of a byline or date. above and below are the most blocks between it and the
	// title.
	datelineWords = 15
	datelineAbove = 4
	datelineBelow = 6
)

// IsDateline reports whether block i looks like the byline or date of the page: it is short and near the title, and
// contains a date or is named so.
func IsDateline(v *view.Page, i int) bool {
	b := &v.Blocks[i]
	away := i - int(v.TitleBlock)
	if v.TitleBlock == page.None || b.Words > datelineWords || away < -datelineAbove || away > datelineBelow {
		return false
	}
	names := v.Elements[b.Home].Names
	if up := v.Doc.Elements[b.Home].Parent; up != page.None {
		names |= v.Elements[up].Names
	}
	return b.Shape&(view.ShapeDate|view.ShapeClock) != 0 || names.Has(vocab.GroupMeta)
}

// Facts of a page are labelled values in a row ("ISBN-13: 978…", "Publisher: …", "Date: …"). Each label recurs on every
// page, once on each, and the value after it changes. To features that count recurring shapes they look like template.
// So a rule decides on them: too few sites have them to fit weights.

// FactRow is the least number of labelled values in a row.
const FactRow = 3
