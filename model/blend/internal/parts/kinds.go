package parts

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// KindOfElement uses role, schema.org type, class and id, and then the tag.
func KindOfElement(v *view.Page, e page.ElementID) page.Kind {
	best := page.KindOther
	for _, a := range v.Doc.Attrs(e) {
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
		best = KindOfTag(v, e)
	}
	return best
}

// KindOfTag returns the kind that the tag of an element stands for.
func KindOfTag(v *view.Page, e page.ElementID) page.Kind {
	switch v.Doc.Elements[e].Tag {
	case atom.Nav, atom.Menu:
		return page.KindNav
	case atom.Footer:
		return page.KindFooter
	case atom.Aside:
		return page.KindSidebar
	case atom.Header:
		return page.KindHeader
	case atom.Ins:
		if class, _ := v.Doc.Attr(e, "class"); strings.Contains(class, "adsbygoogle") {
			return page.KindAd
		}
	}
	if v.Doc.Elements[e].Name == "search" {
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
	for part := range vocab.NameParts(s) {
		if k := vocab.KindOfWord(part); outranks(k, best) {
			best = k
		}
	}
	return best
}
