package blend

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// kindOf returns the kind of a marked part. It asks first the element's own names, then its text, then the names of the
// elements around it, if these hold little else, and last its position on the page.
func (f *markFinder) kindOf(e page.ElementID, from, to page.BlockID) page.Kind {
	v := f.v
	if e == page.None {
		e = v.p.Blocks[from].Element
	}
	if k := f.kindOfReading(e, from, to); k != page.KindOther {
		return k
	}
	own := v.kindOfElement(e)
	if own != page.KindOther && !isVague(own) {
		return own
	}
	if k := v.kindOfTag(e); k != page.KindOther {
		return k
	}
	if k := v.kindOfText(e, from, to); k != page.KindOther {
		return k
	}
	if v.isGrid(from, to) {
		return page.KindGrid
	}
	if own != page.KindOther {
		return own
	}
	if k := v.kindNearby(e, from, to); k != page.KindOther {
		return k
	}
	return f.kindOfPlace(from, to)
}

// isVague reports whether a kind only says where a part is.
func isVague(k page.Kind) bool {
	return k == page.KindHeader || k == page.KindFooter || k == page.KindSidebar
}

// kindNearby asks the only child, and its only child, and the elements around that hold little else.
func (v *view) kindNearby(e page.ElementID, from, to page.BlockID) page.Kind {
	inner := e
	for range 2 {
		if inner = v.soleChild(inner, from, to); inner == page.None {
			break
		}
		if k := v.kindOfElement(inner); k != page.KindOther {
			return k
		}
	}
	for range 4 {
		up := v.p.Elements[e].Parent
		if up == page.None || up == v.p.Body || v.elems[up].words > 2*v.elems[e].words+10 {
			break
		}
		if k := v.kindOfElement(up); k != page.KindOther {
			return k
		}
		e = up
	}
	return page.KindOther
}

// soleChild returns the child that holds all blocks of [from, to), or None.
func (v *view) soleChild(e page.ElementID, from, to page.BlockID) page.ElementID {
	for c := range v.p.Children(e) {
		if el := &v.p.Elements[c]; from < to && el.BlockStart == from && el.BlockEnd == to {
			return c
		}
	}
	return page.None
}

// kindOfElement uses role, schema.org type, class and id, and then the tag.
func (v *view) kindOfElement(e page.ElementID) page.Kind {
	best := page.KindOther
	for _, a := range v.p.Attrs(e) {
		k := page.KindOther
		switch a.Key {
		case "role":
			k = kindOfRole(strings.ToLower(a.Val))
		case "itemtype":
			k = kindOfSchema(a.Val)
		case "class", "id", "aria-label", "name":
			k = kindOfNames(a.Val)
		}
		if outranks(k, best) {
			best = k
		}
	}
	if best == page.KindOther {
		best = v.kindOfTag(e)
	}
	return best
}

func (v *view) kindOfTag(e page.ElementID) page.Kind {
	switch v.p.Elements[e].Tag {
	case atom.Nav, atom.Menu:
		return page.KindNav
	case atom.Footer:
		return page.KindFooter
	case atom.Aside:
		return page.KindSidebar
	case atom.Header:
		return page.KindHeader
	case atom.Ins:
		if class, _ := v.p.Attr(e, "class"); strings.Contains(class, "adsbygoogle") {
			return page.KindAd
		}
	}
	if v.p.Elements[e].Name == "search" {
		return page.KindSearch
	}
	return page.KindOther
}

// kindOfRole reads the landmark roles of WAI-ARIA 1.2, and those of DPUB-ARIA that name parts of a page.
func kindOfRole(role string) page.Kind {
	switch role {
	case "navigation", "menu", "menubar":
		return page.KindNav
	case "banner":
		return page.KindHeader
	case "contentinfo":
		return page.KindFooter
	case "complementary":
		return page.KindSidebar
	case "search":
		return page.KindSearch
	case "doc-toc", "doc-index":
		return page.KindTOC
	case "doc-pagelist":
		return page.KindPagination
	}
	return page.KindOther
}

// kindOfSchema reads the parts of schema.org/WebPageElement.
func kindOfSchema(itemtype string) page.Kind {
	switch itemtype[strings.LastIndexByte(itemtype, '/')+1:] {
	case "SiteNavigationElement", "BreadcrumbList", "Breadcrumb":
		return page.KindNav
	case "WPHeader":
		return page.KindHeader
	case "WPFooter":
		return page.KindFooter
	case "WPSideBar":
		return page.KindSidebar
	case "WPAdBlock":
		return page.KindAd
	}
	return page.KindOther
}

// outranks orders the kinds by the meaning of a name with both: "footer-share" is a share box, "sidebar-ad" is an
// advert.
func outranks(k, than page.Kind) bool {
	rank := func(k page.Kind) int {
		for i, have := range [...]page.Kind{
			page.KindCookie, page.KindAd, page.KindShare, page.KindPagination, page.KindTOC, page.KindRelated,
			page.KindCommentsForm, page.KindSearch, page.KindLegal, page.KindNav, page.KindFooter, page.KindSidebar, page.KindHeader,
		} {
			if have == k {
				return i
			}
		}
		return int(page.KindTOC) + 1
	}
	return rank(k) < rank(than)
}

// kindOfNames reads the parts of a class attribute, id or label.
func kindOfNames(s string) page.Kind {
	best := page.KindOther
	for part := range nameParts(s) {
		if k := kindOfWord(part); outranks(k, best) {
			best = k
		}
	}
	return best
}

// kindOfPlace is for parts without a name: the first part of the page is its header, the last its footer, and rows of
// links between are menus.
func (f *markFinder) kindOfPlace(from, to page.BlockID) page.Kind {
	var s size
	for b := from; b < to; b++ {
		s.add(f.v.blocks[b].size)
	}
	switch {
	case from == to:
		return page.KindOther
	case int(to) == len(f.v.blocks) && s.words < 200:
		return page.KindFooter
	case s.links >= 3 && s.linkDensity() > .6:
		return page.KindNav
	case from == 0 && s.words < 200:
		return page.KindHeader
	}
	return page.KindOther
}
