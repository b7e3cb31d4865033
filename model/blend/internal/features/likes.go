package features

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
)

// likeRow says whether the block's link leads to a page of the page's own kind, and how many links of its list, its
// section and the page do.
func (v *Input) likeRow(row []float32, i int) []float32 {
	b := &v.Blocks[i]
	list, section := &view.Likes{}, &view.Likes{}
	if l := v.ListOf(b.Home); l >= 0 {
		list = &v.Lists[l].Likes
	}
	if s := v.SectionOf[i]; s >= 0 {
		section = &v.Sections[s].Likes
	}
	return append(row, float32(b.Like), list.OwnShare(), view.Log1(list.Own), list.MoneyShare(), section.OwnShare(),
		view.Log1(section.Own), section.MoneyShare(), v.Elements[0].Likes.OwnShare())
}

// likeLevelRow says how many links below an ancestor lead to pages of the page's own kind.
func (v *Input) likeLevelRow(row []float32, e page.ElementID) []float32 {
	l := &v.Elements[e].Likes
	return append(row, l.OwnShare(), l.MoneyShare())
}

// maxDepth is the greatest depth of an address that is told from others.
const maxDepth = 6

// declaredRow says what the page declares to be, and where it is.
func (v *Input) declaredRow(row []float32, _ int) []float32 {
	d := v.Declared()
	path, _, isScript := strings.Cut(v.At.Path, "?")
	return append(row, flag(d.IsArticle()), flag(strings.HasPrefix(d.OG, "product") || d.Cart)+2*float32(min(d.Count("product"), 3)),
		flag(d.Count("recipe") > 0), flag(d.IsForum() || d.Count("discussionforumposting", "qapage", "question") > 0),
		flag(d.Count("collectionpage", "searchresultspage", "offercatalog", "itemlist") > 0),
		flag(d.IsManual() || d.Count("techarticle", "apireference") > 0), flag(d.OG == "website")+2*flag(d.OG != ""),
		float32(min(strings.Count(strings.Trim(path, "/"), "/"), maxDepth)), flag(len(path) <= 1), flag(isScript))
}

func flag(yes bool) float32 {
	if yes {
		return 1
	}
	return 0
}
