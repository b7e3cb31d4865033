package blend

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// pageKind returns the kind of the whole page. It uses what the page declares, in the vocabularies of Open Graph and
// schema.org or by the program that made it, and then the look of its content.
func (v *outline) pageKind(verdicts []page.Verdict, form page.ElementID) page.PageKind {
	if form != page.None {
		return page.PageApplication
	}
	shape := v.shapeOfContent(verdicts)
	if k := v.declaredKind(shape); k != page.PageUnknown {
		return k
	}
	return shape.kind()
}

// contentShape sums up the kept blocks of a page.
type contentShape struct {
	size
	// code is the number of words in listings, posts the number of people's marks beside running text, prices the
	// number of blocks with a price.
	code, posts, prices int32
	// items is the number of kept blocks that are links at a place that has several.
	items, itemWords int32
	// buys says that something can be put into a cart.
	buys bool
}

func (v *outline) shapeOfContent(verdicts []page.Verdict) contentShape {
	var s contentShape
	places := map[uint64]int32{}
	for i, d := range verdicts {
		if !d.Noise && v.blocks[i].links > 0 && v.blocks[i].words <= 40 {
			places[v.blocks[i].place]++
		}
	}
	for i, d := range verdicts {
		if d.Noise {
			continue
		}
		b := &v.blocks[i]
		s.add(b.size)
		if places[b.place] >= 3 && b.links > 0 {
			s.items++
			s.itemWords += b.words
		}
		if b.shape&shapeMoney != 0 && b.words <= 12 && hasDigit(b) {
			s.prices++
		}
		v.readSurroundings(&s, v.p.Blocks[i].Element, b)
	}
	s.buys = v.declared().cart
	return s
}

func hasDigit(b *blockView) bool { return b.digits > 0 }

// readSurroundings reads the four elements around a kept block.
func (v *view) readSurroundings(s *contentShape, e page.ElementID, b *blockView) {
	for range 4 {
		if e <= v.p.Body {
			return
		}
		names := v.elems[e].names
		switch {
		case v.p.Elements[e].Tag == atom.Pre:
			s.code += b.words
			return
		case names.has(groupUser) && b.words <= 12:
			s.posts++
			return
		}
		e = v.p.Elements[e].Parent
	}
}

// offersCart reports whether a control puts something into a cart.
func (v *view) offersCart(e page.ElementID) bool {
	for _, a := range v.p.Attrs(e) {
		switch a.Key {
		case "class", "id", "action", "name", "value":
			val := strings.ToLower(a.Val)
			if containsAny(val, "add-to-cart", "addtocart", "add_to_cart", "cart/add", "add to cart", "add to basket", "add-to-basket",
				"in den warenkorb", "в корзину", "カートに入れる", "加入购物车") {
				return true
			}
		}
	}
	return false
}

// kind decides only by the look of the content.
func (s *contentShape) kind() page.PageKind {
	switch {
	case s.words == 0:
		return page.PageOther
	case s.buys && s.items < 12:
		return page.PageProduct
	case s.code*5 > s.words && s.words >= 40, s.code*10 > s.words && s.code >= 80:
		return page.PageDocumentation
	case s.posts >= 4 && s.prose >= 40:
		return page.PageForum
	case s.items >= 5 && (s.itemWords*2 > s.words || s.linkDensity() > .4 || s.items >= 12 && s.prose*3 < s.words):
		return page.PageList
	case s.prose >= 120 && s.prose*5 >= s.words*2:
		return page.PageArticle
	case s.linkDensity() > .5 && s.links >= 8:
		return page.PageList
	}
	return page.PageOther
}
