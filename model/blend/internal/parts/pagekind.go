package parts

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
	"github.com/winnow-proxy/winnow/model/page"
	"golang.org/x/net/html/atom"
)

// PageKind returns the kind of the whole page. It uses what the page declares, in the vocabularies of Open Graph and
// schema.org or by the program that made it, and then the look of its content.
func (v *Outline) PageKind(verdicts []page.Verdict, form page.ElementID) page.PageKind {
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
	view.Size
	// code is the number of words in listings, posts the number of people's marks beside running text, prices the
	// number of blocks with a price.
	code, posts, prices int32
	// items is the number of kept blocks that are links at a place that has several.
	items, itemWords int32
	// buys says that something can be put into a cart.
	buys bool
}

func (v *Outline) shapeOfContent(verdicts []page.Verdict) contentShape {
	var s contentShape
	places := map[uint64]int32{}
	for i, d := range verdicts {
		if !d.Noise && v.Blocks[i].Links > 0 && v.Blocks[i].Words <= 40 {
			places[v.Blocks[i].Place]++
		}
	}
	for i, d := range verdicts {
		if d.Noise {
			continue
		}
		b := &v.Blocks[i]
		s.Add(b.Size)
		if places[b.Place] >= 3 && b.Links > 0 {
			s.items++
			s.itemWords += b.Words
		}
		if b.Shape&view.ShapeMoney != 0 && b.Words <= 12 && hasDigit(b) {
			s.prices++
		}
		readSurroundings(v.Page, &s, v.Doc.Blocks[i].Element, b)
	}
	s.buys = v.Declared().Cart
	return s
}

func hasDigit(b *view.Block) bool { return b.Digits > 0 }

// readSurroundings reads the four elements around a kept block.
func readSurroundings(v *view.Page, s *contentShape, e page.ElementID, b *view.Block) {
	for range 4 {
		if e <= v.Doc.Body {
			return
		}
		names := v.Elements[e].Names
		switch {
		case v.Doc.Elements[e].Tag == atom.Pre:
			s.code += b.Words
			return
		case names.Has(vocab.GroupUser) && b.Words <= 12:
			s.posts++
			return
		}
		e = v.Doc.Elements[e].Parent
	}
}

// declaredKind returns PageUnknown if the page declares nothing decisive. Many front pages declare that they are
// articles, so an article must look like one too.
func (v *Outline) declaredKind(s contentShape) page.PageKind {
	d := v.Declared()
	products := d.Count("product")
	switch {
	case d.Count("discussionforumposting", "qapage", "question") > 0 && d.Count("faqpage") == 0 || d.IsForum():
		return page.PageForum
	case strings.HasPrefix(d.OG, "product") || products == 1 && s.items < 12 || products > 0 && s.buys:
		return page.PageProduct
	case products > 3 || d.Count("collectionpage", "searchresultspage", "offercatalog", "productcollection") > 0:
		return page.PageList
	case d.Count("techarticle", "apireference") > 0 || d.IsManual():
		return page.PageDocumentation
	case s.Prose*3 < s.Words:
		return page.PageUnknown
	case (d.OG == "article" || d.Count("article", "newsarticle", "blogposting", "reportagenewsarticle") == 1) && s.Prose >= 60:
		return page.PageArticle
	}
	return page.PageUnknown
}

// kind decides only by the look of the content.
func (s *contentShape) kind() page.PageKind {
	switch {
	case s.Words == 0:
		return page.PageOther
	case s.buys && (s.items < 12 || s.posts >= 4): // people's marks beside a cart are those of reviews
		return page.PageProduct
	case s.code*5 > s.Words && s.Words >= 40, s.code*10 > s.Words && s.code >= 80:
		return page.PageDocumentation
	case s.posts >= 4 && s.Prose >= 40:
		return page.PageForum
	case s.items >= 5 && (s.itemWords*2 > s.Words || s.LinkDensity() > .4 || s.items >= 12 && s.Prose*3 < s.Words):
		return page.PageList
	case s.Prose >= 120 && s.Prose*5 >= s.Words*2:
		return page.PageArticle
	case s.LinkDensity() > .5 && s.Links >= 8:
		return page.PageList
	}
	return page.PageOther
}
