package marks

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/page"
)

// kindOf returns the kind of a marked part. It asks first the element's own names, then its text, then the names of the
// elements around it, if these hold little else, and last its position on the page.
func (f *markFinder) kindOf(e page.ElementID, from, to page.BlockID) page.Kind {
	v := f.v
	if e == page.None {
		e = v.Doc.Blocks[from].Element
	}
	if k := f.kindOfReading(e, from, to); k != page.KindOther {
		return k
	}
	own := parts.KindOfElement(v.Page, e)
	if own != page.KindOther && !isVague(own) {
		return own
	}
	if k := parts.KindOfTag(v.Page, e); k != page.KindOther {
		return k
	}
	if k := kindOfText(v, e, from, to); k != page.KindOther {
		return k
	}
	if isGrid(v.Page, from, to) {
		return page.KindGrid
	}
	if own != page.KindOther {
		return own
	}
	if k := kindNearby(v.Page, e, from, to); k != page.KindOther {
		return k
	}
	return f.kindOfPlace(from, to)
}

// isVague reports whether a kind only says where a part is.
func isVague(k page.Kind) bool {
	return k == page.KindHeader || k == page.KindFooter || k == page.KindSidebar
}

// kindNearby asks the only child, and its only child, and the elements around that hold little else.
func kindNearby(v *view.Page, e page.ElementID, from, to page.BlockID) page.Kind {
	inner := e
	for range 2 {
		if inner = soleChild(v, inner, from, to); inner == page.None {
			break
		}
		if k := parts.KindOfElement(v, inner); k != page.KindOther {
			return k
		}
	}
	for range 4 {
		up := v.Doc.Elements[e].Parent
		if up == page.None || up == v.Doc.Body || v.Elements[up].Words > 2*v.Elements[e].Words+10 {
			break
		}
		if k := parts.KindOfElement(v, up); k != page.KindOther {
			return k
		}
		e = up
	}
	return page.KindOther
}

// soleChild returns the child that holds all blocks of [from, to), or None.
func soleChild(v *view.Page, e page.ElementID, from, to page.BlockID) page.ElementID {
	for c := range v.Doc.Children(e) {
		if el := &v.Doc.Elements[c]; from < to && el.BlockStart == from && el.BlockEnd == to {
			return c
		}
	}
	return page.None
}

// kindOfPlace is for parts without a name: the first part of the page is its header, the last its footer, and rows of
// links between are menus.
func (f *markFinder) kindOfPlace(from, to page.BlockID) page.Kind {
	var s view.Size
	for b := from; b < to; b++ {
		s.Add(f.v.Blocks[b].Size)
	}
	switch {
	case from == to:
		return page.KindOther
	case int(to) == len(f.v.Blocks) && s.Words < 200:
		return page.KindFooter
	case s.Links >= 3 && s.LinkDensity() > .6:
		return page.KindNav
	case from == 0 && s.Words < 200:
		return page.KindHeader
	}
	return page.KindOther
}
