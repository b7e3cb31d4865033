package parts

import (
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// Unwrapped follows only children down from c, and returns the last of them.
func Unwrapped(v *view.Page, c page.ElementID) page.ElementID {
	for !isAdvert(v, c) && v.Doc.Elements[c].Sub > c+1 && v.Doc.Elements[c+1].Sub == v.Doc.Elements[c].Sub {
		c++
	}
	return c
}

// KindOfTextless returns KindAd and KindShare for elements that are such by name, source or size, and KindOther for all
// others.
func (v *Outline) KindOfTextless(e page.ElementID) page.Kind {
	advert := isAdvert(v.Page, e)
	switch {
	case !advert && v.Among(v.ShareLinks, e) < 2 || v.HoldsControls(e):
		return page.KindOther
	case advert:
		return page.KindAd
	case v.HoldsMedia(e):
		return page.KindOther
	}
	return page.KindShare
}

// isAdvert uses the words for adverts in class and id, the hosts that serve adverts, and their sizes.
func isAdvert(v *view.Page, e page.ElementID) bool {
	tag := v.Doc.Elements[e].Tag
	for _, a := range v.Doc.Attrs(e) {
		switch a.Key {
		case "class", "id":
			for part := range vocab.NameParts(a.Val) {
				if vocab.IsAdWord(part) {
					return true
				}
			}
		case "src", "data-src":
			if tag == atom.Iframe && vocab.IsAdHost(a.Val) {
				return true
			}
		case "href":
			if tag == atom.A && vocab.IsAdHost(a.Val) {
				return true
			}
		}
	}
	switch tag {
	case atom.Iframe:
		return hasAdSize(v, e)
	case atom.A:
		href, _ := v.Doc.Attr(e, "href")
		return strings.HasPrefix(href, "http") && v.Doc.Elements[e].Sub == e+2 && v.Doc.Elements[e+1].Tag == atom.Img && hasAdSize(v, e+1)
	}
	return false
}

// hasAdSize reports whether e declares a size of the IAB's ad units that nothing else has. The nearly square sizes (300
// by 250) are also sizes of pictures and films.
func hasAdSize(v *view.Page, e page.ElementID) bool {
	switch [2]int{pixels(v, e, "width"), pixels(v, e, "height")} {
	case [2]int{728, 90}, [2]int{468, 60}, [2]int{234, 60}, [2]int{970, 90}, [2]int{970, 250}, [2]int{320, 50}, [2]int{320, 100},
		[2]int{160, 600}, [2]int{120, 600}, [2]int{300, 600}, [2]int{120, 240}, [2]int{88, 31}:
		return true
	}
	return false
}

// pixels reads a width or height attribute, -1 where there is none in pixels.
func pixels(v *view.Page, e page.ElementID, key string) int {
	val, has := v.Doc.Attr(e, key)
	if !has {
		return -1
	}
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(val), "px"))
	if err != nil {
		return -1
	}
	return n
}
