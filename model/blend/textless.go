package blend

import (
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// Elements without text have no verdict: frames and banners, rows of icons, empty boxes. They are removed if their name
// or source says that they are adverts or share buttons, or if they are among noise. Pictures, films and controls are
// never removed because of their neighbours.

// between reports whether the blocks of e before and after position b are noise.
func (f *markFinder) between(e page.ElementID, b page.BlockID) bool {
	el := &f.v.p.Elements[e]
	return b > el.BlockStart && b < el.BlockEnd && f.verdicts[b-1].Noise && f.verdicts[b].Noise
}

// textless marks c, or the noise in it. among says that c is between two noisy blocks.
func (f *markFinder) textless(c page.ElementID, among bool) {
	v := f.v
	if f.isNeeded(c) || f.inNoisyRun(c) {
		return
	}
	only := v.unwrapped(c)
	kind := v.kindOfTextless(only)
	switch {
	case kind != page.KindOther:
		f.markTextless(c, kind, 1)
	case among && !v.holdsWorth(c):
		b := v.p.Elements[c].BlockStart
		f.markTextless(c, f.kindBefore(b), (f.verdicts[b-1].Score+f.verdicts[b].Score)/2)
	default:
		for inner := range v.p.Children(only) {
			f.textless(inner, false)
		}
	}
}

// unwrapped follows only children down from c, and returns the last of them.
func (v *view) unwrapped(c page.ElementID) page.ElementID {
	for !v.isAdvert(c) && v.p.Elements[c].Sub > c+1 && v.p.Elements[c+1].Sub == v.p.Elements[c].Sub {
		c++
	}
	return c
}

// strays marks the adverts and rows of share icons inside c, whose text is only content.
func (f *markFinder) strays(c page.ElementID) {
	for e := c + 1; e < f.v.p.Elements[c].Sub; {
		el := &f.v.p.Elements[e]
		if el.BlockStart != el.BlockEnd {
			e++
			continue
		}
		f.textless(e, false)
		e = el.Sub
	}
}

func (f *markFinder) markTextless(e page.ElementID, k page.Kind, score float32) {
	b := f.v.p.Elements[e].BlockStart
	f.marks = append(f.marks, page.Mark{Element: e, BlockStart: b, BlockEnd: b, Kind: k, Score: score})
}

// kindBefore is the kind of the mark that ends at block b.
func (f *markFinder) kindBefore(b page.BlockID) page.Kind {
	if n := len(f.marks); n > 0 && f.marks[n-1].BlockEnd == b {
		return f.marks[n-1].Kind
	}
	return page.KindOther
}

// isNeeded reports whether e must stay: it is, contains or is in the form that is the purpose of the page, or the
// page's scripts and styles need it.
func (f *markFinder) isNeeded(e page.ElementID) bool {
	if f.form != page.None && (f.v.p.Contains(e, f.form) || f.v.p.Contains(f.form, e)) {
		return true
	}
	switch f.v.p.Elements[e].Tag {
	case atom.Script, atom.Style, atom.Link, atom.Meta, atom.Base, atom.Template, atom.Noscript, atom.Br, atom.Wbr, atom.Col,
		atom.Colgroup:
		return true
	}
	return false
}

// inNoisyRun reports whether e is in the middle of a noisy block, which is removed with it.
func (f *markFinder) inNoisyRun(e page.ElementID) bool {
	el := &f.v.p.Elements[e]
	b := el.BlockStart - 1
	return b >= 0 && f.verdicts[b].Noise && f.v.p.Blocks[b].TextEnd > el.TextStart
}

// kindOfTextless returns KindAd and KindShare for elements that are such by name, source or size, and KindOther for all
// others.
func (v *outline) kindOfTextless(e page.ElementID) page.Kind {
	advert := v.isAdvert(e)
	switch {
	case !advert && v.among(v.sharers, e) < 2 || v.holdsControls(e):
		return page.KindOther
	case advert:
		return page.KindAd
	case v.holdsFilm(e):
		return page.KindOther
	}
	return page.KindShare
}

// isAdvert uses the words for adverts in class and id, the hosts that serve adverts, and their sizes.
func (v *view) isAdvert(e page.ElementID) bool {
	tag := v.p.Elements[e].Tag
	for _, a := range v.p.Attrs(e) {
		switch a.Key {
		case "class", "id":
			for part := range nameParts(a.Val) {
				if isAdWord(part) {
					return true
				}
			}
		case "src", "data-src":
			if tag == atom.Iframe && isAdHost(a.Val) {
				return true
			}
		case "href":
			if tag == atom.A && isAdHost(a.Val) {
				return true
			}
		}
	}
	switch tag {
	case atom.Iframe:
		return v.hasAdSize(e)
	case atom.A:
		href, _ := v.p.Attr(e, "href")
		return strings.HasPrefix(href, "http") && v.p.Elements[e].Sub == e+2 && v.p.Elements[e+1].Tag == atom.Img && v.hasAdSize(e+1)
	}
	return false
}

// hasAdSize reports whether e declares a size of the IAB's ad units that nothing else has. The nearly square sizes (300
// by 250) are also sizes of pictures and films.
func (v *view) hasAdSize(e page.ElementID) bool {
	switch [2]int{v.pixels(e, "width"), v.pixels(e, "height")} {
	case [2]int{728, 90}, [2]int{468, 60}, [2]int{234, 60}, [2]int{970, 90}, [2]int{970, 250}, [2]int{320, 50}, [2]int{320, 100},
		[2]int{160, 600}, [2]int{120, 600}, [2]int{300, 600}, [2]int{120, 240}, [2]int{88, 31}:
		return true
	}
	return false
}

// pixels reads a width or height attribute, -1 where there is none in pixels.
func (v *view) pixels(e page.ElementID, key string) int {
	val, has := v.p.Attr(e, key)
	if !has {
		return -1
	}
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(val), "px"))
	if err != nil {
		return -1
	}
	return n
}

func isAdHost(src string) bool {
	return containsAny(src, "doubleclick.net", "googlesyndication.com", "googleadservices.com", "adservice.google", "amazon-adsystem.com",
		"adnxs.com", "criteo.", "taboola.com", "outbrain.com", "adform.net", "rubiconproject.com", "pubmatic.com", "openx.net", "an.yandex.ru",
		"adfox.ru", "/adserver/", "/adframe", "mgid.com", "media.net", "zedo.com", "adsterra", "propellerads", "i-mobile.co.jp",
		"cpro.baidu.com", "tanx.com", "smartadserver.com")
}
