package blend

import "github.com/winnow-proxy/winnow/model/page"

// kindOf names a marked part, by what its element and the nearest ones around and inside it are called.
func (v *view) kindOf(e page.ElementID, from, to page.BlockID) page.Kind {
	if e == page.None {
		e = v.p.Blocks[from].Element
	}
	for range 4 {
		if k := kindOfNames(v.elems[e].names); k != page.KindOther {
			return k
		}
		up := v.p.Elements[e].Parent
		if up == page.None || up == v.p.Body || v.elems[up].words > 2*v.elems[e].words+10 {
			break
		}
		e = up
	}
	return v.kindOfText(from, to)
}

// kindOfNames goes from the telling names to the vague ones.
func kindOfNames(s nameSet) page.Kind {
	for _, k := range [...]struct {
		g group
		k page.Kind
	}{
		{groupCookie, page.KindCookie}, {groupAd, page.KindAd}, {groupShare, page.KindShare}, {groupCrumb, page.KindNav},
		{groupPager, page.KindPagination}, {groupTOC, page.KindTOC}, {groupRelated, page.KindRelated},
		{groupComment, page.KindCommentsForm}, {tagNav, page.KindNav}, {groupNav, page.KindNav},
		{tagFooter, page.KindFooter}, {groupFooter, page.KindFooter}, {tagAside, page.KindSidebar},
		{groupSidebar, page.KindSidebar}, {tagHeader, page.KindHeader}, {groupHeader, page.KindHeader},
		{tagForm, page.KindSearch}, {groupForm, page.KindSearch},
	} {
		if s.has(k.g) {
			return k.k
		}
	}
	return page.KindOther
}

// kindOfText falls back on what the blocks look like.
func (v *view) kindOfText(from, to page.BlockID) page.Kind {
	var s size
	legal := false
	for b := from; b < to; b++ {
		s.add(v.blocks[b].size)
		legal = legal || v.blocks[b].shape&shapeCopyright != 0
	}
	switch {
	case legal && s.words < 60:
		return page.KindLegal
	case s.links >= 3 && s.linkDensity() > .6:
		return page.KindNav
	}
	return page.KindOther
}
